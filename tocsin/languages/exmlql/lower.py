"""Syntax to plan: the conditions on one document, and the output (forward, construct).

A value condition whose variables are all bound in one block is part of that block; the others are
conditions on the joined rows. In a template an outermost element declares the prefixes used in it;
an attribute occurs once. By rules 1 and 2 (spec 3.5) a subscription designates the event that is
sent, in one way only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from tocsin.languages.base.reading import Definition
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.source_texts import SourceTexts
from tocsin.languages.exmlql.syntax import (
    SYNTAX_CODE,
    Built,
    CallUse,
    ConstantUse,
    ContentText,
    ExmlqlSubscription,
    Nested,
    OrderBy,
    OutAttribute,
    PatternItem,
    Template,
    VariableUse,
    XPathItem,
    uses_of,
    variables_in,
)
from tocsin.languages.exmlql.term_transformer import is_function
from tocsin.languages.exmlql.time_clauses import Composition, check_names, lower_composition
from tocsin.languages.exmlql.variables import (
    Documents,
    check_variables,
    in_query_order,
    item_bindings,
    patterns_by_label,
    variables_by_block,
)
from tocsin.languages.exmlql.where import Namespaces, PatternReader, TermReader
from tocsin.plan.nodes.composites import Plan, Send
from tocsin.plan.nodes.sources import SourceRecorder
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
)
from tocsin.plan.xml.row_terms import OrderKey, RowCondition, condition_variables
from tocsin.plan.xml.xml_patterns import (
    InEvent,
    InVariable,
    Pattern,
    Source,
    SourcedPattern,
    XmlBlock,
)


@dataclass(frozen=True, slots=True)
class TemplateReader:
    """Lowering of the templates of one subscription.

    `event_of` gives the name of the event that a pattern without IN reads.
    """

    namespaces: Namespaces
    patterns: PatternReader
    terms: TermReader
    documents: Documents
    problems: ProblemCollector
    event_of: Callable[[PatternItem], str]

    def outermost(self, template: Template, bound: frozenset[str]) -> TemplateElement:
        """Return an outermost template element, given the variables that rows bind."""
        prefixes = sorted(
            {name.text.partition(":")[0] for name in _names(template) if ":" in name.text} - {"xml"}
        )
        declared = tuple(
            OutputAttribute(f"xmlns:{prefix}", OutputText(self.namespaces.uris[prefix]))
            for prefix in prefixes
            if prefix in self.namespaces.uris
        )
        lowered = self._element(template, bound)
        return TemplateElement(lowered.name, (*declared, *lowered.attributes), lowered.contents)

    def _element(self, template: Template, bound: frozenset[str]) -> TemplateElement:
        seen: set[str] = set()
        for attribute in template.attributes:
            self.namespaces.refuse_declaration(attribute.name)
            name = (
                attribute.name.text
                if _is_variable(attribute.name)
                else self.namespaces.expanded(attribute.name)
            )
            if name in seen:
                message = f"the attribute {attribute.name.text} stands twice"
                self.problems.add(SYNTAX_CODE, attribute.name, message, "leave one of them out")
            seen.add(name)
        return TemplateElement(
            self._name(template.name),
            tuple(
                OutputAttribute(self._name(each.name), self._value(each))
                for each in template.attributes
            ),
            tuple(self._content(each, bound) for each in template.contents),
        )

    def _name(self, name: SourceSpan) -> str | OutputValue:
        if _is_variable(name):
            return OutputValue(name.text)
        self.namespaces.expanded(name)
        return name.text

    def _value(self, attribute: OutAttribute) -> AttributeValue:
        match attribute.value:
            case CallUse() as call if not is_function(call):
                return self._skolem(call)
            case CallUse() | ConstantUse() | VariableUse() as value:
                return self.terms.operand(value)
            case SourceSpan(text=variable):
                return OutputValue(variable)
            case text:
                return OutputText(text)

    def _skolem(self, call: CallUse) -> SkolemTerm:
        """Return a Skolem term; its arguments must be variables.

        A computed value must be bound to a variable first.
        """
        names: list[str] = []
        for argument in call.arguments:
            if isinstance(argument, VariableUse):
                names.append(argument.spot.text)
            else:
                hint = f"write {call.function.text}($a, $b), or one of the functions"
                message = (
                    f"{call.function.text} is no function, and an id is made of variables alone"
                )
                self.problems.add(SYNTAX_CODE, call.function, message, hint)
        return SkolemTerm(call.function.text, tuple(names))

    def _content(self, content: Built, bound: frozenset[str]) -> TemplateContent:
        match content:
            case Template():
                return self._element(content, bound)
            case SourceSpan(text=variable):
                return OutputValue(variable)
            case ContentText(text):
                return OutputText(text)
            case Nested():
                return self._nested(content, bound)
            case _:
                return self.terms.operand(content)

    def _nested(self, nested: Nested, bound: frozenset[str]) -> NestedQuery:
        for item in nested.items:
            if isinstance(item, XPathItem):
                hint = "write a pattern, or move XPATH to the outermost WHERE"
                self.problems.add(
                    SYNTAX_CODE,
                    item.spot,
                    "XPATH looks at an event, not inside of a template",
                    hint,
                )
        if not nested.patterns:
            hint = "a pattern binds the variables, as in WHERE <a>$x</> IN $v CONSTRUCT <b>$x</>"
            self.problems.add(SYNTAX_CODE, nested.spot, "WHERE has no pattern", hint)
        own = frozenset(spot.text for item in nested.patterns for spot, _ in item_bindings(item))
        return NestedQuery(
            tuple(self._sourced(each) for each in in_query_order(nested.patterns, bound)),
            tuple(self.terms.condition(each.condition) for each in nested.conditions),
            order_keys(nested.order),
            self._content(nested.content, bound | own),
        )

    def _sourced(self, item: PatternItem) -> SourcedPattern:
        source: Source
        if item.source is None:
            source = InEvent(self.event_of(item))
        elif item.source.variable is not None:
            source = InVariable(item.source.variable.text)
        else:
            source = self.documents.source(item.source)
        return SourcedPattern(self.patterns.element(item), source)


def order_keys(order: OrderBy | None) -> tuple[OrderKey, ...]:
    """Return the keys of ORDER-BY; empty without one."""
    return tuple(OrderKey(key.variable.text, key.descending) for key in order.keys) if order else ()


def _is_variable(name: SourceSpan) -> bool:
    return name.text.startswith("$")


def _names(content: Built) -> Iterator[SourceSpan]:
    """Yield the names of a template, from left to right."""
    if isinstance(content, Template):
        yield content.name
        yield from (attribute.name for attribute in content.attributes)
        for inner in content.contents:
            yield from _names(inner)
    elif isinstance(content, Nested):
        yield from _names(content.content)


# Rules 1 and 2 (spec 3.5).


def check_rules(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Add a problem for each broken rule, in the order 2.2, 2.1, 1."""
    if subscription.construct is None:
        _check_designation(subscription, problems)
        if subscription.order is not None:
            hint = "leave ORDER-BY out, or build something with CONSTRUCT"
            problems.add(
                SYNTAX_CODE, subscription.order.spot, "ORDER-BY orders what CONSTRUCT builds", hint
            )
        return
    if subscription.mode is not None:
        operator = subscription.mode.operator
        problems.add(
            "EventForwardingConflict",
            operator,
            f"CONSTRUCT makes an event and {operator.text} designates another (rule 2.2)",
            f"leave out CONSTRUCT, or {operator.text} and its blocks",
        )
    elif _selects_unclearly(subscription) and subscription.contexts:
        problems.add(
            "EventSelectionConfusion",
            subscription.contexts.names[0],
            "without a temporal operator it is unclear from which events to construct (rule 2.1)",
            "add Recent to CONTEXT, leave CONTEXT out, or relate the blocks in time",
        )


