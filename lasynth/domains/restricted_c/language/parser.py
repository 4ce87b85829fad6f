"""Reads C text into a tree by recursive descent. The comment above a method is the rule of the grammar that it reads.

The parser also checks that variables are declared before use, and that `break` and `continue` are in loops. So gcc
accepts every program that it returns. If the text is C outside the subset, the error names what is not supported.
"""

from __future__ import annotations

from itertools import islice
from typing import NoReturn, cast

from lasynth.domains.restricted_c.language.lexer import Token, describe_unknown, tokenize
from lasynth.domains.restricted_c.language.nodes import (
    ARRAY,
    INT_MAX,
    MAX_DEPTH,
    MAX_OPERATORS,
    Assign,
    Block,
    Break,
    Condition,
    Const,
    Continue,
    Declaration,
    Element,
    Expr,
    For,
    If,
    Increment,
    LoopRelation,
    Operand,
    Program,
    Relation,
    Sign,
    Statement,
    StepOperator,
    Target,
    Test,
    Var,
)
from lasynth.domains.restricted_c.language.source_file import function_tokens
from lasynth.task import ParseError

RELATIONS = ("<", ">", "<=", ">=", "==", "!=")
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while""".split()
)
UNSUPPORTED = {
    "while": "`while` loops are", "do": "`do` loops are", "switch": "`switch` is", "case": "`switch` is",
    "goto": "`goto` is", "*": "multiplication and pointers are", "/": "division is", "%": "the remainder `%` is",
    "&": "the operator `&` is", "|": "the operator `|` is", "^": "the operator `^` is", "~": "the operator `~` is",
    "!": "the operator `!` is", "<<": "shifts are", ">>": "shifts are", "?": "the conditional operator `?:` is",
    ",": "the comma is", ".": "structures are", "->": "structures are", "struct": "structures are",
    "sizeof": "`sizeof` is",
}  # fmt: skip
ASSIGNMENTS = ("+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=")


def parse(text: str) -> Program:
    """The program in `text`: a function, alone or in a complete C file. The ParseError shows the first mistake."""
    return _Parser(text).program()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = function_tokens(tokenize(text), text)
        self.position = 0
        self.scopes: list[set[str]] = [set()]
        self.depth = 0
        self.loops = 0

    # --- tokens ------------------------------------------------------------------------------------------------
    @property
    def token(self) -> Token:
        return self.tokens[self.position]

    def take(self) -> Token:
        taken = self.token
        self.position += taken.kind != "end"
        return taken

    def at(self, *texts: str) -> bool:
        return self.token.kind != "end" and self.token.text in texts

    def expect(self, text: str, where: str) -> Token:
        if not self.at(text):
            self.fail(f"expected `{text}` {where}")
        return self.take()

    def error(self, message: str, token: Token) -> ParseError:
        return ParseError(message, self.text, token.offset)

    def fail(self, expected: str) -> NoReturn:
        """Raise an error at the current token: it names an unsupported feature of C, or else says what was expected."""
        token = self.token
        if token.kind == "end":
            raise self.error(f"{expected}, but the text ends here", token)
        if token.kind == "other":
            raise self.error(describe_unknown(token.text), token)
        if token.text in UNSUPPORTED:
            raise self.error(f"{UNSUPPORTED[token.text]} not supported in restricted C", token)
        if token.text in ASSIGNMENTS:
            raise self.error(
                f"`{token.text}` is not supported in restricted C; write `x = x {token.text[0]} ..`", token
            )
        raise self.error(f"{expected}, not `{token.text[:40]}`", token)

    # --- program := 'int' '*' NAME '(' 'int' 'a' '[' ']' ')' '{' declaration* statement* 'return' 'a' ';' '}' -------
    def program(self) -> Program:
        where = "in the head `int * func_1(int a[])`"
        for text in ("int", "*"):
            self.expect(text, where)
        if self.token.kind != "name" or self.token.text in KEYWORDS:
            self.fail(f"expected the function's name {where}")
        self.take()
        for text in ("(", "int", ARRAY, "[", "]", ")", "{"):
            self.expect(text, where)
        declarations = []
        while self.at("int"):
            declarations.append(self.declaration())
        body = []
        while not self.at("return"):
            if self.at("}") or self.token.kind == "end":
                self.fail("expected a statement or `return a;`")
            body.append(self.statement())
        for text in ("return", ARRAY, ";", "}"):
            self.expect(text, "at the end: `return a; }`")
        if self.token.kind != "end":
            raise self.error("unexpected text after the end of the function", self.token)
        return Program(tuple(declarations), tuple(body))

    # --- declaration := 'int' NAME ['=' constant] ';' ----------------------------------------------------------------
    def declaration(self) -> Declaration:
        self.expect("int", "before a declaration")
        if self.at("*"):
            raise self.error("pointers are not supported in restricted C", self.token)
        name = self.new_name()
        value = None
        if self.at("="):
            self.take()
            value = self.constant("as the initial value")
        if self.at("["):
            raise self.error("arrays other than `a` are not supported in restricted C", self.token)
        self.expect(";", "after the declaration")
        return Declaration(name, value)

    def new_name(self) -> str:
        token = self.token
        if token.kind != "name" or token.text in KEYWORDS:
            self.fail("expected the name of a new variable")
        if token.text == ARRAY:
            raise self.error(f"`{ARRAY}` is the list; a variable needs another name", token)
        if token.text in self.scopes[-1]:
            raise self.error(f"`{token.text}` is declared already", token)
        self.scopes[-1].add(token.text)
        return self.take().text

    def known_name(self) -> str:
        token = self.take()
        if self.at("("):
            raise self.error("calls are not supported in restricted C", token)
        if not any(token.text in scope for scope in self.scopes):
            raise self.error(f"`{token.text}` is not declared", token)
        return token.text

    # --- statement := target '=' expr ';' | step target ';' | target step ';' | for | if | 'break' ';' | 'continue' ';'
    def statement(self) -> Statement:
        if self.at("for"):
            return self.loop()
        if self.at("if"):
            return self.branch()
        statement: Statement
        if self.at("break", "continue"):
            token = self.take()
            if not self.loops:
                raise self.error(f"`{token.text}` outside a loop", token)
            statement = Break() if token.text == "break" else Continue()
        elif self.at("++", "--"):
            operator = cast(StepOperator, self.take().text)
            statement = Increment(self.target(), operator, prefix=True)
        else:
            target = self.target()
            if self.at("++", "--"):
                statement = Increment(target, cast(StepOperator, self.take().text), prefix=False)
            else:
                self.expect("=", "after the target of an assignment")
                statement = Assign(target, self.expression())
        self.expect(";", "after the statement")
        return statement

    # --- target := NAME | 'a' '[' (NAME | constant) ']' --------------------------------------------------------------
    def target(self) -> Target:
        token = self.token
        if self.at("int"):
            raise self.error("declarations may only stand at the start of the function", token)
        if self.at("return"):
            raise self.error("`return` may only stand at the end of the function", token)
        if self.at("{"):
            raise self.error("a block may only follow `for`, `if` or `else`", token)
        if token.kind != "name" or token.text in KEYWORDS:
            self.fail("expected a statement")
        if token.text != ARRAY:
            return Var(self.known_name())
        self.take()
        self.expect("[", "after `a`: pointers are not supported")
        if self.token.kind == "name" and self.token.text != ARRAY and self.token.text not in KEYWORDS:
            element = Element(Var(self.known_name()))
        elif self.token.kind == "number":
            element = Element(self.number())
        else:
            raise self.error("a subscript must be a variable or a constant that is not negative", self.token)
        if not self.at("]"):
            raise self.error("a subscript must be a single variable or constant", self.token)
        self.take()
        return element

    # --- for := 'for' '(' ['int'] NAME '=' constant ';' NAME ('<='|'>=') constant ';' NAME ('++'|'--') ')' block ------
    def loop(self) -> For:
        self.take()
        self.expect("(", "after `for`")
        self.scopes.append(set())
        declares = self.at("int")
        if declares:
            self.take()
            name = self.new_name()
        else:
            if self.token.kind != "name" or self.token.text in (*KEYWORDS, ARRAY):
                self.fail("expected the loop's variable")
            name = self.known_name()
        self.expect("=", "in the loop's head")
        start = self.constant("as the loop's start")
        self.expect(";", "in the loop's head")
        self.expect(name, "in the loop's test")
        if not self.at("<=", ">="):
            raise self.error(f"a loop's test must be `{name} <= constant` or `{name} >= constant`", self.token)
        relation = cast(LoopRelation, self.take().text)
        limit = self.constant("as the loop's limit")
        self.expect(";", "in the loop's head")
        self.expect(name, "in the loop's step")
        if not self.at("++", "--"):
            raise self.error(f"a loop's step must be `{name}++` or `{name}--`", self.token)
        operator = cast(StepOperator, self.take().text)
        self.expect(")", "after the loop's head")
        self.loops += 1
        body = self.block()
        self.loops -= 1
        self.scopes.pop()
        return For(name, declares, start, relation, limit, operator, body)

    # --- if := 'if' '(' condition ')' block ['else' block] ------------------------------------------------------------
    def branch(self) -> If:
        self.take()
        self.expect("(", "after `if`")
        condition = self.condition()
        self.expect(")", "after the condition")
        then = self.block()
        orelse: Block = ()
        if self.at("else"):
            self.take()
            orelse = self.block()
        return If(condition, then, orelse)

    # --- block := '{' statement+ '}' | statement ----------------------------------------------------------------------
    def block(self) -> Block:
        if self.depth == MAX_DEPTH:
            raise self.error(f"blocks are nested deeper than {MAX_DEPTH}", self.token)
        self.depth += 1
        if self.at("{"):
            self.take()
            if self.at("}"):
                raise self.error("empty blocks are not supported in restricted C", self.token)
            body = []
            while not self.at("}"):
                if self.token.kind == "end":
                    self.fail("expected `}` at the end of the block")
                body.append(self.statement())
            self.take()
        else:
            body = [self.statement()]
        self.depth -= 1
        return tuple(body)

    # --- condition := conjunction ('||' conjunction)*          conjunction := test ('&&' test)* -----------------------
    def condition(self) -> Condition:
        conjunctions = [self.conjunction()]
        while self.at("||"):
            self.take()
            conjunctions.append(self.conjunction())
        return tuple(conjunctions)

    def conjunction(self) -> tuple[Test, ...]:
        tests = [*self.test()]
        while self.at("&&"):
            self.take()
            tests += self.test()
        return tuple(tests)

    # --- test := expr [relation expr] | '(' conjunction ')' -----------------------------------------------------------
    def test(self) -> tuple[Test, ...]:
        start = self.token
        if self.at("(") and (inner := self.bracketed_tests()):
            return inner
        left = self.expression()
        if not self.at(*RELATIONS):
            return (Test(left),)
        relation = cast(Relation, self.take().text)
        test = Test(left, relation, self.expression())
        if self.at(*RELATIONS):
            raise self.error("a comparison of a comparison is not supported; join two comparisons with &&", start)
        return (test,)

    def bracketed_tests(self) -> tuple[Test, ...] | None:
        """Read tests in brackets, as in `(x < y && z)`. If they hold an expression, read nothing and return None.

        A bracket holds tests if a relation, && or || comes before it closes.
        """
        level = 0
        for token in islice(self.tokens, self.position, None):
            level += (token.text == "(") - (token.text == ")")
            if token.text in (*RELATIONS, "&&", "||"):
                break
            if level == 0 or token.text in (";", "{") or token.kind == "end":
                return None
        if self.depth == MAX_DEPTH:
            raise self.error(f"brackets are nested deeper than {MAX_DEPTH}", self.token)
        self.depth += 1
        self.take()
        inner = self.conjunction()
        if self.at("||"):
            raise self.error("`||` inside brackets is not supported; `&&` binds tighter than `||`", self.token)
        self.expect(")", "after the tests")
        self.depth -= 1
        return inner

    # --- expr := ['('] operand (('+'|'-') operand)* [')'], at most two operators; brackets at the left end only -------
    def expression(self) -> Expr:
        start = self.token
        expr = self.sum(0)
        if len(expr.rest) > MAX_OPERATORS:
            raise self.error(f"an expression may have at most {MAX_OPERATORS} of + and -", start)
        return expr

    def sum(self, level: int) -> Expr:
        if level > MAX_DEPTH:
            raise self.error(f"brackets are nested deeper than {MAX_DEPTH}", self.token)
        if self.at("(") and not self.negative_ahead():
            self.take()
            expr = self.sum(level + 1)
            self.expect(")", "after the expression")
        else:
            expr = Expr(self.operand())
        rest = list(expr.rest)
        while self.at("+", "-"):
            sign = cast(Sign, self.take().text)
            if self.at("(") and not self.negative_ahead():
                raise self.error("brackets after + or - are not supported; sums run from left to right", self.token)
            rest.append((sign, self.operand()))
        return Expr(expr.first, tuple(rest))

    def negative_ahead(self) -> bool:
        """Whether the bracket here holds a negative constant and nothing else, as in `(-3)`."""
        ahead = self.tokens[self.position : self.position + 4]
        return [token.text for token in ahead[:2]] == ["(", "-"] and ahead[2].kind == "number" and ahead[3].text == ")"

    # --- operand := constant | NAME | 'a' '[' .. ']' ------------------------------------------------------------------
    def operand(self) -> Operand:
        if self.at("-", "(") or self.token.kind == "number":
            return Const(self.constant("in the expression"))
        if self.token.kind != "name" or self.token.text in KEYWORDS:
            self.fail("expected a constant, a variable or an element of the list")
        return self.target()

    # --- constant := ['-'] NUMBER | '(' '-' NUMBER ')' ----------------------------------------------------------------
    def constant(self, where: str) -> int:
        bracket = self.at("(")
        if bracket:
            self.take()
        negative = self.at("-")
        if negative:
            self.take()
        if self.token.kind != "number":
            if negative:
                raise self.error("unary minus is supported before a constant only; write `0 - x`", self.token)
            self.fail(f"expected a constant {where}")
        value = self.number().value
        if bracket:
            self.expect(")", "after the constant")
        return -value if negative else value

    def number(self) -> Const:
        token = self.take()
        if len(token.text) > 10 or int(token.text) > INT_MAX:
            raise self.error(f"constants beyond ±{INT_MAX} are not supported", token)
        return Const(int(token.text))
