"""E-XML-QL text of blocks, row conditions and templates, which is read back as the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from typing import assert_never

from tocsin.plan.xml.construction import (
    AttributeValue,
    Construct,
    NestedQuery,
    OutputAttribute,
    OutputText,
    OutputValue,
    SkolemTerm,
    TemplateContent,
    TemplateElement,
    queries_in,
)
from tocsin.plan.xml.paths import path_text, steps_of
from tocsin.plan.xml.row_evaluation import ARITHMETIC, IF
from tocsin.plan.xml.row_terms import (
    ChoiceValue,
    ComparedValues,
    FunctionValue,
    Operand,
    OrderKey,
    RowAll,
    RowAny,
    RowCondition,
    RowNot,
    TextValue,
    ValueAmong,
    ValueCondition,
    ValueLike,
    VariableValue,
)
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    InDocument,
    InEvent,
    InVariable,
    Pattern,
    PatternElement,
    Source,
    SourcedPattern,
    VariableBinding,
    XmlBlock,
    XPathPattern,
    elements_of,
)
from tocsin.values.like import LikePattern

# Conditions and values of rows.

_ESCAPES = "!~^\\|"


def condition_text(condition: RowCondition) -> str:
    """Return the condition; a constant is quoted and still compares as a number."""
    match condition:
        case ValueCondition(variable, relation, constant, other):
            return f"{variable} {relation} {other if constant is None else quote_text(constant)}"
        case ComparedValues(left, relation, right):
            return f"{operand_text(left)} {relation} {operand_text(right)}"
        case ValueLike(operand, pattern):
            return f"{operand_text(operand)} LIKE {_like_text(pattern)}"
        case ValueAmong(operand, values):
            return f"{operand_text(operand)} IN ({', '.join(map(operand_text, values))})"
        case RowNot(inner):
            return f"NOT {_inner_text(inner)}"
        case RowAll(conditions):
            return " AND ".join(map(_inner_text, conditions))
        case RowAny(conditions):
            return " OR ".join(map(_inner_text, conditions))
        case _:
            assert_never(condition)


def operand_text(operand: Operand) -> str:
    """Return a value; arithmetic gets parentheses."""
    match operand:
        case TextValue(text):
            return quote_text(text)
        case VariableValue(variable):
            return variable
        case FunctionValue(operator, (inner,)) if operator in ARITHMETIC:
            return f"({operator}{operand_text(inner)})"
        case FunctionValue(operator, (left, right)) if operator in ARITHMETIC:
            return f"({operand_text(left)} {operator} {operand_text(right)})"
        case FunctionValue(function, arguments):
            return f"{function}({', '.join(map(operand_text, arguments))})"
        case ChoiceValue(condition, then, otherwise):
            return (
                f"{IF}({condition_text(condition)}, {operand_text(then)},"
                f" {operand_text(otherwise)})"
            )
        case _:
            assert_never(operand)


def order_text(key: OrderKey) -> str:
    """Return a key of ORDER-BY."""
    return f"{key.variable} DESCENDING" if key.descending else key.variable


def quote_text(text: str) -> str:
    """Return the text in double quotes."""
    return '"' + text.replace('"', '""') + '"'


def _inner_text(condition: RowCondition) -> str:
    text = condition_text(condition)
    return f"({text})" if isinstance(condition, RowAll | RowAny) else text


def _like_text(pattern: LikePattern) -> str:
    if not pattern.needs_escape():
        return quote_text(pattern.text(escape=""))
    used = "".join(pattern.literals())
    escape = next((char for char in _ESCAPES if char not in used), _ESCAPES[0])
    return f"{quote_text(pattern.text(escape))} ESCAPE {quote_text(escape)}"


_WORDS = re.compile(r"[a-z0-9]\w*(?: [a-z0-9]\w*)*")
"""Texts that are unambiguous without quotes; words in capitals may be reserved."""

_AS = {BoundTo.ELEMENT: "ELEMENT_AS", BoundTo.CONTENT: "CONTENT_AS"}


def block_text(block: XmlBlock) -> str:
    """Return the block as a subscription of its own."""
    spaces = Spaces(block.patterns)
    items = [spaces.pattern(pattern) for pattern in block.patterns]
    items += [condition_text(condition) for condition in block.conditions]
    return " ".join((*spaces.prolog(), "WHERE", ", ".join(items)))


def _event_text(event: InEvent) -> str:
    """Return the label of an event."""
    return f" {event.name}" if event.name else ""


class Spaces:
    """Namespaces of patterns with a prefix for each: those given, those of XPath, else n1, n2 and
    so on.
    """

    def __init__(
        self,
        patterns: Iterable[Pattern],
        given: Mapping[str, str] | None = None,
        *,
        bare: bool = False,
        event_text: Callable[[InEvent], str] = _event_text,
    ) -> None:
        """With `bare`, plain words are written without quotes; `event_text` writes the label of an
        event.
        """
        self._bare = bare
        self._event_text = event_text
        self._prefixes: dict[str, str] = dict(given or {})
        self._kept = list(patterns)
        for pattern in self._kept:
            if isinstance(pattern, XPathPattern):
                self._prefixes |= {uri: prefix for prefix, uri in pattern.namespaces}
        for uri in (uri for pattern in self._kept for uri in _uris(pattern)):
            self._prefixes.setdefault(uri, self._new_prefix())

    def prolog(self) -> list[str]:
        """Return the lines that declare the prefixes."""
        return [f"NAMESPACE {prefix} = {quote_text(uri)}" for uri, prefix in self._prefixes.items()]

    def pattern(self, pattern: Pattern) -> str:
        """Return a pattern as it is written."""
        match pattern:
            case PatternElement():
                return self._element(pattern)
            case SourcedPattern(inner, source):
                return self._element(inner) + self._source(source)
            case XPathPattern(expression, _, bindings):
                return " ".join((f"XPATH {quote_text(expression)}", *_bound(bindings[:1])))
            case _:
                assert_never(pattern)

    def constant(self, text: str) -> str:
        """Return a text between tags."""
        return text if self._bare and _WORDS.fullmatch(text) else quote_text(text)

    def _source(self, source: Source) -> str:
        """Return the text behind a pattern with a source other than the only event."""
        match source:
            case InVariable(variable):
                return f" IN {variable}"
            case InDocument(name):
                return f" IN {quote_text(name)}"
            case InEvent():
                return self._event_text(source)
            case _:
                assert_never(source)

    def _new_prefix(self) -> str:
        taken = set(self._prefixes.values())
        return next(name for number in count(1) if (name := f"n{number}") not in taken)

    def _element(self, element: PatternElement) -> str:
        """Return an element with variables of its content inside.

        Behind the element there is room for one variable bound to the element.
        """
        named = [each.variable for each in element.bindings if each.what is BoundTo.NAME]
        content = [each.variable for each in element.bindings if each.what is BoundTo.CONTENT]
        whole = [each for each in element.bindings if each.what is BoundTo.ELEMENT]
        tag = named[0] if named else self.tag(element)
        attributes = "".join(map(self._attribute, element.attributes))
        inside = ([] if element.text is None else [self.constant(element.text)]) + content
        inside += [self._child(child) for child in element.children]
        return " ".join((f"<{tag}{attributes}>{''.join(inside)}</>", *_bound(tuple(whole))))

    def tag(self, element: PatternElement) -> str:
        """Return the name or path of an element."""
        if element.path is not None:
            return path_text(element.path, self._step)
        return "$" if element.name is None else self._step(element.name)

    def _step(self, name: str) -> str:
        """Return a name in a path, in backticks if it has a dot, which would separate steps."""
        text = self._name(name)
        return f"`{text}`" if "." in text else text

    def _attribute(self, test: AttributeTest) -> str:
        name = test.name_variable if test.name is None else self._name(test.name)
        return f" {name}={test.variable if test.value is None else quote_text(test.value)}"

    def _child(self, child: PatternElement) -> str:
        levels = child.rel - 1
        return f"{'<*>' * levels}{self._element(child)}{'</>' * levels} "

    def _name(self, name: str) -> str:
        uri, _, local = name.rpartition("}")
        return f"{self._prefixes[uri[1:]]}:{local}" if uri else local


def _uris(pattern: Pattern) -> Iterator[str]:
    """Yield the namespaces of the names in a pattern, from left to right."""
    inner = pattern.pattern if isinstance(pattern, SourcedPattern) else pattern
    if isinstance(inner, PatternElement):
        for element in elements_of(inner):
            steps = [] if element.path is None else [step.name for step in steps_of(element.path)]
            for name in (element.name, *steps, *(test.name for test in element.attributes)):
                if name and name.startswith("{"):
                    yield name[1:].partition("}")[0]


def _bound(bindings: tuple[VariableBinding, ...]) -> list[str]:
    return [f"{_AS[each.what]} {each.variable}" for each in bindings]


# Templates and the queries inside them.

_DECLARATION = "xmlns:"


def construct_text(output: Construct, spaces: Spaces | None = None) -> str:
    """Return ORDER-BY and CONSTRUCT; the namespaces of queries inside get their prefixes from
    `spaces`.
    """
    if spaces is None:
        queries = (query for template in output.templates for query in queries_in(template))
        spaces = Spaces(pattern for query in queries for pattern in query.patterns)
    templates = " ".join(content_text(each, spaces) for each in output.templates)
    return f"{_order(output.order)}CONSTRUCT {templates}"


def content_text(content: TemplateContent, spaces: Spaces) -> str:
    """Return the text of a template's content."""
    match content:
        case TemplateElement(name, attributes, contents):
            kept = (each for each in attributes if not str(each.name).startswith(_DECLARATION))
            inside = "".join(content_text(each, spaces) for each in contents)
            return f"<{_name(name)}{''.join(map(_attribute, kept))}>{inside}</>"
        case NestedQuery():
            return _query(content, spaces)
        case OutputText(text):
            return spaces.constant(text)
        case OutputValue(variable):
            return variable
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            return _computed(content)
        case _:
            assert_never(content)


