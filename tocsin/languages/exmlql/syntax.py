"""Syntax tree of E-XML-QL, each name with its place. Its meaning is not checked.

`SYNTAX_CODE` is the code of a text that is not in the language, found by the grammar or later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias, assert_never

from tocsin.languages.base.texts import Extent, SourceSpan, enclose, extent_of

SYNTAX_CODE = "ExmlqlSyntaxError"


@dataclass(frozen=True, slots=True)
class NamespaceLine:
    """`NAMESPACE p = "uri"`."""

    prefix: SourceSpan
    uri: str


@dataclass(frozen=True, slots=True)
class Bind:
    """`ELEMENT_AS $v` or `CONTENT_AS $v`."""

    how: str
    variable: SourceSpan


@dataclass(frozen=True, slots=True)
class AttributeMatch:
    """`name = "text"` or `name = $v`; the name may be a variable, too.

    A variable begins with `$` and is not quoted.
    """

    name: SourceSpan
    text: str | None
    variable: SourceSpan | None


@dataclass(frozen=True, slots=True)
class ContentText:
    """A text between tags, in quotes or not."""

    text: str
    spot: SourceSpan


@dataclass(frozen=True, slots=True)
class PathStepName:
    """A step of a path: a name, `*` or `$`."""

    spot: SourceSpan

    @property
    def is_any(self) -> bool:
        """True if the step matches any name."""
        return self.spot.text in ("*", "$")


@dataclass(frozen=True, slots=True)
class PathParts:
    """Parts of a path one after the other (`.`), or one of them (`|`)."""

    operator: str
    parts: tuple[PathUse, ...]


@dataclass(frozen=True, slots=True)
class PathMark:
    """A part of a path followed by `*`, `+` or `?`."""

    part: PathUse
    mark: str


PathUse: TypeAlias = PathStepName | PathParts | PathMark


@dataclass(frozen=True, slots=True)
class Tag:
    """Tag of a pattern element: a variable, or a path, usually of one name. `spot` has all of its
    text.
    """

    spot: SourceSpan
    path: PathUse | None

    @property
    def variable(self) -> SourceSpan | None:
        """The variable that is bound to the name; None if the tag is a path."""
        return self.spot if self.path is None else None


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a pattern. `closing` is the last token before the sign that ends it."""

    tag: Tag
    attributes: tuple[AttributeMatch, ...]
    children: tuple[tuple[Element, Bind | None], ...]
    variables: tuple[SourceSpan, ...]
    texts: tuple[ContentText, ...]
    depth: int
    closing: SourceSpan = field(compare=False)


@dataclass(frozen=True, slots=True)
class SourceUse:
    """`IN $v`, or `IN "name"`."""

    spot: SourceSpan

    @property
    def variable(self) -> SourceSpan | None:
        """The variable whose value the pattern searches; None for a document."""
        return self.spot if self.spot.text.startswith("$") else None

    @property
    def document(self) -> str:
        """The name of the document."""
        return self.spot.text[1:-1].replace('""', '"')


@dataclass(frozen=True, slots=True)
class PatternItem:
    """A pattern in WHERE: of an event, which may have a label, or of a source."""

    element: Element
    bind: Bind | None
    label: SourceSpan | None
    source: SourceUse | None = None


@dataclass(frozen=True, slots=True)
class XPathItem:
    """`XPATH "..."` in WHERE."""

    expression: str
    spot: SourceSpan
    bind: Bind | None
    label: SourceSpan | None


@dataclass(frozen=True, slots=True)
class ConstantUse:
    """A text or a number in a condition."""

    text: str
    spot: SourceSpan
    depth: int = 1


@dataclass(frozen=True, slots=True)
class VariableUse:
    """A variable in a condition or in the arguments of a function."""

    spot: SourceSpan
    depth: int = 1


