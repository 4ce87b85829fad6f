"""Command lines from the signatures of functions. The help is plain text, in the colours of the terminal.

Parameters before the `/` are arguments, the others options. Types: bool (a flag), int, float, str, Path, a Literal, a
pair such as tuple[int, int], tuple[T, ...] (an option that can be repeated, or several arguments), each of them with
`| None` if it has no default, and dataclasses, whose fields become options of the command.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import shutil
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints

from lasynth.task import InputError

HELP = ("-h", "--help")
MOST_WIDE = 100
"""Longest line of a help text."""
SHOWN = 300
"""Most characters of a message, which may quote what the user typed."""


@dataclass(frozen=True)
class Described:
    """What a type does not say about a parameter."""

    help: str = ""
    name: str | None = None
    metavar: str | None = None


def arg(help: str = "", name: str | None = None, metavar: str | None = None) -> Described:
    """For `Annotated`: the text of the help, the name of the option if it is not the parameter's, and its value."""
    return Described(help, name, metavar)


def call(command: Callable[..., int], name: str, words: Sequence[str]) -> int:
    """Parse the words of a command line and call the command with them. InputError; SystemExit after the help."""
    parser = _parser(command, name, explained=any(word in HELP for word in words))
    given = vars(parser.parse_intermixed_args(list(words)))
    positional, named = [], {}
    for parameter in inspect.signature(command).parameters.values():
        kind, _ = _unwrapped(get_type_hints(command, include_extras=True)[parameter.name])
        value = given.get(parameter.name)
        if is_dataclass(kind):
            assert isinstance(kind, type)
            value = kind(**{field.name: given[field.name] for field in fields(kind)})
        if parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[parameter.name] = value
    return command(*positional, **named)


def overview(name: str, kind: str, choices: Mapping[str, str], description: str, words: Sequence[str]) -> int:
    """Print what can follow a word that needs another one. InputError unless the user asks for help."""
    if words and words[0] in HELP:
        width = max(map(len, choices))
        lines = [f"  {choice:{width}}  {summary}".rstrip() for choice, summary in choices.items()]
        more = f"`{name} {kind.upper()} --help` lists the options."
        print("\n".join([f"usage: {name} {kind.upper()} [options]", "", description, "", *lines, "", more]))
        return 0
    there = f"there are {', '.join(choices)} (`{name} --help` explains them)"
    if not words:
        raise InputError(f"give a {kind}: {there}")
    if words[0].startswith("-"):
        raise InputError(f"give the {kind} first: {there}")
    raise InputError(f"there is no {kind} `{words[0]:.100}`{_meant(words[0], list(choices)) or f'; {there}'}")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Raise InputError, as for other bad input."""
        wrong = message.partition("unrecognized arguments: ")[2].split(" ")[0].partition("=")[0]
        known = [word for word in self._option_string_actions if word.startswith("--")]
        cut = message if len(message) <= SHOWN else message[:SHOWN] + " .."
        said = cut.removeprefix("argument ") + (_meant(wrong, known) if wrong.startswith("--") else "")
        raise InputError(f"{said} (`{self.prog} --help` lists all options)")


def _meant(wrong: str, known: Sequence[str]) -> str:
    close = get_close_matches(wrong[:100], known, n=1)
    return f"; did you mean {close[0]}?" if close else ""


class _OnOrOff(argparse.Action):
    """The flag of something that is on by default: `--name` and `--no-name`."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, not (option_string or "").startswith("--no-"))


# --- parameters -------------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Parameter:
    name: str
    kind: Any
    """The type, without `| None`."""
    default: Any
    """MISSING if the user must give a value."""
    described: Described
    positional: bool = False


def _parser(command: Callable[..., int], name: str, explained: bool) -> argparse.ArgumentParser:
    """A parser for the parameters of a command. Texts of dataclasses are read only if they are to be shown."""
    parameters = list(_parameters(command, explained))
    required = [_usage(p) for p in parameters if p.default is MISSING and not p.positional]
    words = [*(_usage(p) for p in parameters if p.positional), *required, "[options]"]
    width = min(MOST_WIDE, shutil.get_terminal_size().columns - 2)
    parser = _Parser(
        f"lasynth {name}",
        f"lasynth {name} {' '.join(words)}",
        _wrapped(inspect.cleandoc(command.__doc__ or ""), width),
        formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=26, width=width),
        allow_abbrev=False,
        add_help=False,
    )
    arguments, options = parser.add_argument_group("arguments"), parser.add_argument_group("options")
    for parameter in parameters:
        _add(arguments if parameter.positional else options, parameter)
    options.add_argument(*HELP, action="help", help="Show this text.")
    return parser


def _wrapped(text: str, width: int) -> str:
    """The paragraphs of a text, with lines of this width."""
    return "\n\n".join(textwrap.fill(" ".join(part.split()), width) for part in text.split("\n\n"))


