"""Grammar rules to syntax tree: one method per rule of `grammar.lark`, called as the rule ends.
Limits are checked here.

A closing tag repeats the name it closes or has none; a text without quotes is neither a reserved
word nor `//`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tocsin.languages.base.grammar import Children
from tocsin.languages.base.parsing import Token
from tocsin.languages.base.texts import SourceSpan, spot_of
from tocsin.languages.exmlql.syntax import (
    AttributeMatch,
    Bind,
    BlockUse,
    Built,
    CallUse,
    ConditionItem,
    ConstructClause,
    ContentText,
    Contexts,
    Element,
    ExmlqlSubscription,
    Mode,
    NamespaceLine,
    Nested,
    Operation,
    OrderBy,
    OrderUse,
    OutAttribute,
    PartGroup,
    PathMark,
    PathParts,
    PathStepName,
    PathUse,
    PatternItem,
    SourceUse,
    Tag,
    Template,
    TimePart,
    WindowedPart,
    XPathItem,
    path_names,
)
from tocsin.languages.exmlql.term_transformer import (
    ExmlqlLimits,
    Misplaced,
    TermTransformer,
    TooMany,
    is_function,
    require_xml,
    unknown_function,
    unquote,
)
from tocsin.plan.xml.row_evaluation import FUNCTION_NAMES

RESERVED = frozenset(
    (
        *(
            "WHERE",
            "CONSTRUCT",
            "CONTEXT",
            "ELEMENT_AS",
            "CONTENT_AS",
            "WITHIN",
            "XPATH",
            "NAMESPACE",
        ),
        *("ORDER-BY", "ORDERED-BY"),
    )
)
_SIGNS = {"‖": "||", "∥": "||", "∇": "|", "▽": "|", "∨": "|", "；": ";", "：": ":"}
"""Signs of the paper for operators, and their spelling here."""

_CALLED = re.compile(rf"\b({'|'.join(FUNCTION_NAMES)})\s*\(")
_BLANKS = re.compile(r"\s+")


class ExmlqlTransformer(TermTransformer):
    """Callbacks of the parser. Its only state is the limits, so one serves every text."""

    def __init__(self, limits: ExmlqlLimits) -> None:
        super().__init__(limits.nesting)
        self._limits = limits

    def start(self, children: Children) -> ExmlqlSubscription:
        return ExmlqlSubscription(
            _all(children, NamespaceLine),
            _all(children, PatternItem | XPathItem | ConditionItem),
            _first(children, TimePart),
            _first(children, SourceSpan),
            _first(children, Mode),
            _first(children, Contexts),
            _first(children, OrderBy),
            _first(children, ConstructClause),
        )

    def namespace(self, children: Children) -> NamespaceLine:
        prefix, uri = children
        if ":" in prefix:
            raise Misplaced(
                spot_of(prefix), f"{prefix} is no prefix", "a prefix is a name without a colon"
            )
        return NamespaceLine(spot_of(prefix), unquote(uri))

    def pattern_item(self, children: Children) -> PatternItem:
        return PatternItem(
            children[0], _first(children, Bind), _label(children), _first(children, SourceUse)
        )

    def source(self, children: Children) -> SourceUse:
        return SourceUse(spot_of(children[0]))

    def xpath_item(self, children: Children) -> XPathItem:
        return XPathItem(
            unquote(children[1]), spot_of(children[1]), _first(children, Bind), _label(children)
        )

    def pattern(self, children: Children) -> Element:
        tag, *rest = children
        _check_closing(tag.spot, rest)
        inner = tuple(each for each in rest if isinstance(each, tuple))
        depth = 1 + max((element.depth for element, _ in inner), default=0)
        self._watch(depth, tag.spot)
        texts = _all(rest, ContentText)
        _refuse_call(texts)
        attributes, variables = _all(rest, AttributeMatch), _all(rest, SourceSpan)
        return Element(tag, attributes, inner, variables, texts, depth, spot_of(rest[-1]))

    def tag(self, children: Children) -> Tag:
        (given,) = children
        if isinstance(given, Token):
            return Tag(spot_of(given), None)
        steps = list(path_names(given))
        if len(steps) > self._limits.steps:
            raise TooMany(steps[self._limits.steps].spot, *_too_many_steps(self._limits.steps))
        return Tag(SourceSpan(steps[0].spot.offset, _path_text(given)), given)

    def path_choice(self, children: Children) -> PathParts:
        left, _, right = children
        return self._short(_parts("|", left, right))

    def path_sequence(self, children: Children) -> PathParts:
        left, right = children
        return self._short(_parts(".", left, right))

    def _short(self, path: PathParts) -> PathParts:
        """Return the path; raise TooMany if one level of it has too many steps, before it grows."""
        if len(path.parts) > self._limits.steps:
            last = next(path_names(path.parts[-1]))
            raise TooMany(last.spot, *_too_many_steps(self._limits.steps))
        return path

    def path_repeat(self, children: Children) -> PathMark:
        part, mark = children
        self._watch(_path_depth(part) + 1, SourceSpan(mark.start_pos or 0, str(mark)))
        return PathMark(part, str(mark))

    def path_step(self, children: Children) -> PathStepName:
        return PathStepName(spot_of(children[0]))

    def path_group(self, children: Children) -> PathUse:
        opening, inner = children
        self._watch(_path_depth(inner) + 1, spot_of(opening))
        path: PathUse = inner
        return path

    def attribute(self, children: Children) -> AttributeMatch:
        name, value = children
        if value.type == "VARIABLE":
            return AttributeMatch(spot_of(name), None, spot_of(value))
        return AttributeMatch(spot_of(name), unquote(value), None)

    def child(self, children: Children) -> tuple[Element, Bind | None]:
        return (children[0], _first(children, Bind))

    def content_variable(self, children: Children) -> SourceSpan:
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
        sign = str(operator)
        return Operation(
            SourceSpan(spot_of(operator).offset, _SIGNS.get(sign, sign)), left, right, depth
        )

    def block(self, children: Children) -> BlockUse:
        return BlockUse(spot_of(children[0]))

    def group(self, children: Children) -> PartGroup:
        opening, inner, *brackets = children
        self._watch(1 + _depth(inner), spot_of(opening))
        return PartGroup(
            inner, tuple(brackets[0]) if brackets else (), spot_of(opening), 1 + _depth(inner)
        )

    def timed(self, children: Children) -> WindowedPart:
        opening, first, last, *rest = children
        bound = spot_of(last) if isinstance(last, Token) else last
        depths = [
            _depth(first),
            _depth(rest[-1]),
            0 if isinstance(bound, SourceSpan) else _depth(bound),
        ]
        self._watch(1 + max(depths), spot_of(opening))
        return WindowedPart(
            first, bound, rest[-1], len(rest) > 1, spot_of(opening), 1 + max(depths)
        )

    def brackets(self, children: Children) -> list[SourceSpan]:
        return [spot_of(each) for each in children]

    def within(self, children: Children) -> SourceSpan:
        return spot_of(children[0])

    def mode(self, children: Children) -> Mode:
        operator, *targets = children
        kind = "~>" if operator.type == "TRIGGER" else "=>"
        return Mode(spot_of(operator), tuple(spot_of(each) for each in targets), kind)

    def context(self, children: Children) -> Contexts:
        word, *names = children
        return Contexts(tuple(spot_of(each) for each in names), spot_of(word))

    def order(self, children: Children) -> OrderBy:
        word, *keys = children
        return OrderBy(tuple(keys), spot_of(word))

    def order_key(self, children: Children) -> OrderUse:
        return OrderUse(spot_of(children[0]), len(children) > 1)

    def construct(self, children: Children) -> ConstructClause:
        word, *templates = children
        return ConstructClause(tuple(templates), spot_of(word))

    def template(self, children: Children) -> Template:
        name, *rest = children
        _check_closing(spot_of(name), rest)
        contents = tuple(
            _built(each)
            for each in rest
            if not isinstance(each, OutAttribute) and not _closes(each)
        )
        depth = 1 + max(map(_built_depth, contents), default=0)
        self._watch(depth, spot_of(name))
        return Template(spot_of(name), _all(rest, OutAttribute), contents, depth)

    def output(self, children: Children) -> OutAttribute:
        name, value = children
        if not isinstance(value, Token):
            return OutAttribute(spot_of(name), value)
        return OutAttribute(
            spot_of(name), spot_of(value) if value.type == "VARIABLE" else unquote(value)
        )

    def nested(self, children: Children) -> Nested:
        word, *rest, _, result = children
        items = _all(rest, PatternItem | XPathItem | ConditionItem)
        content = _built(result)
        levels, depth = 1 + _levels(content), 1 + _built_depth(content)
        if levels > self._limits.queries:
            raise TooMany(
                spot_of(word),
                f"more than {self._limits.queries} queries stand inside of each other",
                "build the inner part with a subscription of its own: what is built is an event"
                " again",
            )
        self._watch(depth, spot_of(word))
        return Nested(spot_of(word), items, _first(rest, OrderBy), content, depth, levels)


def _check_closing(tag: SourceSpan, rest: Children) -> None:
    """Raise if a closing tag has a name other than that of the opening tag."""
    last = rest[-1]
    if last.type == "CLOSING_TAG" and _BLANKS.sub("", last) != tag.text:
        raise Misplaced(
            SourceSpan(spot_of(last).offset, str(last).strip()),
            f"</{str(last).strip()}> closes <{tag.text}>",
            f"write </{tag.text}>, or </> to close the innermost element",
        )


def _closes(each: Any) -> bool:
    """True if a token belongs to the closing tag."""
    return isinstance(each, Token) and each.type in ("CLOSE", "CLOSING_TAG")


def _built(each: Any) -> Built:
    if not isinstance(each, Token):
        built: Built = each
        if isinstance(each, CallUse) and not is_function(each):
            raise unknown_function(each.function)
        return built
    if each.type == "VARIABLE":
        return spot_of(each)
    text = _text(each)
    called = _CALLED.search(text.text) if each.type == "TEXT" else None
    if called:
        raise Misplaced(
            SourceSpan(spot_of(each).offset + called.start(), called[0]),
            f"{called[1]} stands in the middle of a text",
            f'put the text before it in double quotes, as in "Total: " {called[1]}(...), or all'
            " of it",
        )
    return text


def _built_depth(content: Built) -> int:
    return 1 if isinstance(content, SourceSpan | ContentText) else content.depth


def _levels(content: Built) -> int:
    match content:
        case Nested():
            return content.levels
        case Template():
            return max(map(_levels, content.contents), default=0)
        case _:
            return 0


def _parts(operator: str, left: PathUse, right: PathUse) -> PathParts:
    before = left.parts if isinstance(left, PathParts) and left.operator == operator else (left,)
    return PathParts(operator, (*before, right))


def _path_depth(path: PathUse) -> int:
    match path:
        case PathStepName():
            return 1
        case PathParts(_, parts):
            return 1 + max(map(_path_depth, parts))
        case PathMark(part):
            return 1 + _path_depth(part)


def _too_many_steps(limit: int) -> tuple[str, str]:
    """Return message and hint for a path that is too long."""
    hint = "say the levels between with $*, or split the subscription"
    return f"a path has more than {limit} steps", hint


def _path_text(path: PathUse, binding: int = 0) -> str:
    """Return the path as text; `binding` is the operator strength of its surroundings, for
    parentheses.
    """
    match path:
        case PathStepName(spot):
            return spot.text
        case PathParts(operator, parts):
            own = 1 if operator == "." else 0
            text = operator.join(_path_text(part, own) for part in parts)
            return f"({text})" if binding > own else text
        case PathMark(part, mark):
            return _path_text(part, 2) + mark


def _refuse_call(texts: Sequence[ContentText]) -> None:
    """Raise for a function in a pattern: a pattern computes nothing."""
    called = (
        re.fullmatch(rf"({'|'.join(FUNCTION_NAMES)})\s*\(", texts[0].text)
        if len(texts) > 1
        else None
    )
    if called:
        raise Misplaced(
            texts[0].spot,
            f"{called[1]} is a function, and a pattern only says what is there",
            f"bind the content, and say the rest in a condition: <a>$x</>, {called[1]}($x) = ...",
        )


def _text(token: Token) -> ContentText:
    if token.type == "STRING":
        return ContentText(unquote(token), spot_of(token))
    text = str(token).strip(" \t\r\n")
    first = text.split(maxsplit=1)[0]
    if first in RESERVED:
        raise Misplaced(
            SourceSpan(spot_of(token).offset, first),
            f"{first} stands inside an element",
            f'close the elements before it with </>, or write "{first}" in quotes where it is a'
            " text",
        )
    if text.startswith("//"):
        raise Misplaced(
            SourceSpan(spot_of(token).offset, "//"),
            "there is no descendant operator //",
            'write a path such as <a.$*.b>, or XPATH "//name"; a text that begins with // goes in'
            " quotes",
        )
    return ContentText(require_xml(text, spot_of(token)), spot_of(token))


def _label(children: Children) -> SourceSpan | None:
    last = children[-1]
    return spot_of(last) if isinstance(last, Token) and last.type == "BLOCK" else None


def _all(children: Children, kind: Any) -> tuple[Any, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def _first(children: Children, kind: Any) -> Any:
    return next((each for each in children if isinstance(each, kind)), None)


def _depth(part: TimePart) -> int:
    return 1 if isinstance(part, BlockUse) else part.depth
