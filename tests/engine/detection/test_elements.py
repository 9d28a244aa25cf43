"""Lists, element by element: engine and reference agree, restarts change nothing, and work is
counted, not squared.
"""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import SECOND, build_event
from tests.engine.detection.test_agreement import expected, key, play
from tests.engine.detection.test_work import nodes
from tocsin.engine.columns.batch import Batch
from tocsin.engine.concepts.matcher import ConceptMatcher
from tocsin.engine.detection.absence_per_value import AbsencePerValueOperator
from tocsin.engine.detection.join import PairJoinOperator
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.languages import parse_subscription
from tocsin.plan.bindings import NOTHING_BOUND, Rows
from tocsin.plan.nodes.composites import Part, Policy
from tocsin.plan.nodes.concepts import MAX_ROWS, ConceptTest
from tocsin.plan.passes import prepared
from tocsin.plan.passes.settings import with_settings
from tocsin.plan.semantics.occurrence import natural_join, rows_without
from tocsin.reference.atoms import holds, rows_of
from tocsin.reference.occurrence import ReferenceOccurrence, join_rows, without

KINDS = " , ".join(f"${letter}; = selector{{ kind = '{letter}' }}" for letter in "abc")
FORMS = [
    "!($a;;3s)$b; WHERE $a;.v[*] = $b;.{}",
    "=|($a;;3s)$b; WHERE $a;.v[*] = $b;.{}",
    "$a; && $b; WHERE $a;.{} = $b;.w[*]",
    "!($a;;$b;)$c; WHERE $a;.v[*] = $b;.v[*] AND $b;.v[*] = $c;.{}",
    "!($a;;$b;)$c; WHERE $a;.v[*] = $c;.{}",
    "($a; && $b;) && $c; WHERE $a;.v[*] = $b;.w[*] AND $a;.v[*] = $c;.{}",
    "!($a;;3s)$b; WHERE $a;.v[*] = $b;.{} AND $a;.x = $b;.x",
    "!($a;;3s)(!($b;;2s)$c;) WHERE $a;.v[*] = $b;.{}",
]
CONCEPTS = [
    "{a} Before not ({b}) (3 s anchored) correlate by v",
    "not ({a}) (3 s anchored) Before {b} correlate by v = w",
    "{a} Before {b} correlate by v = w",
    "({a} & {b}) Before {c} correlate by v",
    "{a} Before not ({b}) (3 s anchored) correlate by v, w",
    "({a} Before not ({b}) (2 s anchored)) & {c} correlate by v = w = v",
    "{a} Before {b} correlate by one v",
    "({a} & {b}) Before {c} correlate by w, one v",
    "{a} Before not ({b}) (3 s anchored) correlate by one v",
    "({a} Before not ({b}) (2 s anchored)) & {c} correlate by one p, one x",
]


def pattern_of(language: str, text: str, policy: Policy | None) -> Part:
    plan = with_settings(prepared(parse_subscription(language, text, {})), policy, 3_600_000_000)
    return plan.pattern


@st.composite
def patterns(draw: st.DrawFn) -> Part:
    """A form of OPSL under any policy, or one of the concept language."""
    if draw(st.booleans()):
        text = draw(st.sampled_from(FORMS)).format(
            draw(st.sampled_from(["w[*]", "v[*]", "p", "o.w[*]"]))
        )
        used = [each for each in KINDS.split(" , ") if each[:3] in text]
        return pattern_of("opsl", ", ".join([text, *used]), draw(st.sampled_from(list(Policy))))
    names = {letter: f"exists kind.{{{letter}}}" for letter in "abc"}
    return pattern_of("concept", draw(st.sampled_from(CONCEPTS)).format(**names), None)


values = st.one_of(
    st.none(),
    st.sampled_from(["x", "y", 1, True]),
    st.lists(st.sampled_from(["x", "y", "z", 1, True, None, ["x"]]), max_size=3),
)


@st.composite
def timelines(draw: st.DrawFn) -> list[Event]:
    found = []
    for number in range(draw(st.integers(0, 7))):
        data = {
            "kind": draw(st.sampled_from("abc")),
            "v": draw(values),
            "w": draw(values),
            "p": draw(st.sampled_from(["x", "y", None])),
            "o": [{"w": draw(values)}],
            "x": draw(st.sampled_from([1, 2])),
        }
        time = draw(st.integers(0, 6)) * SECOND
        found.append(build_event(f"e{number}", time=time, data=data))
    return sorted(found, key=lambda event: event.order)


