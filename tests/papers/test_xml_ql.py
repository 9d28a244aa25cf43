"""The XML-QL form of a subscription (figure 9), its mode and states (figure 3), and what it builds,
written out.
"""

from __future__ import annotations

import pytest

from tests.engine.xml.worlds import xml_event
from tests.languages.exmlql.asking import parsed
from tests.scenarios.loading import Scenario, scenarios
from tocsin.catalog import Definition, Surroundings, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.languages import parse_subscription, read_text
from tocsin.papers.xml_ql import xml_ql_of
from tocsin.plan.explain.exmlql import construct_text
from tocsin.plan.explain.plan import mode_lines
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_from_json, plan_to_json
from tocsin.plan.xml.construction import Construct
from tocsin.plan.xml.xml_patterns import XmlBlock
from tocsin.reference import matches

FIGURE_5 = """
WHERE <person> <name></> ELEMENT_AS $n <personnumber>$pn</> </> #P
      <orderpay> <pay>finished</> <deliver>ok</> <pn>$pn</> </> #T
      #T ; #P
CONSTRUCT <result><pn>$pn</>$n</>
"""
FIGURE_9 = """
WHERE <person> <name></> ELEMENT_AS $n <personnumber>$pn</> </> IN "P.xml"
      <orderpay> <pay>finished</> <deliver>ok</> <pn>$pn</> </> IN "T.xml"
CONSTRUCT <result><pn>$pn</>$n</>
"""
CONSTRUCTING = [
    each
    for each in scenarios("exmlql.toml")
    if "[1]" in each.name and each.facts.get("outputs")
    if "CONSTRUCT" in each.subscription.expression and "XPATH" not in each.subscription.expression
]


def queries(text: str) -> list[str]:
    return xml_ql_of("exmlql", read_text("exmlql", text))


def without_blanks(text: str) -> str:
    return "".join(text.split())


def test_figure_5_becomes_figure_9() -> None:
    (query,) = queries(FIGURE_5)
    assert without_blanks(query) == without_blanks(FIGURE_9)


def test_an_event_without_a_label_and_what_is_not_constructed() -> None:
    (query,) = queries('WHERE <a>"B c"</> <b>$x</>, $x > 5 ORDER-BY $x CONSTRUCT <o>$x</>')
    assert query == (
        'WHERE <a>"B c"</> IN "event.xml"\n      <b>$x</> IN "event.xml"\n      $x > "5"\n'
        "ORDER-BY $x CONSTRUCT <o>$x</>"
    )
    assert queries("WHERE <a></>") == queries("WHERE <a></> #A <b></> #B #A ; #B ~> #A") == []


def test_one_query_for_each_alternative() -> None:
    text = "WHERE <a>$x</> #A <b>$x</> #B <c>$x</> #C <d></> #D (#A | #B) ; #C | (#A _|_ 5s) !#D CONSTRUCT <o>$x</>"
    files = [[name for name in "ABCD" if f'"{name}.xml"' in query] for query in queries(text)]
    assert files == [["A", "C"], ["B", "C"], ["A"]]


def test_queries_inside_name_their_events_too() -> None:
    (query,) = queries(
        "WHERE <a></> #A <b></> #B #A ; #B CONSTRUCT <o>WHERE <i>$i</> #B CONSTRUCT $i</>"
    )
    assert query.endswith('CONSTRUCT <o> WHERE <i>$i</> IN "B.xml" CONSTRUCT $i </>')


@pytest.mark.parametrize("scenario", CONSTRUCTING, ids=lambda scenario: scenario.name)
def test_the_translation_builds_the_same(scenario: Scenario) -> None:
    """The query, read as E-XML-QL with each event as a defined document, builds what the
    subscription builds.
    """
    plan = compile_subscription(scenario.subscription, scenario.definitions)
    (match, *_) = matches("s", plan, [from_mapping(event) for event in scenario.events])
    bodies = {event["id"]: event["data"] for event in scenario.events}
    files = {
        f"{name[1:]}.xml": bodies[id] for name, id in match.bindings.items() if name.startswith("#")
    }
    files = files or {"event.xml": bodies[match.events[0]]}
    documents = [Definition(name, document=body) for name, body in files.items()]
    light = Surroundings.of([*scenario.definitions, *documents]).context
    (query,) = xml_ql_of("exmlql", read_text("exmlql", scenario.subscription.expression, {}, light))
    again = parse_subscription("exmlql", query.replace("WHERE", "WHERE <ring></>", 1), {}, light)
    (built,) = matches("s", again, [xml_event("<ring/>")])
    assert built.outputs == match.outputs


@pytest.mark.parametrize("scenario", CONSTRUCTING, ids=lambda scenario: scenario.name)
def test_what_is_built_written_out_reads_as_the_same(scenario: Scenario) -> None:
    light = Surroundings.of(scenario.definitions).context
    plan = parse_subscription("exmlql", scenario.subscription.expression, {}, light)
    assert isinstance(plan.output, Construct)
    assert plan_from_json(plan_to_json(plan)) == plan
    if isinstance(plan.pattern, XmlBlock) and "NAMESPACE" not in scenario.subscription.expression:
        where = scenario.subscription.expression.partition("CONSTRUCT")[0].partition("ORDER-BY")[0]
        again = parse_subscription("exmlql", f"{where} {construct_text(plan.output)}", {}, light)
        assert again == plan


MODES = [
    ("WHERE <a></>", "forward", "forwarding"),
    ("WHERE <a></> #A <b></> #B #A ; #B ~> #A", "trigger", "triggering"),
    ("WHERE <a>$x</> CONSTRUCT <o>$x</>", "split", "splitting"),
    (FIGURE_5, "aggregate", "aggregating"),
]


@pytest.mark.parametrize(("text", "mode", "state"), MODES, ids=[case[1] for case in MODES])
def test_the_mode_and_the_states_of_figure_3(text: str, mode: str, state: str) -> None:
    plan: Plan = parsed(text)
    first, second, *_ = mode_lines(plan)
    assert first.startswith(f"mode           {mode}:")
    assert second == f"states         detecting, on a detection {state}, then detecting again"
