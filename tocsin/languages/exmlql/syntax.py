"""The syntax of E-XML-QL: what a text says, each name with the place where it stands. Meaning is not looked at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from tocsin.languages.texts import Spot


@dataclass(frozen=True, slots=True)
class NamespaceLine:
    """`NAMESPACE p = "uri"`."""

    prefix: Spot
    uri: str


@dataclass(frozen=True, slots=True)
class Bind:
    """`ELEMENT_AS $v` or `CONTENT_AS $v`."""

    how: str
    variable: Spot


@dataclass(frozen=True, slots=True)
class AttributeMatch:
    """`name = "text"` or `name = $v`; a variable begins with `$` and is not quoted."""

    name: Spot
    text: str | None
    variable: Spot | None


@dataclass(frozen=True, slots=True)
class ContentText:
    """A text between tags, in quotes or not."""

    text: str
    spot: Spot


@dataclass(frozen=True, slots=True)
class Element:
    """An element of a pattern; the tag is a name, `*`, `$` or a variable."""

    tag: Spot
    attributes: tuple[AttributeMatch, ...]
    children: tuple[tuple[Element, Bind | None], ...]
    variables: tuple[Spot, ...]
    texts: tuple[ContentText, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class PatternItem:
    """A pattern in WHERE."""

    element: Element
    bind: Bind | None
    label: Spot | None


@dataclass(frozen=True, slots=True)
class XPathItem:
    """`XPATH "..."` in WHERE."""

    expression: str
    spot: Spot
    bind: Bind | None
    label: Spot | None


@dataclass(frozen=True, slots=True)
class ConditionItem:
    """A value condition in WHERE: the value is a variable, or a constant as text."""

    variable: Spot
    relation: str
    constant: str | None
    other: Spot | None


Item: TypeAlias = PatternItem | XPathItem | ConditionItem


@dataclass(frozen=True, slots=True)
class BlockUse:
    """A block variable in a time clause."""

    spot: Spot


@dataclass(frozen=True, slots=True)
class Operation:
    """`;`, `:`, `||` or `|` between two parts."""

    operator: Spot
    left: TimePart
    right: TimePart
    depth: int


@dataclass(frozen=True, slots=True)
class Group:
    """A part in parentheses, with its own contexts."""

    inner: TimePart
    contexts: tuple[Spot, ...]
    spot: Spot
    depth: int


@dataclass(frozen=True, slots=True)
class Timed:
    """`(L _|_ R) M`: M between L and R, or within a duration after L; where `absent`, there is no M there."""

    first: TimePart
    last: TimePart | Spot
    middle: TimePart
    absent: bool
    spot: Spot
    depth: int


TimePart: TypeAlias = BlockUse | Operation | Group | Timed


@dataclass(frozen=True, slots=True)
class Mode:
    """`~>` or `=>` with its targets."""

    operator: Spot
    targets: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class Skolem:
    """`Name($a, $b)` as the value of an attribute."""

    function: Spot
    variables: tuple[Spot, ...]


@dataclass(frozen=True, slots=True)
class OutAttribute:
    """An attribute of a template: a text, a variable or a Skolem term."""

    name: Spot
    value: str | Spot | Skolem


@dataclass(frozen=True, slots=True)
class Template:
    """An element of CONSTRUCT; contents are templates, variables and texts in order."""

    name: Spot
    attributes: tuple[OutAttribute, ...]
    contents: tuple[Template | Spot | ContentText, ...]
    depth: int


@dataclass(frozen=True, slots=True)
class Contexts:
    """`CONTEXT a, b`."""

    names: tuple[Spot, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Construct:
    """`CONSTRUCT` with its templates."""

    templates: tuple[Template, ...]
    spot: Spot


@dataclass(frozen=True, slots=True)
class Subscription:
    """A whole text."""

    namespaces: tuple[NamespaceLine, ...]
    items: tuple[Item, ...]
    time: TimePart | None
    within: Spot | None
    mode: Mode | None
    contexts: Contexts | None
    construct: Construct | None

    @property
    def blocks(self) -> tuple[PatternItem | XPathItem, ...]:
        """The patterns of WHERE."""
        return tuple(each for each in self.items if not isinstance(each, ConditionItem))

    @property
    def conditions(self) -> tuple[ConditionItem, ...]:
        """The value conditions of WHERE."""
        return tuple(each for each in self.items if isinstance(each, ConditionItem))

    @property
    def has_operator(self) -> bool:
        """Whether a temporal operator stands in the time clause."""
        return self.time is not None and not isinstance(_bare(self.time), BlockUse)


def uses_of(part: TimePart) -> Iterator[Spot]:
    """The block variables of a time clause, from left to right."""
    match part:
        case BlockUse(spot):
            yield spot
        case Operation(_, left, right):
            yield from uses_of(left)
            yield from uses_of(right)
        case Group(inner):
            yield from uses_of(inner)
        case Timed(first, last, middle):
            yield from uses_of(first)
            if not isinstance(last, Spot):
                yield from uses_of(last)
            yield from uses_of(middle)
        case _:
            assert_never(part)


def _bare(part: TimePart) -> TimePart:
    while isinstance(part, Group):
        part = part.inner
    return part