@given(patterns(), timelines(), st.integers(0, 7))
def test_engine_reference_and_restarts_agree(pattern: Part, events: list[Event], cut: int) -> None:
    wanted = expected(pattern, events)
    whole, first, second = (Network(rows=rows_of) for _ in range(3))
    for network in (whole, first, second):
        network.add("s", pattern)
    found = play(whole, events) + whole.advance_to(None)
    assert Counter(key(each) for _, each in found) == wanted
    found = play(first, events[:cut])
    second.restore(json.loads(json.dumps(first.snapshot())))
    found += play(second, events[cut:]) + second.advance_to(None)
    assert Counter(key(each) for _, each in found) == wanted


relations = st.one_of(
    st.just(NOTHING_BOUND),
    st.lists(
        st.dictionaries(st.sampled_from("xyz"), st.integers(0, 2), max_size=3).map(
            lambda row: tuple(sorted(row.items()))
        ),
        max_size=6,
        unique=True,
    ).map(tuple),
)


@given(relations, relations)
def test_the_join_by_hash_is_the_join_by_trying(left: Rows, right: Rows) -> None:
    assert natural_join(left, right) == join_rows(left, right)


@given(relations, st.lists(relations, max_size=3))
def test_what_is_left_is_what_agrees_with_nothing(rows: Rows, others: list[Rows]) -> None:
    left = without(
        ReferenceOccurrence((), 0, 0, rows=rows),
        [ReferenceOccurrence((), 0, 0, rows=each) for each in others],
    )
    assert rows_without(rows, others) == (() if left is None else left.rows)


# Work


def event(number: int, kind: str, second: int, *epcs: str) -> Event:
    data = {"kind": kind, "epcList": list(epcs)}
    return build_event(f"e{number}", time=second * SECOND, data=data)


def tried(text: str, events: list[Event]) -> tuple[int, int]:
    """How many waiting occurrences were looked at, and how many matches there are."""
    network = Network(rows=rows_of)
    network.add("s", pattern_of("concept", text, None))
    found = play(network, events) + network.advance_to(None)
    looked = [
        each
        for each in nodes(network)
        if isinstance(each, AbsencePerValueOperator | PairJoinOperator)
    ]
    return sum(node.tried for node in looked), len(found)


SHIPPED, RECEIVED = "exists kind.{a}", "exists kind.{b}"


def test_a_receipt_looks_only_at_shipments_with_its_goods() -> None:
    shipped = [event(n, "a", n, f"u:{n}:1", f"u:{n}:2") for n in range(200)]
    received = [event(500 + n, "b", 300 + n, f"u:{n}:1") for n in range(200)]
    text = f"{SHIPPED} Before not ({RECEIVED}) (1 h anchored) correlate by epcList"
    assert tried(text, shipped + received) == (200, 200)
    assert tried(f"{SHIPPED} Before {RECEIVED} correlate by epcList", shipped + received) == (
        200,
        200,
    )


def test_a_long_list_is_gone_through_once() -> None:
    epcs = [f"u:{n}" for n in range(8_000)]
    rows = tuple((("epcList", epc),) for epc in epcs)
    assert natural_join(rows, tuple(reversed(rows))) == rows
    shipment = event(0, "a", 0, *epcs)
    receipts = [event(1 + n, "b", 1, epc) for n, epc in enumerate(epcs[:-1])]
    text = f"{SHIPPED} Before not ({RECEIVED}) (1 h anchored) correlate by epcList"
    assert tried(text, [shipment, *receipts]) == (7_999, 1)


def test_lists_that_multiply_beyond_the_limit_are_undecided() -> None:
    pattern = pattern_of("concept", f"{SHIPPED} & {SHIPPED} correlate by a, b, c", None)
    test = next(part for part in pattern.parts if isinstance(part, ConceptTest))  # type: ignore[union-attr]
    matcher = ConceptMatcher()
    matcher.add("t", test)
    for length, decided in ((20, True), (40, False)):
        assert (length**3 <= MAX_ROWS) is decided
        data = {"kind": "a", **{name: list(range(length)) for name in "abc"}}
        wide = from_mapping({"id": "w", "source": "s", "type": "t", "data": data})
        assert len(matcher.match(Batch([wide]))) == decided
        assert matcher.undecided == ([] if decided else [(0, "t")])
        assert holds(test, wide) is decided


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        (True, 1, False),
        (1, True, False),
        ([True, "x"], [1], False),
        (1.0, 1, True),
        (True, [True], True),
    ],
)
def test_values_correlate_by_what_they_are(one: object, other: object, meet: bool) -> None:
    """TRUE is not 1, though Python says so; 1.0 is."""
    pattern = pattern_of(
        "concept", "exists kind.{a} Before exists kind.{b} correlate by v = w", None
    )
    events = [
        build_event("e0", time=0, data={"kind": "a", "v": one}),
        build_event("e1", time=SECOND, data={"kind": "b", "w": other}),
    ]
    network = Network(rows=rows_of)
    network.add("s", pattern)
    assert len(play(network, events) + network.advance_to(None)) == meet
    assert sum(expected(pattern, events).values()) == meet
