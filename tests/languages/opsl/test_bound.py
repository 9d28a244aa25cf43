"""WHERE on what graphs and XML blocks bind: it compares as it does on attributes, or it is
refused.
"""

from __future__ import annotations

import pytest

import tocsin
from tests.builders import SECOND, event_json
from tests.languages.opsl.plans import problems_of
from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.reference import matches

GRAPH = "graph{ (_:H, ?%s, (owl:Thing, <http://x/price>, rdfs:Literal)) select ?%s }"
XML = "xml{ WHERE <price>$%s</> }"
KINDS = ("application/xml", "text/turtle")


def event(number: int, price: str, *, xml: bool) -> dict[str, object]:
    data = f"<sale><price>{price}</price></sale>" if xml else f"_:H <http://x/price> {price} ."
    return event_json(number, time=number * SECOND, content_type=KINDS[not xml], data=data)


def told_by_all(text: str, events: list[dict[str, object]]) -> list[tuple[str, ...]]:
    """The members of the matches, of which the reference and a Hub must tell the same."""
    plan = compile_subscription(Subscription("s", "opsl", text, policy="unrestricted"))
    given: list[Event] = [from_mapping(each) for each in events]
    expected = sorted(match.events for match in matches("s", plan, given))
    hub, rung = tocsin.Hub(lateness="0s"), []
    hub.subscribe(text, language="opsl", id="s", policy="unrestricted", to=rung.append)
    for each in events:
        hub.publish(each)
    hub.advance_to("1970-01-03T00:00:00Z")
    assert sorted(match.events for match in rung) == expected
    return expected


def rising(atom: str, relation: str = "<") -> str:
    first, second = (atom % ((name,) * atom.count("%s")) for name in "pq")
    return f"=|($a;;1h)$b; WHERE $a;.p {relation} $b;.q, $a; = {first}, $b; = {second}"


@pytest.mark.parametrize("atom", [GRAPH, XML], ids=["graph", "xml"])
def test_bound_numbers_have_an_order(atom: str) -> None:
    events = [
        event(number, price, xml=atom is XML)
        for number, price in enumerate(["9", "10", "10.5", "2"], 1)
    ]
    assert told_by_all(rising(atom), events) == [("1", "2"), ("1", "3"), ("2", "3")]


@pytest.mark.parametrize("atom", [GRAPH, XML], ids=["graph", "xml"])
def test_bound_values_are_equal_by_value(atom: str) -> None:
    events = [
        event(number, price, xml=atom is XML) for number, price in enumerate(["9", "9.0", "10"], 1)
    ]
    assert told_by_all(rising(atom, "="), events) == [("1", "2")]
    assert told_by_all(rising(atom, "!="), events) == [("1", "3"), ("2", "3")]


def test_a_graph_is_compared_with_an_attribute() -> None:
    text = (
        f"=|($a;;1h)$b; WHERE $a;.p < $b;.limit, $a; = {GRAPH % ('p', 'p')}, $b; = ARITH: limit > 0"
    )
    limits = [event(3, "1", xml=False) | {"id": str(number), "datacontenttype": "application/json",
              "data": {"limit": limit}} for number, limit in ((3, 5), (4, 50))]  # fmt: skip
    assert told_by_all(text, [event(1, "10", xml=False), event(2, "60", xml=False), *limits]) == [
        ("1", "4")
    ]


def test_an_absence_compares_what_is_bound() -> None:
    text = (
        f"!($a;;1h)$b; WHERE $a;.p = $b;.q, $a; = {GRAPH % ('p', 'p')}, $b; = {GRAPH % ('q', 'q')}"
    )
    assert told_by_all(
        text, [event(number, price, xml=False) for number, price in ((1, "7"), (2, "8"), (3, "7"))]
    ) == [
        ("2",),
        ("3",),
    ]


def test_a_variable_with_several_values_has_none_to_compare() -> None:
    several = event(1, "9", xml=True) | {"data": "<sale><price>1</price><price>2</price></sale>"}
    assert told_by_all(rising(XML), [several, event(2, "10", xml=True)]) == []


@pytest.mark.parametrize(
    ("text", "column", "hint"),
    [
        (
            "=|($a;;1h)$b; WHERE $a;.p < $b;.p, $a; = graph{(_:H, ?p, (owl:Thing, q, rdfs:Literal))}, "
            "$b; = ARITH: p > 1",
            21,
            "add to the graph: select ?p",
        ),
        (
            f"=|($a;;1h)$b; WHERE $a;.p < $b;.p, $a; = {GRAPH % ('p', 'p')}, $b; = {GRAPH % ('p', 'p')}",
            27,
            "give the variable another name in one of the atoms",
        ),
        (
            f"=|($a;;1h)$b; WHERE $a;.p < $b;.q, $a; = ({GRAPH % ('p', 'p')} || ARITH: p > 3), $b; = ARITH: q > 1",
            21,
            "let both sides bind it in one way, or make two subscriptions",
        ),
    ],
    ids=["not selected", "one name", "one side"],
)
def test_what_could_never_be_true_is_refused(text: str, column: int, hint: str) -> None:
    (problem,) = problems_of(text)
    assert (problem.code, problem.place and problem.place.column, problem.hint) == (
        "WhereError",
        column,
        hint,
    )
