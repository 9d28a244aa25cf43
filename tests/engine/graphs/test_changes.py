"""Subscriptions come and go between events; what is removed leaves nothing, and an event leaves
nothing either.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.graphs.auction import CHEAP, LETTERS, auction, below, event, pattern, statement
from tests.engine.graphs.test_agreement import IDS, MATCHERS, subscribed_worlds
from tests.engine.graphs.worlds import World, pairs
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.index import QUICK, Records
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.engine.graphs.solver import Solver
from tocsin.engine.graphs.work import Undecided
from tocsin.errors import StateProblem
from tocsin.papers.graph_matcher import PaperMatcher
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.reference import graphs as reference

Make = Callable[[], GraphMatcher | PaperMatcher]


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
@given(
    given_worlds=subscribed_worlds(),
    keys=st.lists(st.sampled_from("abcd"), min_size=1, max_size=12),
)
def test_any_history_of_changes_matches_like_its_outcome(
    make: Make, given_worlds: tuple[list[GraphPattern], list[World]], keys: list[str]
) -> None:
    subscribed, events = (
        given_worlds[0],
        [world.event(number) for number, world in enumerate(given_worlds[1])],
    )
    matcher, living = make(), dict[str, GraphPattern]()
    for number, key in enumerate(keys):
        if key in living:
            matcher.remove(key)
            del living[key]
        else:
            living[key] = subscribed[number % len(subscribed)]
            matcher.add(key, living[key])
        given = events[number % len(events)]
        assert pairs(matcher, [given]) == [
            (0, key) for key, each in living.items() if reference.holds(each, given)
        ]
    assert len(matcher) == len(living)
    for key in living:
        matcher.remove(key)
    assert _held(matcher) == _held(make())


def _held(matcher: GraphMatcher | PaperMatcher) -> dict[str, object]:
    """Everything a matcher holds but its counters, as far as it has a size."""
    slots = (name for kind in type(matcher).__mro__ for name in getattr(kind, "__slots__", ()))
    parts = {name: getattr(matcher, name) for name in slots if name not in ("work", "undecided")}
    return {name: len(part) if hasattr(part, "__len__") else part for name, part in parts.items()}


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
def test_an_event_leaves_nothing_in_the_index(make: Make) -> None:
    matcher = make()
    matcher.add("s", CHEAP)
    first = pairs(matcher, [auction()])
    assert pairs(matcher, [event("_:H a :Selling ; :target _:c . _:c a :Desktop .")]) == []
    assert pairs(matcher, [event("_:H a :Selling ; :price _:m . _:m a :MoneyValue .")]) == []
    assert pairs(matcher, [auction()]) == first == [(0, "s")]


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
def test_a_key_that_is_there_is_refused_and_nothing_changes(make: Make) -> None:
    matcher = make()
    matcher.add("s", CHEAP)
    with pytest.raises(StateProblem, match="there already"):
        matcher.add("s", pattern("_:H ?1 Selling target Product"))
    with pytest.raises(StateProblem, match="no subscription"):
        matcher.remove("other")
    assert pairs(matcher, [auction()]) == [(0, "s")]


def test_patterns_that_differ_in_names_and_order_are_one_shape() -> None:
    matcher = GraphMatcher()
    lines = ["_:H ?1 A p1 B", "?1 ?2 B p3 D", "_:H ?3 A p2 C"]
    matcher.add("one", pattern(*lines, ontology=LETTERS))
    matcher.add(
        "other", pattern(*(line.replace("?", "?x") for line in reversed(lines)), ontology=LETTERS)
    )
    assert (len(matcher), matcher.distinct_shapes, matcher.distinct_links) == (2, 1, 3)


def test_links_and_shapes_go_with_the_last_that_used_them() -> None:
    matcher = GraphMatcher()
    matcher.add("one", CHEAP)
    matcher.add("other", pattern("_:H ?1 Selling target Computer"))
    assert matcher.distinct_links == 5  # four statements, and the filtered one's base
    matcher.remove("one")
    assert (matcher.distinct_links, matcher.distinct_shapes) == (1, 1)
    matcher.remove("other")
    assert (matcher.distinct_links, matcher.distinct_shapes) == (0, 0)


def test_a_subscription_that_lacks_a_link_at_home_is_not_looked_at() -> None:
    matcher = GraphMatcher()
    for number in range(50):
        matcher.add(
            str(number),
            pattern("_:H ?1 A p1 B", f"?1 ?2 B p3 {'D' if number % 2 else 'C'}", ontology=LETTERS),
        )
    assert pairs(matcher, [event("_:H a :A ; :p2 _:c . _:c a :C .")]) == []
    assert matcher.work.candidates == 0


def test_a_filter_is_asked_about_a_literal_once_for_all_subscriptions() -> None:
    matcher = GraphMatcher()
    price = statement("_:H ?1 Selling price MoneyValue")
    for used in ("value", "minBid"):
        cheap = statement(f"?1 ?2 MoneyValue {used} decimal", below("400"))
        matcher.add(used, pattern(price, cheap))
        matcher.add(f"{used} again", pattern(price, cheap, "_:H ?3 Selling seller Customer"))
    given = event(
        """_:H a :Selling ; :price _:m ; :seller _:s . _:s a :Customer .
        _:m a :MoneyValue ; rdf:value 350.0 ; :minBid 350.0 ."""
    )
    assert pairs(matcher, [given]) == [
        (0, "value"),
        (0, "value again"),
        (0, "minBid"),
        (0, "minBid again"),
    ]
    assert matcher.work.predicate_evaluations == 1


CROWD = 12
ALL_KNOW_EACH_OTHER = event(
    "_:H a :A . "
    + "".join(f"_:H :p1 _:b{one} . _:b{one} a :B . " for one in range(CROWD))
    + "".join(f"_:b{one} :p3 _:b{other} . " for one in range(CROWD) for other in range(one))
)
"""No cycle among the twelve, but long paths: whoever looks for one tries many."""

RING = pattern(
    *(f"_:H ?{one} A p1 B" for one in range(6)),
    *(f"?{one} ?{(one + 1) % 6} B p3 B" for one in range(6)),
    ontology=LETTERS,
)


def test_arc_consistency_refutes_what_a_plain_search_gives_up() -> None:
    matcher = GraphMatcher()
    matcher.add("s", RING)
    assert pairs(matcher, [ALL_KNOW_EACH_OTHER]) == []
    assert matcher.work.steps > QUICK
    assert matcher.undecided == []


FEW, MANY = 8, 9
FULL_HOUSE = event(
    "_:H a :A . " + "".join(f"_:H :p1 _:b{one} . _:b{one} a :B . " for one in range(FEW))
)
ONE_TOO_MANY = pattern(*(f"_:H ?{one} A p1 B" for one in range(MANY)), ontology=LETTERS)
"""Nine different ids for eight vertices: easy to see and hard to search."""


@pytest.mark.parametrize(
    "make",
    [
        lambda: GraphMatcher(limit=50),
        lambda: PaperMatcher(limit=50),
        lambda: PaperMatcher(nodes=50),
    ],
)
def test_what_is_given_up_is_reported_and_never_rings(make: Make) -> None:
    matcher = make()
    matcher.add("hard", ONE_TOO_MANY)
    matcher.add("easy", pattern("_:H ?1 A p1 B", ontology=LETTERS))
    assert pairs(matcher, [auction(), FULL_HOUSE]) == [(1, "easy")]
    assert matcher.undecided == [(1, "hard")]
    assert matcher.work.undecided == 1


LONG = 700
LONG_CHAIN = event(
    "_:H a :A ; :p1 _:b0 . "
    + "".join(f"_:b{one} a :B ; :p1 _:b{one + 1} . " for one in range(LONG))
    + f"_:b{LONG} a :D ."
)
"""Its paths are a quarter of a million."""


@pytest.mark.parametrize("make", MATCHERS, ids=IDS)
def test_paths_without_end_are_given_up_without_harm_to_others(make: Make) -> None:
    matcher = make()
    matcher.add("anywhere", pattern("_:H ?1 A p1 B", "?1 ?2 B p1+ B", ontology=LETTERS))
    matcher.add("no path", pattern("_:H ?1 A p1 B", "?1 ?2 B p1 B", ontology=LETTERS))
    assert pairs(matcher, [LONG_CHAIN]) == [(0, "no path")]
    assert matcher.undecided == [(0, "anywhere")]


def test_a_thorough_search_stops_at_its_limit() -> None:
    with pytest.raises(Undecided):
        Solver(ONE_TOO_MANY, EncodedGraph(FULL_HOUSE.graph), limit=10).exists()


@given(changes=st.lists(st.integers(0, 40), max_size=200))
def test_records_keep_their_numbers_and_close_their_holes(changes: list[int]) -> None:
    records, living = Records(), dict[int, list[int]]()
    for change in changes:
        if change % 3 == 0 and living:
            number = list(living)[change % len(living)]
            records.remove(number)
            del living[number]
        else:
            record = [change] * (50 * change + 1)
            living[records.add(record)] = record
    assert len(records) == len(living)
    for number, record in living.items():
        start = records.starts[number]
        assert records.pool.array[start : start + len(record)].tolist() == record
    assert len(records.pool) <= 2 * sum(map(len, living.values())) + 1024