@dataclass(frozen=True, slots=True)
class CallUse:
    """A function, an arithmetic operator or a Skolem term with its arguments."""

    function: SourceSpan
    arguments: tuple[Term, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class ExmlqlComparison:
    """Two values with a comparison between them."""

    left: Term
    relation: str
    right: Term
    depth: int


@dataclass(frozen=True, slots=True)
class LikeUse:
    """`value [NOT] LIKE "pattern" [ESCAPE "c"]`."""

    value: Term
    pattern: ContentText
    escape: ContentText | None
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class AmongUse:
    """`value [NOT] IN (value, ...)`."""

    value: Term
    among: tuple[Term, ...]
    negated: bool
    depth: int


@dataclass(frozen=True, slots=True)
class Junction:
    """`NOT` with one condition, `AND` and `OR` with two or more."""

    word: str
    parts: tuple[Term, ...]
    depth: int


Condition: TypeAlias = ExmlqlComparison | LikeUse | AmongUse | Junction
Term: TypeAlias = ConstantUse | VariableUse | CallUse | Condition


@dataclass(frozen=True, slots=True)
class ConditionItem:
    """A value condition in WHERE."""

    condition: Condition


Item: TypeAlias = PatternItem | XPathItem | ConditionItem


@dataclass(frozen=True, slots=True)
class OrderUse:
    """A variable of ORDER-BY."""

    variable: SourceSpan
    descending: bool


@dataclass(frozen=True, slots=True)
class OrderBy:
    """`ORDER-BY $a, $b DESCENDING`."""

    keys: tuple[OrderUse, ...]
    spot: SourceSpan


@dataclass(frozen=True, slots=True)
class BlockUse:
    """A block variable in a time clause."""

    spot: SourceSpan


@dataclass(frozen=True, slots=True)
class Operation:
    """`;`, `:`, `||` or `|` between two parts."""

    operator: SourceSpan
    left: TimePart
    right: TimePart
    depth: int


@dataclass(frozen=True, slots=True)
class PartGroup:
    """A part in parentheses, with its own contexts."""

    inner: TimePart
    contexts: tuple[SourceSpan, ...]
    spot: SourceSpan
    depth: int


@dataclass(frozen=True, slots=True)
class WindowedPart:
    """`(L _|_ R) M`: M between L and R, or within a duration after L; `absent` negates M."""

    first: TimePart
    last: TimePart | SourceSpan
    middle: TimePart
    absent: bool
    spot: SourceSpan
    depth: int


TimePart: TypeAlias = BlockUse | Operation | PartGroup | WindowedPart


@dataclass(frozen=True, slots=True)
class Mode:
    """`~>` or `=>`, in any spelling, with its targets."""

    operator: SourceSpan
    targets: tuple[SourceSpan, ...]
    kind: str


@dataclass(frozen=True, slots=True)
class OutAttribute:
    """An attribute of a template: a text, a variable, a Skolem term or a value.

    The name may be a variable.
    """

    name: SourceSpan
    value: str | SourceSpan | CallUse | ConstantUse | VariableUse


@dataclass(frozen=True, slots=True)
class Nested:
    """`WHERE ... CONSTRUCT ...` inside a template; `levels` is the nesting depth of queries."""

    spot: SourceSpan
    items: tuple[Item, ...]
    order: OrderBy | None
    content: Built
    depth: int
    levels: int

    @property
    def patterns(self) -> tuple[PatternItem, ...]:
        """The patterns of its WHERE."""
        return tuple(each for each in self.items if isinstance(each, PatternItem))

    @property
    def conditions(self) -> tuple[ConditionItem, ...]:
        """The conditions of its WHERE."""
        return tuple(each for each in self.items if isinstance(each, ConditionItem))


@dataclass(frozen=True, slots=True)
class Template:
    """An element of CONSTRUCT; contents are templates, variables, texts, values and queries in
    order.
    """

    name: SourceSpan
    attributes: tuple[OutAttribute, ...]
    contents: tuple[Built, ...]
    depth: int


Built: TypeAlias = (
    Template | SourceSpan | ContentText | CallUse | ConstantUse | VariableUse | Nested
)


@dataclass(frozen=True, slots=True)
class Contexts:
    """`CONTEXT a, b`."""

    names: tuple[SourceSpan, ...]
    spot: SourceSpan


@dataclass(frozen=True, slots=True)
class ConstructClause:
    """`CONSTRUCT` with its templates."""

    templates: tuple[Template, ...]
    spot: SourceSpan


@dataclass(frozen=True, slots=True)
class ExmlqlSubscription:
    """A whole text."""

    namespaces: tuple[NamespaceLine, ...]
    items: tuple[Item, ...]
    time: TimePart | None
    within: SourceSpan | None
    mode: Mode | None
    contexts: Contexts | None
    order: OrderBy | None
    construct: ConstructClause | None

    @property
    def patterns(self) -> tuple[PatternItem | XPathItem, ...]:
        """The patterns of WHERE."""
        return tuple(each for each in self.items if not isinstance(each, ConditionItem))

    @property
    def blocks(self) -> tuple[PatternItem | XPathItem, ...]:
        """The patterns of WHERE that are about events."""
        return tuple(
            each for each in self.patterns if isinstance(each, XPathItem) or each.source is None
        )

    @property
    def sourced(self) -> tuple[PatternItem, ...]:
        """The patterns of WHERE in a variable or a document."""
        return tuple(
            each
            for each in self.patterns
            if isinstance(each, PatternItem) and each.source is not None
        )

    @property
    def conditions(self) -> tuple[ConditionItem, ...]:
        """The value conditions of WHERE."""
        return tuple(each for each in self.items if isinstance(each, ConditionItem))

    @property
    def has_operator(self) -> bool:
        """True if the time clause has a temporal operator."""
        return self.time is not None and not isinstance(_bare(self.time), BlockUse)


def uses_of(part: TimePart) -> Iterator[SourceSpan]:
    """Yield the block variables of a time clause, from left to right."""
    match part:
        case BlockUse(spot):
            yield spot
        case Operation(_, left, right):
            yield from uses_of(left)
            yield from uses_of(right)
        case PartGroup(inner):
            yield from uses_of(inner)
        case WindowedPart(first, last, middle):
            yield from uses_of(first)
            if not isinstance(last, SourceSpan):
                yield from uses_of(last)
            yield from uses_of(middle)
        case _:
            assert_never(part)


def extent(part: TimePart) -> Extent:
    """Return the extent of a part of a time clause without the brackets at its ends."""
    match part:
        case BlockUse(spot):
            return extent_of(spot)
        case Operation(_, left, right):
            return enclose(extent(left), extent(right))
        case PartGroup(inner, contexts, spot):
            return enclose(extent_of(spot), extent(inner), *map(extent_of, contexts))
        case WindowedPart(middle=middle, spot=spot):
            return enclose(extent_of(spot), extent(middle))
        case _:
            assert_never(part)


def variables_in(term: Term) -> Iterator[SourceSpan]:
    """Yield the variables of a condition or value, from left to right."""
    match term:
        case ConstantUse():
            pass
        case VariableUse(spot):
            yield spot
        case CallUse(_, arguments):
            for each in arguments:
                yield from variables_in(each)
        case ExmlqlComparison(left, _, right):
            yield from variables_in(left)
            yield from variables_in(right)
        case LikeUse(value):
            yield from variables_in(value)
        case AmongUse(value, among):
            for each in (value, *among):
                yield from variables_in(each)
        case Junction(_, parts):
            for each in parts:
                yield from variables_in(each)
        case _:
            assert_never(term)


def terms_in(term: Term) -> int:
    """Return the number of operands, functions and conditions in a term, itself included."""
    match term:
        case ConstantUse() | VariableUse():
            return 1
        case CallUse(_, inner) | Junction(_, inner):
            return 1 + sum(map(terms_in, inner))
        case ExmlqlComparison(left, _, right):
            return 1 + terms_in(left) + terms_in(right)
        case LikeUse(value):
            return 1 + terms_in(value)
        case AmongUse(value, among):
            return 1 + terms_in(value) + sum(map(terms_in, among))
        case _:
            assert_never(term)


def path_names(path: PathUse) -> Iterator[PathStepName]:
    """Yield the steps of a path, from left to right."""
    match path:
        case PathStepName():
            yield path
        case PathParts(_, parts):
            for part in parts:
                yield from path_names(part)
        case PathMark(part):
            yield from path_names(part)
        case _:
            assert_never(path)


def _bare(part: TimePart) -> TimePart:
    while isinstance(part, PartGroup):
        part = part.inner
    return part