def _parameters(command: Callable[..., int], explained: bool) -> Iterator[_Parameter]:
    hints = get_type_hints(command, include_extras=True)
    for parameter in inspect.signature(command).parameters.values():
        kind, described = _unwrapped(hints[parameter.name])
        default = MISSING if parameter.default is inspect.Parameter.empty else parameter.default
        if is_dataclass(kind):
            assert isinstance(kind, type)
            yield from _fields(kind, default, explained)
        else:
            positional = parameter.kind is inspect.Parameter.POSITIONAL_ONLY
            yield _Parameter(parameter.name, kind, default, described, positional)


def _fields(settings: type, defaults: Any, explained: bool) -> Iterator[_Parameter]:
    """The fields of a dataclass as parameters; the text after a field is its help."""
    hints, texts = get_type_hints(settings, include_extras=True), _texts(settings) if explained else {}
    for field in fields(settings):
        kind, _ = _unwrapped(hints[field.name])
        default = field.default if defaults is MISSING else getattr(defaults, field.name)
        yield _Parameter(field.name, kind, default, Described(texts.get(field.name, "")))


def _texts(settings: type) -> dict[str, str]:
    """The strings that follow the fields of a class in its source; none if there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(settings)))
    except (OSError, TypeError, SyntaxError):
        return {}
    assert isinstance(tree.body[0], ast.ClassDef)
    found, before = {}, None
    for node in tree.body[0].body:
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(node, ast.Expr):
            found[before.target.id] = " ".join(str(ast.literal_eval(node.value)).split())
        before = node
    return found


def _unwrapped(hint: Any) -> tuple[Any, Described]:
    """The type without `Annotated` and `| None`, and its description."""
    described = Described()
    if get_origin(hint) is Annotated:
        hint, *notes = get_args(hint)
        described = next((note for note in notes if isinstance(note, Described)), described)
    if get_origin(hint) in (Union, UnionType):
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    return hint, described


# --- one parameter as an argument or option ---------------------------------------------------------------------------
def _add(group: Any, parameter: _Parameter) -> None:
    kind, described, default = parameter.kind, parameter.described, parameter.default
    settings: dict[str, Any] = {"help": _help(parameter)}
    if kind is bool:
        names = [_option(parameter)] + ([f"--no-{_option(parameter)[2:]}"] if default is True else [])
        action: Any = _OnOrOff if default is True else "store_true"
        nothing = {"nargs": 0} if default is True else {}
        group.add_argument(*names, dest=parameter.name, action=action, default=default, **nothing, **settings)
        return
    many = get_args(kind) if get_origin(kind) is tuple else ()
    element = many[0] if many else kind
    settings |= {"type": _reader(element), "default": None if default is MISSING else default}
    settings["metavar"] = described.metavar or _metavar(element, parameter)
    if many and many[-1] is not Ellipsis:
        settings |= {"nargs": len(many), "action": _AsTuple}
    elif many:
        settings |= {"nargs": "*"} if parameter.positional else {"action": _Append}
    if not parameter.positional:
        settings |= {"dest": parameter.name, "required": default is MISSING}
    elif default is not MISSING and not many:
        settings |= {"nargs": "?"}
    group.add_argument(parameter.name if parameter.positional else _option(parameter), **settings)


class _AsTuple(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, tuple(values))


class _Append(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, (*getattr(namespace, self.dest), values))


def _option(parameter: _Parameter) -> str:
    return "--" + (parameter.described.name or parameter.name.replace("_", "-"))


def _metavar(kind: Any, parameter: _Parameter) -> str:
    if get_origin(kind) is Literal:
        return "{" + ",".join(get_args(kind)) + "}"
    return {int: "N", float: "X", Path: "PATH"}.get(kind, (parameter.described.name or parameter.name).upper())


def _usage(parameter: _Parameter) -> str:
    shown = parameter.described.metavar or _metavar(parameter.kind, parameter)
    if not parameter.positional:
        return f"{_option(parameter)} {shown}"
    return shown if parameter.default is MISSING else f"[{shown}]"


def _help(parameter: _Parameter) -> str:
    """The text of the help, with the default unless it is nothing."""
    default, text = parameter.default, parameter.described.help
    if default is MISSING:
        note = "" if parameter.positional else "(required)"
    elif default is True:
        note = f"(default: {_option(parameter)})"
    elif default is None or default is False or default == ():
        note = ""
    else:
        note = f"(default: {f'{default:g}' if isinstance(default, float) else default})"
    return f"{text} {note}".strip().replace("%", "%%")


def _reader(kind: Any) -> Callable[[str], Any]:
    """A function that reads a value of this type; ArgumentTypeError."""
    if get_origin(kind) is Literal:
        return lambda text: _one_of(text, get_args(kind))
    names = {int: "a whole number", float: "a number"}
    if kind not in names:
        assert kind in (str, Path), f"options of type {kind} are not supported"
        return kind  # type: ignore[no-any-return]

    def read(text: str) -> Any:
        try:
            return kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"takes {names[kind]}, not `{text:.100}`") from None

    return read


def _one_of(text: str, words: Sequence[str]) -> str:
    if text not in words:
        raise argparse.ArgumentTypeError(f"there is no `{text:.100}`; there are {', '.join(words)}")
    return text
