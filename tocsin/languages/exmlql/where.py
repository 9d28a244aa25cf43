"""WHERE to rows of the plan: patterns to pattern elements, conditions and values to row terms.

A `*` that only holds one element is not a node but a level of depth. A path of one name is an
ordinary tag. Any other path stays one: the elements on the way are not bound. `p:name` is in the
namespace that the prolog gives to p; a bare name is in none.

XPATH blocks are checked here: known functions, declared prefixes, no variables, valid syntax. XPath
1.0 itself resolves a name only when it evaluates it, which may be in some document next year. The
cost depends on the document, and is bounded there: see `plan/xml/xpath/cost_bound.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from tocsin.errors import Problem
from tocsin.events.views.canonical import XML_SPACE
from tocsin.events.views.document import XPath
from tocsin.events.views.names import is_xml_name
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.syntax import (
    SYNTAX_CODE,
    AmongUse,
    AttributeMatch,
    Bind,
    CallUse,
    Condition,
    ConstantUse,
    Element,
    ExmlqlComparison,
    Junction,
    LikeUse,
    NamespaceLine,
    PathMark,
    PathParts,
    PathStepName,
    PathUse,
    PatternItem,
    Term,
    VariableUse,
    XPathItem,
)
from tocsin.languages.exmlql.term_transformer import is_function, unknown_function
from tocsin.plan.xml.paths import PathChoice, PathRepeat, PathSequence, PathStep, RegularPath
from tocsin.plan.xml.row_evaluation import IF
from tocsin.plan.xml.row_terms import (
    ChoiceValue,
    FunctionValue,
    Operand,
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    ValueAmong,
    ValueLike,
    VariableValue,
    make_comparison,
)
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    Pattern,
    PatternElement,
    VariableBinding,
    XPathPattern,
)
from tocsin.plan.xml.xpath.read import read_xpath
from tocsin.values.like import LikePattern, Token, Wild


@dataclass(frozen=True, slots=True)
class XPathFault:
    """Error in an expression, and a hint."""

    message: str
    hint: str


def check_xpath(expression: str, namespaces: Mapping[str, str]) -> XPathFault | None:
    """Return the error in an expression; None if it is valid."""
    try:
        read_xpath(expression, namespaces)
        XPath(expression, namespaces)
    except Problem as problem:
        return XPathFault(problem.message, problem.hint or "write an XPath 1.0 expression")
    return None


_XML = "http://www.w3.org/XML/1998/namespace"


class Namespaces:
    """Prefixes of one subscription."""

    def __init__(self, lines: Sequence[NamespaceLine], problems: ProblemCollector) -> None:
        self._problems = problems
        self.uris: dict[str, str] = {}
        for line in lines:
            self._declare(line)

    def expanded(self, name: SourceSpan) -> str:
        """Return the expanded name: `{uri}local`, or the name alone without a prefix."""
        prefix, colon, local = name.text.partition(":")
        if not colon:
            return name.text
        uri = self.uri(name, prefix)
        return f"{{{uri}}}{local}"

    def uri(self, name: SourceSpan, prefix: str) -> str:
        """Return the namespace of a prefix; "" and a problem at the name if it has none."""
        if prefix == "xml":
            return _XML
        if prefix not in self.uris:
            self._problems.add(
                SYNTAX_CODE,
                name,
                f"the prefix {prefix} is not declared",
                f'begin with NAMESPACE {prefix} = "..." before WHERE',
            )
        return self.uris.get(prefix, "")

    def refuse_declaration(self, name: SourceSpan) -> None:
        """Add a problem if the attribute is `xmlns` or `xmlns:p`."""
        if name.text == "xmlns" or name.text.startswith("xmlns:"):
            self._problems.add(
                SYNTAX_CODE,
                name,
                "namespaces are not declared on elements",
                'begin with NAMESPACE p = "..." before WHERE',
            )

    def _declare(self, line: NamespaceLine) -> None:
        prefix = line.prefix.text
        if prefix in self.uris or prefix in ("xml", "xmlns"):
            self._problems.add(
                SYNTAX_CODE,
                line.prefix,
                f"the prefix {prefix} is already taken",
                "choose another prefix",
            )
        elif not line.uri:
            self._problems.add(
                SYNTAX_CODE,
                line.prefix,
                "a namespace is not empty",
                "a name without a prefix is in no namespace",
            )
        else:
            self.uris[prefix] = line.uri


_BINDS = {"ELEMENT_AS": BoundTo.ELEMENT, "CONTENT_AS": BoundTo.CONTENT}


class PatternReader:
    """Lowering of the patterns of one subscription."""

    def __init__(self, namespaces: Namespaces, problems: ProblemCollector) -> None:
        self._namespaces = namespaces
        self._problems = problems

    def pattern(self, item: PatternItem | XPathItem) -> Pattern:
        """Return the pattern of an item of WHERE."""
        if isinstance(item, PatternItem):
            return self.element(item)
        fault = check_xpath(item.expression, self._namespaces.uris)
        if fault is not None:
            self._problems.add(SYNTAX_CODE, item.spot, fault.message, fault.hint)
        return XPathPattern(
            item.expression,
            tuple(sorted(self._namespaces.uris.items())),
            tuple(_binding(item.bind)),
        )

    def element(self, item: PatternItem) -> PatternElement:
        """Return the pattern element of an item, for any source."""
        return self._element(item.element, item.bind, 0)

    def _element(self, element: Element, bind: Bind | None, rel: int) -> PatternElement:
        tag, path = element.tag, element.tag.path
        if len(element.texts) > 1:
            self._problems.add(
                SYNTAX_CODE,
                element.texts[1].spot,
                "an element has one text",
                "write all of it as one text, in double quotes",
            )
        bindings = [VariableBinding(BoundTo.NAME, tag.variable.text)] if tag.variable else []
        bindings += [VariableBinding(BoundTo.CONTENT, each.text) for each in element.variables]
        return PatternElement(
            self._step(path).name if isinstance(path, PathStepName) else None,
            rel,
            tuple(self._attribute(each) for each in element.attributes),
            element.texts[0].text.strip(XML_SPACE) if element.texts else None,
            (*bindings, *_binding(bind)),
            tuple(self._child(child, bound) for child, bound in element.children),
            None if path is None or isinstance(path, PathStepName) else self._path(path),
        )

    def _path(self, path: PathUse) -> RegularPath:
        match path:
            case PathStepName():
                return self._step(path)
            case PathParts(operator, parts):
                inner = tuple(map(self._path, parts))
                return PathSequence(inner) if operator == "." else PathChoice(inner)
            case PathMark(part, mark):
                return _repeat(self._path(part), mark)
            case _:
                assert_never(path)

    def _step(self, path: PathStepName) -> PathStep:
        """Return a step by its expanded name; a name in backticks may have dots."""
        text = path.spot.text
        if not text.startswith("`"):
            return PathStep(None if path.is_any else self._namespaces.expanded(path.spot))
        name = text[1:-1]
        if name.count(":") > 1 or not all(map(is_xml_name, name.split(":"))):
            self._problems.add(
                SYNTAX_CODE,
                path.spot,
                f"{name!r} is no XML name",
                "write a name between the backticks",
            )
        return PathStep(self._namespaces.expanded(SourceSpan(path.spot.offset, name)))

    def _child(self, element: Element, bind: Bind | None) -> PatternElement:
        rel = 1
        while _only_a_level(element, bind):
            rel += 1
            element, bind = element.children[0]
        return self._element(element, bind, rel)

    def _attribute(self, each: AttributeMatch) -> AttributeTest:
        variable = None if each.variable is None else each.variable.text
        if each.name.text.startswith("$"):
            return AttributeTest(None, each.text, variable, each.name.text)
        self._namespaces.refuse_declaration(each.name)
        return AttributeTest(self._namespaces.expanded(each.name), each.text, variable)


def _only_a_level(element: Element, bind: Bind | None) -> bool:
    """True if a `*` only adds a level between its parent and its one child (D4)."""
    tested = element.attributes or element.texts or element.variables or bind
    is_star = isinstance(element.tag.path, PathStepName) and element.tag.spot.text == "*"
    if not is_star or tested or len(element.children) != 1:
        return False
    inner = element.children[0][0].tag
    return inner.path is None or isinstance(inner.path, PathStepName)


def _binding(bind: Bind | None) -> list[VariableBinding]:
    return [] if bind is None else [VariableBinding(_BINDS[bind.how], bind.variable.text)]


def _repeat(part: RegularPath, mark: str) -> PathRepeat:
    """Return a part repeated, a repeat of a repeat as one: `a**` matches like `a*`."""
    if isinstance(part, PathRepeat):
        return PathRepeat(part.part, mark if mark == part.mark else "*")
    return PathRepeat(part, mark)


# Conditions and values; unknown functions and invalid LIKE patterns are problems.

_WILD: dict[str, Token] = {"%": Wild.ANY_RUN, "_": Wild.ANY_ONE}


class TermReader:
    """Lowering of the conditions and values of one subscription."""

    def __init__(self, problems: ProblemCollector) -> None:
        self._problems = problems

    def condition(self, term: Condition) -> RowCondition:
        """Return the row condition of a term."""
        match term:
            case ExmlqlComparison(left, relation, right):
                return make_comparison(self.operand(left), relation, self.operand(right))
            case LikeUse(value, _, _, negated):
                like = ValueLike(self.operand(value), self._pattern(term))
                return RowNot(like) if negated else like
            case AmongUse(value, among, negated):
                one_of = ValueAmong(self.operand(value), tuple(map(self.operand, among)))
                return RowNot(one_of) if negated else one_of
            case Junction("NOT", (inner,)):
                return RowNot(self._inner(inner))
            case Junction("AND", parts):
                return RowAll(tuple(map(self._inner, parts)))
            case Junction(_, parts):
                return RowAny(tuple(map(self._inner, parts)))
            case _:
                assert_never(term)

    def operand(self, term: Term) -> Operand:
        """Return the operand of a term."""
        match term:
            case ConstantUse(text):
                return TextValue(text)
            case VariableUse(spot):
                return VariableValue(spot.text)
            case CallUse(function, (condition, then, otherwise)) if function.text == IF:
                return ChoiceValue(
                    self._inner(condition), self.operand(then), self.operand(otherwise)
                )
            case CallUse(function, arguments):
                if not is_function(term):
                    unknown = unknown_function(function)
                    self._problems.add(unknown.code, function, unknown.message, unknown.hint)
                return FunctionValue(function.text, tuple(map(self.operand, arguments)))
            case _:
                raise AssertionError(f"a condition is no value: {term}")

    def _inner(self, term: Term) -> RowCondition:
        assert isinstance(term, Condition)
        return self.condition(term)

    def _pattern(self, like: LikeUse) -> LikePattern:
        escape = like.escape.text if like.escape else None
        if like.escape and (len(like.escape.text) != 1 or like.escape.text in _WILD):
            hint = 'ESCAPE takes one character that is no wildcard, as in LIKE "100!%" ESCAPE "!"'
            self._problems.add(
                SYNTAX_CODE, like.escape.spot, f"{like.escape.text!r} cannot escape", hint
            )
            escape = None
        tokens: list[Token] = []
        characters = iter(like.pattern.text)
        for character in characters:
            if character != escape:
                tokens.append(_WILD.get(character, character))
                continue
            escaped = next(characters, "")
            if escaped not in (*_WILD, escape):
                hint = f"{escape} stands before %, _ or itself; to mean {escape}, write it twice"
                self._problems.add(
                    SYNTAX_CODE, like.pattern.spot, f"{escape} escapes nothing", hint
                )
            tokens.append(escaped)
        return LikePattern.of(tokens)
