"""From grammar rules to syntax: one method per rule of `exmlql.lark`, called as the rule ends. Nesting is watched here.

A closing tag repeats the name it closes or has none; a text without quotes is no reserved word and not `//`.
"""

from __future__ import annotations

from typing import Any

from tocsin.languages.exmlql.syntax import (
    AttributeMatch,
    Bind,
    BlockUse,
    ConditionItem,
    Construct,
    ContentText,
    Contexts,
    Element,
    Group,
    Mode,
    NamespaceLine,
    Operation,
    OutAttribute,
    PatternItem,
    Skolem,
    Subscription,
    Template,
    Timed,
    TimePart,
    XPathItem,
)
from tocsin.languages.parsing import Token
from tocsin.languages.texts import Spot, TooDeep, spot_of

RESERVED = frozenset(("WHERE", "CONSTRUCT", "CONTEXT", "ELEMENT_AS", "CONTENT_AS", "WITHIN", "XPATH", "NAMESPACE"))

Children = list[Any]


class Misplaced(Exception):
    """A token that the grammar allows and the language does not, with the way out."""

    def __init__(self, spot: Spot, message: str, hint: str) -> None:
        super().__init__(spot, message, hint)
        self.spot = spot
        self.message = message
        self.hint = hint


class Builder:
    """Callbacks of the parser. Holds only the limit, so one builder serves every text."""

    def __init__(self, nesting: int) -> None:
        self._nesting = nesting

    def start(self, children: Children) -> Subscription:
        return Subscription(
            _all(children, NamespaceLine),
            _all(children, PatternItem | XPathItem | ConditionItem),
            _first(children, TimePart),
            _first(children, Spot),
            _first(children, Mode),
            _first(children, Contexts),
            _first(children, Construct),
        )

    def namespace(self, children: Children) -> NamespaceLine:
        prefix, uri = children
        if ":" in prefix:
            raise Misplaced(spot_of(prefix), f"{prefix} is no prefix", "a prefix is a name without a colon")
        return NamespaceLine(spot_of(prefix), _unquoted(uri))

    def pattern_item(self, children: Children) -> PatternItem:
        return PatternItem(children[0], _first(children, Bind), _label(children))

    def xpath_item(self, children: Children) -> XPathItem:
        return XPathItem(_unquoted(children[1]), spot_of(children[1]), _first(children, Bind), _label(children))

    def condition(self, children: Children) -> ConditionItem:
        variable, relation, value = children
        if value.type == "VARIABLE":
            return ConditionItem(spot_of(variable), str(relation), None, spot_of(value))
        constant = _unquoted(value) if value.type == "STRING" else str(value)
        return ConditionItem(spot_of(variable), str(relation), constant, None)

    def pattern(self, children: Children) -> Element:
        tag, *rest = children
        _check_closing(tag, rest)
        inner = tuple(each for each in rest if isinstance(each, tuple))
        depth = 1 + max((element.depth for element, _ in inner), default=0)
        self._watch(depth, tag)
        return Element(tag, _all(rest, AttributeMatch), inner, _all(rest, Spot), _all(rest, ContentText), depth)

    def tag(self, children: Children) -> Spot:
        return spot_of(children[0])

    def attribute(self, children: Children) -> AttributeMatch:
        name, value = children
        if value.type == "VARIABLE":
            return AttributeMatch(spot_of(name), None, spot_of(value))
        return AttributeMatch(spot_of(name), _unquoted(value), None)

    def child(self, children: Children) -> tuple[Element, Bind | None]:
        return (children[0], _first(children, Bind))

    def content_variable(self, children: Children) -> Spot:
        return spot_of(children[0])

    def text(self, children: Children) -> ContentText:
        return _text(children[0])

    def bind(self, children: Children) -> Bind:
        how, variable = children
        return Bind(str(how), spot_of(variable))

    def timing(self, children: Children) -> TimePart:
        part: TimePart = children[0]
        return part

    def operator(self, children: Children) -> Operation:
        left, operator, right = children
        depth = 1 + max(_depth(left), _depth(right))
        self._watch(depth, spot_of(operator))
        return Operation(spot_of(operator), left, right, depth)

    def block(self, children: Children) -> BlockUse:
        return BlockUse(spot_of(children[0]))

    def group(self, children: Children) -> Group:
        opening, inner, *brackets = children
        self._watch(1 + _depth(inner), spot_of(opening))
        return Group(inner, tuple(brackets[0]) if brackets else (), spot_of(opening), 1 + _depth(inner))

    def timed(self, children: Children) -> Timed:
        opening, first, last, *rest = children
        bound = spot_of(last) if isinstance(last, Token) else last
        depths = [_depth(first), _depth(rest[-1]), 0 if isinstance(bound, Spot) else _depth(bound)]
        self._watch(1 + max(depths), spot_of(opening))
        return Timed(first, bound, rest[-1], len(rest) > 1, spot_of(opening), 1 + max(depths))

    def brackets(self, children: Children) -> list[Spot]:
        return [spot_of(each) for each in children]

    def within(self, children: Children) -> Spot:
        return spot_of(children[0])

    def mode(self, children: Children) -> Mode:
        operator, *targets = children
        return Mode(spot_of(operator), tuple(spot_of(each) for each in targets))

    def context(self, children: Children) -> Contexts:
        word, *names = children
        return Contexts(tuple(spot_of(each) for each in names), spot_of(word))

    def construct(self, children: Children) -> Construct:
        word, *templates = children
        return Construct(tuple(templates), spot_of(word))

    def template(self, children: Children) -> Template:
        name, *rest = children
        _check_closing(spot_of(name), rest)
        contents = tuple(
            _built(each) for each in rest if not isinstance(each, OutAttribute) and not _closes(each, rest)
        )
        depth = 1 + max((each.depth for each in contents if isinstance(each, Template)), default=0)
        self._watch(depth, spot_of(name))
        return Template(spot_of(name), _all(rest, OutAttribute), contents, depth)

    def output(self, children: Children) -> OutAttribute:
        name, value = children
        if isinstance(value, Skolem):
            return OutAttribute(spot_of(name), value)
        return OutAttribute(spot_of(name), spot_of(value) if value.type == "VARIABLE" else _unquoted(value))

    def skolem(self, children: Children) -> Skolem:
        name, _, *variables = children
        return Skolem(spot_of(name), tuple(spot_of(each) for each in variables))

    def _watch(self, depth: int, spot: Spot) -> None:
        if depth > self._nesting:
            raise TooDeep(spot.offset)


