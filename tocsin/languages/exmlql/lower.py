"""Syntax to plan: the conditions on one document, and the output (forward, construct).

A value condition whose variables are all bound in one block is part of that block; the others are
conditions on the joined rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tocsin.languages.base.context import Definition
from tocsin.languages.base.texts import ProblemCollector, SourceSpan
from tocsin.languages.exmlql.lower_composites import Composition, lower_composition
from tocsin.languages.exmlql.names import check_names
from tocsin.languages.exmlql.namespaces import Namespaces
from tocsin.languages.exmlql.patterns import PatternReader
from tocsin.languages.exmlql.problems import SYNTAX_CODE
from tocsin.languages.exmlql.rules import check_rules
from tocsin.languages.exmlql.source_texts import SourceTexts
from tocsin.languages.exmlql.sources import Documents, patterns_by_label
from tocsin.languages.exmlql.syntax import ExmlqlSubscription, PatternItem, variables_in
from tocsin.languages.exmlql.templates import TemplateReader, order_keys
from tocsin.languages.exmlql.terms import TermReader
from tocsin.languages.exmlql.variables import check_variables, variables_by_block
from tocsin.plan.nodes.composites import Plan, Send
from tocsin.plan.nodes.sources import SourceRecorder
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.row_terms import RowCondition, condition_variables
from tocsin.plan.xml.templates import TemplateElement
from tocsin.plan.xml.xml_patterns import InVariable, Pattern, SourcedPattern, XmlBlock


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