def _selects_unclearly(subscription: ExmlqlSubscription) -> bool:
    labelled = any(item.label for item in subscription.blocks)
    given = (
        {name.text for name in subscription.contexts.names} if subscription.contexts else {"Recent"}
    )
    return not subscription.has_operator and labelled and "Recent" not in given


def _check_designation(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    """Check rule 1: without CONSTRUCT, one of several matched events is designated with `~>`."""
    labelled = list(
        {
            item.label.text: item.label for item in reversed(subscription.blocks) if item.label
        }.values()
    )[::-1]
    hint = "say which event is sent with ~> #X, or build one with CONSTRUCT"
    mode, time = subscription.mode, subscription.time
    if time is None or not subscription.has_operator:
        if len(labelled) > 1:
            message = f"{len(labelled)} blocks match events and none is designated (rule 1.1)"
            problems.add("EventForwardingConfusion", labelled[1], message, hint)
    elif mode is None:
        message = "several events match and none is designated (rule 1.2)"
        problems.add("EventForwardingConfusion", next(uses_of(time)), message, hint)
    elif mode.kind == "=>":
        message = "=> forwards a matched event, and here several match (rule 1.2)"
        problems.add("EventForwardingConfusion", mode.operator, message, hint)


def lower(
    subscription: ExmlqlSubscription,
    definitions: Mapping[str, Definition],
    problems: ProblemCollector,
    sources: SourceRecorder,
) -> Plan | None:
    """Return the plan; None if there are problems."""
    if subscription.sourced and not subscription.blocks:
        _refuse_documents_alone(subscription.sourced[0], problems)
        return None
    lowering = _SubscriptionLowering(subscription, definitions, problems, sources)
    blocks, templates = lowering.blocks(), lowering.templates()
    if not blocks:
        _refuse_without_pattern(subscription, problems)
        return None
    check_names(subscription, problems)
    check_variables(subscription, problems)
    check_rules(subscription, problems)
    return None if problems.found else lowering.plan(blocks, templates)


class _SubscriptionLowering:
    """Lowering of one subscription; the plan is made only if it has no problems."""

    def __init__(
        self,
        subscription: ExmlqlSubscription,
        definitions: Mapping[str, Definition],
        problems: ProblemCollector,
        sources: SourceRecorder,
    ) -> None:
        self._subscription = subscription
        self._sources = sources
        self._texts = SourceTexts(problems.text, subscription)
        self._problems = problems
        self._documents = Documents(definitions, problems)
        self._namespaces = Namespaces(subscription.namespaces, problems)
        self._patterns = PatternReader(self._namespaces, problems)
        self._terms = TermReader(problems)
        self._labels = {item.label.text for item in subscription.blocks if item.label}
        self._is_composite = subscription.has_operator or len(self._labels) > 1
        self._conditions = [
            self._terms.condition(item.condition) for item in subscription.conditions
        ]

    def blocks(self) -> dict[str, tuple[Pattern, ...]]:
        """Return the patterns of each block by label.

        Those about its event come first, then those with IN that belong to it.
        """
        found: dict[str, list[Pattern]] = {}
        for item in self._subscription.blocks:
            found.setdefault(item.label.text if item.label else "", []).append(
                self._patterns.pattern(item)
            )
        sourced = {id(item): self._sourced(item) for item in self._subscription.sourced}
        for label, items in patterns_by_label(self._subscription).items():
            found[label] += [sourced[id(item)] for item in items]
        return {label: tuple(patterns) for label, patterns in found.items()}

    def templates(self) -> tuple[TemplateElement, ...]:
        """Return the templates of CONSTRUCT."""
        reader = TemplateReader(
            self._namespaces,
            self._patterns,
            self._terms,
            self._documents,
            self._problems,
            self._event_of,
        )
        bound = frozenset[str]().union(*variables_by_block(self._subscription).values())
        given = self._subscription.construct.templates if self._subscription.construct else ()
        return tuple(reader.outermost(each, bound) for each in given)

    def plan(
        self, patterns: Mapping[str, tuple[Pattern, ...]], templates: tuple[TemplateElement, ...]
    ) -> Plan | None:
        """Return the plan, or None after a new problem; called only without earlier problems."""
        subscription, order = self._subscription, order_keys(self._subscription.order)
        blocks, rest = self._with_conditions(patterns)
        if self._is_composite:
            output = Construct(templates, rest, order) if templates else None
            for label, each in blocks.items():
                self._sources.add(each, partial(self._texts.of_block, label))
            return lower_composition(
                Composition(subscription, blocks, rest, output),
                self._problems,
                self._sources,
                self._texts,
            )
        if subscription.within is not None:
            message = "WITHIN relates several events, and here is one"
            self._problems.add(SYNTAX_CODE, subscription.within, message, "leave WITHIN out")
            return None
        block = next(iter(blocks.values()))
        self._sources.add(block, self._texts.of_where)
        return Plan(block, Construct(templates, (), order) if templates else Send())

    def _with_conditions(
        self, patterns: Mapping[str, tuple[Pattern, ...]]
    ) -> tuple[dict[str, XmlBlock], tuple[RowCondition, ...]]:
        """Return the blocks by label with their conditions, and conditions that no block decides
        alone.
        """
        variables = variables_by_block(self._subscription)
        own: dict[str, list[RowCondition]] = {label: [] for label in patterns}
        rest: list[RowCondition] = []
        for condition in self._conditions:
            names = set(condition_variables(condition))
            homes = [label for label in patterns if names <= variables[label]]
            for label in homes:
                own[label].append(condition)
            if not homes:
                rest.append(condition)
        return {
            label: XmlBlock(each, tuple(own[label])) for label, each in patterns.items()
        }, tuple(rest)

    def _sourced(self, item: PatternItem) -> SourcedPattern:
        assert item.source is not None
        variable = item.source.variable
        source = (
            self._documents.source(item.source) if variable is None else InVariable(variable.text)
        )
        return SourcedPattern(self._patterns.element(item), source)

    def _event_of(self, item: PatternItem) -> str:
        """Return the name of the event that a nested pattern reads; "" for the only one."""
        return item.label.text if item.label and self._is_composite else ""


def _refuse_documents_alone(item: PatternItem, problems: ProblemCollector) -> None:
    """Refuse a subscription whose patterns all have IN.

    XML-QL queries a document once; a subscription rings for events and needs a pattern about one.
    """
    assert item.source is not None
    problems.add(
        SYNTAX_CODE,
        item.source.spot,
        "every pattern of WHERE has an IN, so there is no pattern about an event",
        "leave IN out to ask every event, or say which one rings with a pattern without IN, as in"
        ' WHERE <order></>, <rate>$r</> IN "rates"',
    )


def _refuse_without_pattern(subscription: ExmlqlSubscription, problems: ProblemCollector) -> None:
    hint = "a pattern binds the variables: WHERE <order><id>$x</></>, $x = 5"
    first = next(
        (spot for each in subscription.conditions for spot in variables_in(each.condition)), None
    )
    problems.add(
        SYNTAX_CODE, first or SourceSpan(0, "WHERE"), "WHERE has no pattern about an event", hint
    )
