"""Text of an XPath 1.0 expression to its syntax tree. Invalid or unsupported expressions are
refused.

A name or `*` is an operator right after an operand (section 3.7 of the recommendation).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tocsin.errors import LimitProblem, MeaningProblem, Problem, SyntaxProblem
from tocsin.plan.xml.xpath.syntax import (
    ANYWHERE,
    EVERY_NODE,
    Chain,
    Expression,
    Filter,
    NodeTest,
    Number,
    Path,
    XPathCall,
    XPathLiteral,
    XPathMinus,
    XPathStep,
    XPathType,
    type_of,
)

NESTING = 50
"""Levels of parentheses and predicates inside each other, at most."""

_NAME = r"[^\W\d][\w.-]*"
_TOKEN = re.compile(
    rf"""\s*(?:
    (?P<text>"[^"]*"|'[^']*') | (?P<number>\d+(?:\.\d*)?|\.\d+)
    | (?P<mark>::|//|\.\.|!=|<=|>=|[()\[\].@,/|+\-=<>*$])
    | (?P<name>{_NAME}(?::(?:{_NAME}|\*))?)
    )""",
    re.VERBOSE,
)
_OPERATORS = (
    ("or",),
    ("and",),
    ("=", "!="),
    ("<", "<=", ">", ">="),
    ("+", "-"),
    ("*", "div", "mod"),
)
_WORDS = frozenset(("or", "and", "div", "mod"))
_KINDS = frozenset(("text", "node", "comment", "processing-instruction"))
_AXES = frozenset(
    "ancestor ancestor-or-self attribute child descendant descendant-or-self following"
    " following-sibling parent preceding preceding-sibling self".split()
)
ARGUMENTS: Mapping[str, tuple[int, int | None]] = {
    **dict.fromkeys(("last", "position", "true", "false"), (0, 0)),
    **dict.fromkeys(
        ("count", "id", "boolean", "not", "lang", "sum", "floor", "ceiling", "round"), (1, 1)
    ),
    **dict.fromkeys(
        "local-name namespace-uri name string string-length normalize-space number".split(), (0, 1)
    ),
    **dict.fromkeys(("starts-with", "contains", "substring-before", "substring-after"), (2, 2)),
    "substring": (2, 3),
    "translate": (3, 3),
    "concat": (2, None),
}
"""Functions of XPath 1.0, with the least and largest number of their arguments (None: no limit)."""


@dataclass(frozen=True, slots=True)
class XPathToken:
    """A piece of the text: its kind (text, number, mark, name or end), its characters, and its
    offset.
    """

    kind: str
    text: str
    at: int


def read_xpath(text: str, namespaces: Mapping[str, str]) -> Expression:
    """Return the syntax tree of an expression; raise its first problem."""
    reader = _XPathParser(list(_tokens(text)), namespaces)
    expression = reader.expression()
    if reader.now.kind != "end":
        raise _unexpected(reader.now)
    return expression


def _tokens(text: str) -> Iterator[XPathToken]:
    at, end = 0, len(text.rstrip())
    while at < end:
        found = _TOKEN.match(text, at)
        if found is None:
            rest = text[at:].strip()
            hint = (
                "close it with the same quote"
                if rest[0] in "\"'"
                else "see the grammar of XPath 1.0"
            )
            raise SyntaxProblem(f"{rest[0]} has no meaning here", token=rest[:20], hint=hint)
        kind = str(found.lastgroup)
        yield XPathToken(kind, found[kind], found.start(kind))
        at = found.end()
    yield XPathToken("end", "", len(text))


class _XPathParser:
    """Recursive-descent parser; one method for each kind of node."""

    __slots__ = ("_at", "_depth", "_namespaces", "_tokens")

    def __init__(self, tokens: list[XPathToken], namespaces: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._namespaces = namespaces
        self._at = 0
        self._depth = 0

    @property
    def now(self) -> XPathToken:
        return self._tokens[self._at]

    def _next(self) -> XPathToken:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _take(self) -> XPathToken:
        token = self.now
        self._at += token.kind != "end"
        return token

    def _is(self, *marks: str) -> bool:
        return self.now.kind == "mark" and self.now.text in marks

    def _expect(self, mark: str) -> None:
        if not self._is(mark):
            raise _unexpected(self.now, mark)
        self._take()

    def expression(self) -> Expression:
        """Return an expression of any rank; `or` binds least."""
        self._depth += 1
        if self._depth > NESTING:
            raise LimitProblem(
                f"parentheses and predicates go deeper than {NESTING} levels",
                hint="say it with less nesting",
            )
        found = self._chain(0)
        self._depth -= 1
        return found

    def _chain(self, rank: int) -> Expression:
        if rank == len(_OPERATORS):
            return self._signed()
        operands, operators = [self._chain(rank + 1)], list[str]()
        while self._is_operator(_OPERATORS[rank]):
            operators.append(self._take().text)
            operands.append(self._chain(rank + 1))
        return Chain(tuple(operands), tuple(operators)) if operators else operands[0]

    def _is_operator(self, wanted: tuple[str, ...]) -> bool:
        token = self.now
        return token.text in wanted and token.kind == ("name" if token.text in _WORDS else "mark")

    def _signed(self) -> Expression:
        minus = 0
        while self._is("-"):
            self._take()
            minus += 1
        found = self._union()
        if not minus:
            return found
        return XPathMinus(found) if minus % 2 else XPathMinus(XPathMinus(found))

    def _union(self) -> Expression:
        operands = [self._path()]
        while self._is("|"):
            self._take()
            operands.append(self._path())
        if len(operands) == 1:
            return operands[0]
        for each in operands:
            _require_nodes(each, "|")
        return Chain(tuple(operands), ("|",) * (len(operands) - 1))

    def _path(self) -> Expression:
        if self._is("/"):
            self._take()
            return Path(self._steps() if self._starts_step() else (), absolute=True)
        if self._is("//"):
            self._take()
            return Path((ANYWHERE, *self._steps()), absolute=True)
        if not self._starts_primary():
            return Path(self._steps())
        return self._filtered()

    def _filtered(self) -> Expression:
        """Return a primary expression with its predicates, and the steps from its nodes."""
        base = self._primary()
        predicates = self._predicates()
        found = Filter(base, predicates) if predicates else base
        if predicates:
            _require_nodes(base, "[")
        if not self._is("/", "//"):
            return found
        _require_nodes(found, "/")
        steps = (ANYWHERE,) if self._take().text == "//" else ()
        return Path((*steps, *self._steps()), base=found)

    def _steps(self) -> tuple[XPathStep, ...]:
        steps = [self._step()]
        while self._is("/", "//"):
            if self._take().text == "//":
                steps.append(ANYWHERE)
            steps.append(self._step())
        return tuple(steps)

    def _step(self) -> XPathStep:
        if self._is("."):
            self._take()
            return XPathStep("self", EVERY_NODE)
        if self._is(".."):
            self._take()
            return XPathStep("parent", EVERY_NODE)
        axis = self._axis()
        return XPathStep(axis, self._test(), self._predicates())

    def _axis(self) -> str:
        if self._is("@"):
            self._take()
            return "attribute"
        if self.now.kind != "name" or not (
            self._next().kind == "mark" and self._next().text == "::"
        ):
            return "child"
        name = self._take().text
        self._take()
        if name == "namespace":
            raise MeaningProblem(
                "the axis namespace is not served",
                token=name,
                hint="ask for namespace-uri() of a node instead",
            )
        if name not in _AXES:
            raise SyntaxProblem(
                f"{name} is no axis",
                token=name,
                hint=f"an axis is one of {', '.join(sorted(_AXES))}",
            )
        return name

    def _test(self) -> NodeTest:
        if self._is("*"):
            self._take()
            return NodeTest("*")
        if self.now.kind != "name":
            raise _unexpected(self.now, "the name of an element or attribute")
        name = self._take().text
        if name in _KINDS and self._is("("):
            self._take()
            target = (
                self._take().text[1:-1]
                if name == "processing-instruction" and self.now.kind == "text"
                else None
            )
            self._expect(")")
            return NodeTest(kind=name, target=target)
        prefix, _, local = name.rpartition(":")
        if prefix and prefix not in self._namespaces:
            raise MeaningProblem(
                f"the prefix {prefix} is not declared",
                token=name,
                hint=f'declare it before WHERE: NAMESPACE {prefix} = "..."',
            )
        return NodeTest(local, prefix)

    def _predicates(self) -> tuple[Expression, ...]:
        found = []
        while self._is("["):
            self._take()
            found.append(self.expression())
            self._expect("]")
        return tuple(found)

    def _primary(self) -> Expression:
        token = self._take()
        if token.kind == "text":
            return XPathLiteral(token.text[1:-1])
        if token.kind == "number":
            return Number(token.text)
        if token.text == "$":
            raise MeaningProblem(
                "an XPath expression here has no variables",
                token=f"${self.now.text}",
                hint=(
                    "write the value itself, or bind what it selects with CONTENT_AS $v and compare"
                    " outside"
                ),
            )
        if token.text == "(":
            inner = self.expression()
            self._expect(")")
            return inner
        return self._call(token.text)

    def _call(self, name: str) -> Expression:
        self._expect("(")
        arguments: list[Expression] = []
        while not self._is(")"):
            if arguments:
                self._expect(",")
            arguments.append(self.expression())
        self._take()
        _require_function(name, len(arguments))
        if name in ("count", "sum"):
            _require_nodes(arguments[0], f"{name}()")
        if name in ("local-name", "namespace-uri", "name") and arguments:
            _require_nodes(arguments[0], f"{name}()")
        return XPathCall(name, tuple(arguments))

    def _starts_step(self) -> bool:
        return self.now.kind == "name" or self._is(".", "..", "@", "*")

    def _starts_primary(self) -> bool:
        if self.now.kind in ("text", "number") or self._is("$", "("):
            return True
        following = self._next()
        is_call = self.now.kind == "name" and following.kind == "mark" and following.text == "("
        return is_call and self.now.text not in _KINDS


def _require_function(name: str, given: int) -> None:
    if name not in ARGUMENTS:
        raise MeaningProblem(
            f"{name}() is no function of XPath 1.0",
            token=name,
            hint=f"known: {', '.join(sorted(ARGUMENTS))}",
        )
    least, most = ARGUMENTS[name]
    if given < least or (most is not None and given > most):
        counts = (
            f"{least}"
            if least == most
            else f"{least} or more"
            if most is None
            else f"{least} to {most}"
        )
        raise MeaningProblem(
            f"{name}() takes {counts} argument(s), got {given}",
            token=name,
            hint="see the functions of XPath 1.0",
        )


def _require_nodes(expression: Expression, use: str) -> None:
    if type_of(expression) is not XPathType.NODES:
        raise MeaningProblem(
            f"{use} needs nodes, and has a {type_of(expression).value}",
            token=use,
            hint="write a path such as //a",
        )


def _unexpected(token: XPathToken, wanted: str = "") -> Problem:
    found = (
        f"{token.text!r} is not expected here" if token.text else "the expression ends too early"
    )
    expected = f"; expected {wanted}" if wanted else ""
    return SyntaxProblem(found + expected, token=token.text, hint="see the grammar of XPath 1.0")
