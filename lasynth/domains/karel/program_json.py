"""Karel programs as JSON: reads and writes the form of the public data, `{"run": [{"type": "move"}]}`.

Also reads NeurTaskSyn's variant: `{"type": "run", "body": [...]}`, conditions as strings such as `notFrontIsClear`.
"""

from __future__ import annotations

import json
from typing import Any

from lasynth.domains.karel.nodes import (
    ACTIONS,
    MAX_NESTING,
    MAX_TIMES,
    TESTS,
    Action,
    Block,
    Condition,
    If,
    IfElse,
    Program,
    Repeat,
    Statement,
    While,
)
from lasynth.task import ParseError

_NEGATED = {f"not{test[0].upper()}{test[1:]}": test for test in TESTS}


def loads(text: str) -> Program:
    """The program in JSON text, which may also be a whole record of the public data."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ParseError(f"not JSON: {error.msg}", text, error.pos) from None
    except RecursionError:
        raise ParseError("JSON nested too deep") from None
    except ValueError:
        raise ParseError("a number has too many digits") from None
    if isinstance(data, dict) and "program_json" in data:
        data = data["program_json"]
    return from_json(data)


def from_json(data: Any) -> Program:
    """The program in decoded JSON."""
    if isinstance(data, dict) and "run" in data:
        return Program(_block(data["run"], "run", 0))
    if isinstance(data, dict) and data.get("type") == "run":
        return Program(_block(data.get("body"), "body", 0))
    raise ParseError('expected {"run": [...]}')


def to_json(program: Program) -> dict[str, Any]:
    """The program in the form of the public data."""
    return {"run": [_statement_json(statement) for statement in program.body]}


def _block(data: Any, place: str, depth: int) -> Block:
    if not isinstance(data, list):
        raise ParseError(f"{place}: expected a list of statements")
    if not data:
        raise ParseError(f"{place}: a block cannot be empty")
    if depth > MAX_NESTING:
        raise ParseError(f"blocks are nested more than {MAX_NESTING} deep")
    return tuple(_statement(item, f"{place}[{i}]", depth) for i, item in enumerate(data))


def _statement(data: Any, place: str, depth: int) -> Statement:
    if not isinstance(data, dict) or "type" not in data:
        raise ParseError(f'{place}: expected an object with a "type"')
    kind = data["type"]
    if kind in ACTIONS:
        return Action(kind)
    match kind:
        case "repeat":
            return Repeat(_times(data.get("times"), place), _block(data.get("body"), f"{place}.body", depth + 1))
        case "while":
            return While(_condition(data.get("condition"), place), _block(data.get("body"), f"{place}.body", depth + 1))
        case "if":
            return If(_condition(data.get("condition"), place), _block(data.get("body"), f"{place}.body", depth + 1))
        case "ifElse":
            condition = _condition(data.get("condition"), place)
            then = _block(data.get("ifBody"), f"{place}.ifBody", depth + 1)
            return IfElse(condition, then, _block(data.get("elseBody"), f"{place}.elseBody", depth + 1))
        case _:
            raise ParseError(f"{place}: unknown statement {str(kind)[:40]!r}")


def _times(data: Any, place: str) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not 0 <= data <= MAX_TIMES:
        raise ParseError(f"{place}: expected times to be a whole number from 0 to {MAX_TIMES}")
    return data


def _condition(data: Any, place: str) -> Condition:
    negations = 0
    while isinstance(data, dict) and data.get("type") == "not":
        data = data.get("condition")
        negations += 1
        if negations > MAX_NESTING:
            raise ParseError(f"{place}: more than {MAX_NESTING} negations")
    name = data.get("type") if isinstance(data, dict) else data
    if isinstance(name, str) and name in TESTS:
        return Condition(name, negations)
    if isinstance(name, str) and name in _NEGATED:
        return Condition(_NEGATED[name], negations + 1)
    raise ParseError(f"{place}: unknown condition {str(name)[:40]!r}")


def _statement_json(statement: Statement) -> dict[str, Any]:
    match statement:
        case Action(name):
            return {"type": name}
        case Repeat(times, body):
            return {"type": "repeat", "times": times, "body": [_statement_json(s) for s in body]}
        case IfElse(condition, then, otherwise):
            return {
                "type": "ifElse",
                "condition": _condition_json(condition),
                "ifBody": [_statement_json(s) for s in then],
                "elseBody": [_statement_json(s) for s in otherwise],
            }
        case While(condition, body) | If(condition, body):
            kind = "while" if isinstance(statement, While) else "if"
            return {"type": kind, "condition": _condition_json(condition), "body": [_statement_json(s) for s in body]}


def _condition_json(condition: Condition) -> dict[str, Any]:
    data: dict[str, Any] = {"type": condition.test}
    for _ in range(condition.negations):
        data = {"type": "not", "condition": data}
    return data