def _query(query: NestedQuery, spaces: Spaces) -> str:
    items = [spaces.pattern(each) for each in query.patterns]
    items += [condition_text(each) for each in query.conditions]
    built = content_text(query.content, spaces)
    if isinstance(query.content, OutputText):
        built = quote_text(query.content.text)
    return f" WHERE {', '.join(items)} {_order(query.order)}CONSTRUCT {built} "


def _order(keys: Iterable[OrderKey]) -> str:
    text = ", ".join(map(order_text, keys))
    return f"ORDER-BY {text} " if text else ""


def _name(name: str | OutputValue) -> str:
    return name if isinstance(name, str) else name.variable


def _attribute(attribute: OutputAttribute) -> str:
    return f" {_name(attribute.name)}={_attribute_value(attribute.value)}"


def _attribute_value(value: AttributeValue) -> str:
    match value:
        case OutputText(text):
            return quote_text(text)
        case OutputValue(variable):
            return variable
        case SkolemTerm(function, variables):
            return f"{function}({', '.join(variables)})"
        case FunctionValue() | ChoiceValue() | TextValue() | VariableValue():
            return _computed(value)
        case _:
            assert_never(value)


def _computed(value: FunctionValue | ChoiceValue | TextValue | VariableValue) -> str:
    """Return a computed value: a call, or anything else in parentheses."""
    text = operand_text(value)
    return f"({text})" if isinstance(value, TextValue | VariableValue) else text