def _check_closing(tag: Spot, rest: Children) -> None:
    """The name of a closing tag, where it has one, is that of the opening tag."""
    last = rest[-1]
    if last.type == "NAME" and last != tag.text:
        raise Misplaced(
            spot_of(last),
            f"</{last}> closes <{tag.text}>",
            f"write </{tag.text}>, or </> to close the innermost element",
        )


def _closes(each: Any, rest: Children) -> bool:
    """Whether a token belongs to the closing tag."""
    return isinstance(each, Token) and (each.type == "CLOSE" or (each.type == "NAME" and each is rest[-1]))


def _built(each: Any) -> Template | Spot | ContentText:
    if isinstance(each, Template):
        return each
    return spot_of(each) if each.type == "VARIABLE" else _text(each)


def _text(token: Token) -> ContentText:
    if token.type == "STRING":
        return ContentText(_unquoted(token), spot_of(token))
    text = str(token).strip(" \t\r\n")
    first = text.split(maxsplit=1)[0]
    if first in RESERVED:
        raise Misplaced(
            Spot(spot_of(token).offset, first),
            f"{first} stands inside an element",
            f'close the elements before it with </>, or write "{first}" in quotes where it is a text',
        )
    if text.startswith("//"):
        raise Misplaced(
            Spot(spot_of(token).offset, "//"),
            "there is no descendant operator //",
            'write one <*> for each level between, or XPATH "//name"; a text that begins with // goes in quotes',
        )
    return ContentText(text, spot_of(token))


def _label(children: Children) -> Spot | None:
    last = children[-1]
    return spot_of(last) if isinstance(last, Token) and last.type == "BLOCK" else None


def _unquoted(token: Token) -> str:
    return str(token)[1:-1].replace('""', '"')


def _all(children: Children, kind: Any) -> tuple[Any, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def _first(children: Children, kind: Any) -> Any:
    return next((each for each in children if isinstance(each, kind)), None)


def _depth(part: TimePart) -> int:
    return 1 if isinstance(part, BlockUse) else part.depth
