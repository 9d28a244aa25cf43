"""Source texts of the parts of a plan: every atom has one, a piece of the text or of a definition,
and it says the same as the atom. Explanations quote them.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.exmlql.test_timelines import CONTEXTS, WHERE, clauses
from tests.languages.opsl.plans import CONTEXT as OPSL_CONTEXT
from tests.languages.opsl.test_properties import subscriptions, written_subscription
from tests.languages.rule.contexts import CONTEXT as RULE_CONTEXT
from tests.languages.rule.trees import RULES
from tests.scenarios.loading import Scenario, scenarios
from tests.strategies import boolean_nodes
from tocsin.catalog import Definition, Subscription, compile_with_sources
from tocsin.errors import Problem
from tocsin.languages import read_text
from tocsin.languages.base.reading import Context, PartDefinition
from tocsin.languages.opsl.syntax import OpslSubscription
from tocsin.languages.rule.printer import print_rule
from tocsin.languages.rule.syntax import RuleSyntax
from tocsin.plan.explain.atoms import selector_text
from tocsin.plan.explain.phrases import describe, quote, title
from tocsin.plan.explain.plan import part_lines, plan_lines, summary_lines, waiting_text
from tocsin.plan.nodes.atoms import Atom, BooleanNode
from tocsin.plan.nodes.composites import Absence, Part, Plan, atoms_of, parts_of
from tocsin.plan.nodes.sources import Sources, move_sources
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.extent import DEFAULT_HORIZON

_FILES = ("selector.toml", "opsl.toml", "graph.toml", "concept.toml", "exmlql.toml", "rule.toml")
_OUTLINES = "POLYGON((0 0, 10 0, 10 10, 0 10, 0 0))", "POLYGON((20 0, 30 0, 30 10, 20 10, 20 0))"
REGIONS = [
    Definition(name, region=outline)
    for name, outline in zip(("Customer", "Warehouse"), _OUTLINES, strict=True)
]


def read(language: str, text: str, context: Context) -> tuple[Plan, Sources] | None:
    """The plan of a text after the passes and the source texts of its parts; None if it has
    problems.
    """
    reading = read_text(language, text, {}, context)
    if reading.plan is None:
        return None
    try:
        plan = with_settings(prepared(reading.plan), None, DEFAULT_HORIZON)
    except Problem:
        return None
    return plan, move_sources(reading.sources, reading.plan.pattern, plan.pattern)


def definition_texts(context: Context) -> list[str]:
    return [
        each.expression for each in context.definitions.values() if isinstance(each, PartDefinition)
    ]


def is_piece(entry: str, texts: list[str]) -> bool:
    """Whether a text says the entry; blanks, and backticks that a name may have, do not count. The
    state of ENTERS and LEAVES is written INSIDE elsewhere.
    """
    return any(plain(entry).removeprefix("INSIDE") in plain(text) for text in texts)


def plain(text: str) -> str:
    return re.sub(r"[\s`]", "", text)


def check_lines(plan: Plan, sources: Sources) -> None:
    """Plan lines quote the text, and show neither slots nor the operators of the plan."""
    lines = list(plan_lines(plan, sources))
    assert list(summary_lines(plan, sources))
    if not isinstance(plan.pattern, Atom):
        assert all("`" in line for line in lines if not line.lstrip().startswith("where ")), lines
        assert not [line for line in lines if re.search(r"(?:^|: )(?:\[\d\] |event with )", line)]


@settings(max_examples=200)
@given(RULES)
def test_atoms_of_rules_have_pieces_of_the_rule(rule: RuleSyntax) -> None:
    text = print_rule(rule)
    found = read("rule", text, RULE_CONTEXT)
    if found is not None:
        plan, sources = found
        known = [text, *definition_texts(RULE_CONTEXT)]
        for atom in atoms_of(plan.pattern):
            assert is_piece(sources[atom], known), (text, sources[atom])
        check_lines(plan, sources)


@settings(max_examples=300)
@given(subscriptions)
def test_atoms_of_opsl_have_pieces_that_mean_the_same(subscription: OpslSubscription) -> None:
    text = written_subscription(subscription)
    found = read("opsl", text, OPSL_CONTEXT)
    if found is not None:
        plan, sources = found
        for atom in atoms_of(plan.pattern):
            assert is_piece(sources[atom], [text, *definition_texts(OPSL_CONTEXT)])
            again = read("opsl", sources[atom], OPSL_CONTEXT)
            if again is not None and isinstance(again[0].pattern, Atom):
                assert again[0].pattern == atom, (text, sources[atom])
        check_lines(plan, sources)


@settings(max_examples=100)
@given(clauses(), st.sampled_from(CONTEXTS), st.booleans())
def test_blocks_and_time_clauses_of_exmlql_have_pieces(
    clause: str, contexts: str, within: bool
) -> None:
    limit = " WITHIN 8s " if within else " "
    text = f"{WHERE}{clause}{limit}{contexts if clause else ''} CONSTRUCT <o>fixed</>"
    found = read("exmlql", text, Context())
    assert found is not None
    plan, sources = found
    texts = {sources[atom] for atom in atoms_of(plan.pattern)}
    assert texts == {
        "<a><k>$x</><v>$a</></> #A",
        "<b><k>$x</></> #B",
        "<c><k>$y</></> #C",
    }
    assert is_piece(sources[plan.pattern], [text])


@given(boolean_nodes())
def test_a_selector_is_its_own_source_text(node: BooleanNode) -> None:
    text = f"  {selector_text(node)}\n"
    found = read("selector", text, Context())
    if found is not None:
        plan, sources = found
        assert sources[plan.pattern] == text.strip()


@pytest.mark.parametrize(
    "scenario",
    [each for file in _FILES for each in scenarios(file)],
    ids=lambda each: f"{each.subscription.language} {each.name}",
)
def test_every_scenario_is_told_in_its_own_words(scenario: Scenario) -> None:
    subscription = scenario.subscription
    plan, sources = compile_with_sources(subscription, scenario.definitions)
    texts = [subscription.expression, *(each.expression for each in scenario.definitions)]
    for atom in atoms_of(plan.pattern):
        assert is_piece(sources[atom], texts), sources[atom]
    for part in all_parts(plan.pattern):
        if part in sources and not is_piece(sources[part], texts):
            again = read_text("rule", f"WHEN {sources[part]}", {}, Context())
            assert subscription.language == "rule"
            assert not [each for each in again.problems if each.code == "RuleSyntaxError"]
    check_lines(plan, sources)


def all_parts(part: Part) -> list[Part]:
    return [part, *(each for inner in parts_of(part) for each in all_parts(inner))]


def explained(text: str, language: str = "rule", *definitions: Definition) -> list[str]:
    plan, sources = compile_with_sources(
        Subscription("s", language, text), [*REGIONS, *definitions]
    )
    return list(part_lines(plan.pattern, sources))


def test_an_absence_quotes_the_clauses_of_the_rule() -> None:
    text = "WHEN Truck LEAVES Warehouse THEN NO Truck ENTERS Customer WITHIN 2h FOR EACH truck"
    plan, sources = compile_with_sources(Subscription("s", "rule", text), REGIONS)
    pattern = plan.pattern
    assert isinstance(pattern, Absence)
    told = "no `Truck ENTERS Customer` within 2h after `Truck LEAVES Warehouse`"
    assert describe(pattern, sources) == told
    assert list(plan_lines(plan, sources)) == [
        f"{told}, per truck",
        "  absent: `Truck ENTERS Customer`",
        "  after: `Truck LEAVES Warehouse`",
    ]
    assert waiting_text(pattern, 1, "2", 2 * 3_600_000_000, sources) == (
        "2: rings at 1970-01-01T02:00:00Z unless `Truck ENTERS Customer` comes before"
    )
    summary = list(summary_lines(plan, sources))
    assert "partition key  truck (runs on all shards)" in summary
    assert any(line.endswith("timer 2h after each `Truck LEAVES Warehouse`") for line in summary)


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        (
            "rule",
            "WHEN reading HOLDS temperature > 8 FOR 10m FOR EACH sensor",
            ["`reading HOLDS temperature > 8 FOR 10m`, per sensor"],
        ),
        (
            "rule",
            "WHEN a: order(price > 400) THEN b: payment WITHIN 8h FOR EACH customer"
            " WHERE b.amount >= a.amount",
            [
                "`a` then `b` within 8h, per customer",
                "  where b.amount >= a.amount",
                "  `a: order(price > 400)`",
                "  `b: payment`",
            ],
        ),
        (
            "rule",
            "WHEN a THEN b x3 WITHIN 5m",
            ["3 x `b` within 5m after `a`", "  counted: `b`", "  after: `a`"],
        ),
        (
            "rule",
            "WHEN NO payment WITHIN 1h THEN delivery",
            ["no `payment` in the 1h before `delivery`", "  absent: `payment`",
             "  before: `delivery`"],
        ),
        (
            "rule",
            "WHEN a AND graph{ ASK { _:H <urn:p> ?x . } } AND (c OR d)",
            [
                "`a` and `graph{ ASK { _:H <urn:p> ?x . } }` and (`c` or `d`) in any order",
                "  `a`",
                "  `graph{ ASK { _:H <urn:p> ?x . } }`",
                "  `c` or `d`",
                "    `c`",
                "    `d`",
            ],
        ),
        (
            "rule",
            "WHEN COUNT(login(ok = FALSE)) >= 3 OVER 5m FOR EACH user",
            ["`COUNT(login(ok = FALSE)) >= 3 OVER 5m`, per user"],
        ),
        (
            "rule",
            "WHEN Hot THEN door",
            ["`Hot` then `door`", "  `Hot`", "  `door`"],
        ),
        (
            "opsl",
            '!((ARITH: id = 7 || Truck); 2h)@(Customer)(STRING: kind = "(" )',
            [
                'no `@(Customer)(STRING: kind = "(" )` within 2h after (`ARITH: id = 7` or `Truck`)',
                '  absent: `@(Customer)(STRING: kind = "(" )`',
                "  after: `ARITH: id = 7` or `Truck`",
                "    `ARITH: id = 7`",
                "    `Truck`",
            ],
        ),
        (
            "opsl",
            "DIST($a;; <; 5)$b;, $a; = Truck, $b; = ARITH: x = 3",
            ["`DIST($a;; <; 5)$b;`", "  `$a;`: `Truck`", "  `$b;`: `ARITH: x = 3`"],
        ),
        (
            "concept",
            "(exists bizStep.{shipping}) Before not (ObjectEvent) (PT1H anchored) # (",
            [
                "no `ObjectEvent` within 1h after `exists bizStep.{shipping}`",
                "  absent: `ObjectEvent`",
                "  after: `exists bizStep.{shipping}`",
            ],
        ),
        (
            "concept",
            "not (ObjectEvent) (PT1H)",
            ["no `ObjectEvent` in each 1h window", "  absent: `ObjectEvent`"],
        ),
        (
            "exmlql",
            "WHERE <a><x>$x</></> #a <b></b > #b (#a _|_ 5m) ! #b CONSTRUCT <r></>",
            [
                "no `#b` within 5m after `#a`",
                "  absent: `#b`: `<b></b > #b`",
                "  after: `#a`: `<a><x>$x</></> #a`",
            ],
        ),
    ],
)  # fmt: skip
def test_plans_in_the_words_of_their_texts(language: str, text: str, lines: list[str]) -> None:
    hot = Definition("Hot", language="rule", expression="WHEN reading HOLDS t > 8 FOR 10m")
    truck = Definition("Truck", language="opsl", expression='STRING: type = "truck"')
    assert explained(text, language, hot, truck) == lines


def test_parts_of_a_definition_have_its_text() -> None:
    pair = Definition("Pair", language="rule", expression="WHEN x: a THEN y: b(v > 1) WITHIN 5s")
    plan, sources = compile_with_sources(
        Subscription("s", "rule", "WHEN Pair THEN Pair WITHIN 1h"), [pair]
    )
    assert [sources[each] for each in atoms_of(plan.pattern)] == ["a", "b(v > 1)"] * 2
    named = [each for each in all_parts(plan.pattern) if quote(each, sources) == "`Pair`"]
    assert len(named) == 2


def test_without_texts_a_part_is_described_by_its_operator() -> None:
    text = "WHEN left THEN NO arrived WITHIN 2h FOR EACH truck"
    plan, _ = compile_with_sources(Subscription("s", "rule", text))
    assert title(plan.pattern) == "nothing within 2h after (deferred, for each truck)"
