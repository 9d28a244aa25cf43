"""Batches are served as single events are: the same occurrences in the same order, the same state
afterwards, whatever comes in between.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tests.engine.detection.test_agreement import ANY_POLICY, expected, key
from tests.timelines import event_at, has_clock, kind
from tocsin.engine.detection import share_groups as crowds
from tocsin.engine.detection.batch import detector, tables
from tocsin.engine.detection.batch import layout as words
from tocsin.engine.detection.batch.emitters import FoundRow
from tocsin.engine.detection.scheduling.network import Network
from tocsin.engine.detection.scheduling.steps import Emissions
from tocsin.events.event import Event
from tocsin.events.matches.match import lazy_matches
from tocsin.hub.hub import Hub
from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition, Equals
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    End,
    Join,
    JoinCondition,
    Moment,
    Named,
    Only,
    Part,
    PartAttribute,
    Plan,
    Policy,
    Precedes,
    Related,
    Share,
)
from tocsin.plan.semantics.bounds import find_expired_window
from tocsin.plan.semantics.match_rendering import match_of
from tocsin.plan.semantics.occurrence import Occurrence
from tocsin.plan.semantics.partitioning import plan_for_partition
from tocsin.reference.atoms import holds
from tocsin.values.partition_hash import partition_of
from tocsin.values.scalars import Constant
from tocsin.values.time import format_instant


@pytest.fixture(autouse=True, scope="module")
def _small_batches_and_small_tables() -> Iterator[None]:
    """Few events are a batch, and tables are cut, grow, and are made anew all the time; those
    who stand in a line need several words, and equal ones that came apart are compared whenever
    they may be.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(detector, "MIN_EVENTS_TO_LOAD", 1)
        patch.setattr(detector, "MIN_EVENTS_TO_STAY", 0)
        patch.setattr(detector, "MAX_PAIRS", 12)
        patch.setattr(tables, "_MIN_CAPACITY", 2)
        patch.setattr(tables, "_MIN_KEYS_TO_REBUILD", 4)
        patch.setattr(words, "WORD_BITS", 2)
        patch.setattr(crowds, "_LEAST_PAUSE", 0)
        yield


Found = list[tuple[str, Occurrence | FoundRow]]

EITHER = Condition(
    AnyOf((Equals(("kind",), Constant.of("a")), Equals(("kind",), Constant.of("b"))))
)
ATOMS = st.sampled_from([kind("a"), kind("a"), kind("b"), kind("b"), EITHER])
WINDOWS = st.sampled_from([0, 1, 2, 4, 4, 20])
KEYS = st.sampled_from([1, 1, 1, 1, 1, 2, 2, 1.0, True, "1", None, [1], 2**60, 2**60 + 1])
NUMBERS = st.sampled_from([0, 0, 1, 1, 2, 3, 1.5, -1, True, "2", None])
ODD_NUMBERS = st.one_of(NUMBERS, st.sampled_from([2**53, 2**53 + 1, 10**400, 1e300]))


SOON: tuple[JoinCondition, ...] = (
    Precedes(Moment(0, End.FINISH), Moment(1, End.START)),
    Precedes(Moment(1, End.FINISH), Moment(0, End.FINISH), -4, True),
)


def related(first: str, left: str, relation: str, second: str, right: str) -> Related:
    return Related(PartAttribute(first, (left,)), relation, PartAttribute(second, (right,)))


EQUALITIES = st.sampled_from(
    [
        (),
        (related("p", "k", "=", "q", "k"),),
        (related("p", "k", "=", "q", "k"),),
        (related("q", "k", "=", "p", "v"),),
        (related("p", "k", "=", "q", "k"), related("p", "v", "=", "q", "v")),
    ]
)
ORDERS = st.lists(
    st.builds(
        related,
        st.just("p"),
        st.sampled_from("vw"),
        st.sampled_from(["<", "<=", ">", ">="]),
        st.just("q"),
        st.sampled_from("vw"),
    ),
    max_size=2,
).map(tuple)
BY = st.sampled_from([(), (), (("k",),), (("k",), ("w",))])


@st.composite
def sequences(draw: st.DrawFn) -> Join:
    """The second ends after the first and within a window; which of them is written first is
    open.
    """
    parts = (Named("p", draw(ATOMS)), Named("q", draw(ATOMS)))
    last = draw(st.integers(0, 1))
    first, window = 1 - last, draw(WINDOWS)
    then = Moment(last, draw(st.sampled_from([End.FINISH, End.START])))
    conditions: tuple[JoinCondition, ...] = (
        Precedes(Moment(first, End.FINISH), then, draw(st.sampled_from([0, 0, 0, 1]))),
        Precedes(Moment(last, End.FINISH), Moment(first, End.FINISH), -window, True),
        *draw(EQUALITIES),
        *draw(ORDERS),
    )
    if draw(st.booleans()):
        further = Precedes(Moment(last, End.START), Moment(first, End.START), -window, True)
        conditions = (*conditions, further)
    return Join(parts, conditions, Policy.DEFERRED, None, draw(BY))


@st.composite
def absences(draw: st.DrawFn) -> Absence:
    """The first is not followed by the second within a window."""
    window = AfterWindow(Named("p", draw(ATOMS)), draw(WINDOWS))
    absent = Named("q", draw(ATOMS))
    return Absence(absent, window, draw(EQUALITIES), Policy.DEFERRED, None, draw(BY))


def of_share(pattern: Part, share: Share) -> Part:
    return plan_for_partition(Plan(pattern), share).pattern


SHARES = st.builds(
    lambda by, shares, number: Share(by, number % shares, shares),
    st.sampled_from([(("k",),), (("k",), ("v",)), (("missing",),)]),
    st.sampled_from([1, 2, 3]),
    st.integers(0, 2),
)
WHOLE = st.one_of(sequences(), absences())
SERVED = st.one_of(WHOLE, WHOLE, st.builds(of_share, WHOLE, SHARES))
NESTED = st.builds(
    lambda inner, other: Join((inner, other), policy=Policy.DEFERRED, keep=4), SERVED, ATOMS
)
SAME_KEY = (related("p", "k", "=", "q", "k"),)
A, B = Named("p", kind("a")), Named("q", kind("b"))
ALIKE = st.one_of(
    st.builds(lambda orders: Join((A, B), (*SOON, *SAME_KEY, *orders)), ORDERS),
    st.builds(lambda last: Join((A, Named("q", last)), (*SOON, *SAME_KEY)), ATOMS),
    st.builds(lambda last: Absence(Named("q", last), AfterWindow(A, 4), SAME_KEY), ATOMS),
)
"""Their first parts wait in two lines, whatever follows."""

ANYTHING = st.one_of(SERVED, SERVED, SERVED, NESTED, ANY_POLICY)
MANY = st.one_of(
    st.lists(ANYTHING, min_size=1, max_size=5), st.lists(ALIKE, min_size=2, max_size=5)
)


@st.composite
def timelines(draw: st.DrawFn, numbers: st.SearchStrategy[Any] = ODD_NUMBERS) -> list[Event]:
    """Events in canonical order, many at the same time, some with extent."""
    found = []
    for number in range(draw(st.integers(0, 24))):
        start = draw(st.integers(0, 9))
        end = start + draw(st.sampled_from([0, 0, 0, 1, 3]))
        data = {"kind": draw(st.sampled_from("aabbc")), "k": draw(KEYS), "v": draw(numbers)}
        data["w"] = draw(NUMBERS)
        found.append(build_event(f"e{number}", time=start, endtime=end, data=data))
    return sorted(found, key=lambda event: event.order)


def keyed(at: int, letter: str, k: int) -> Event:
    return build_event(f"{letter}{at}", time=at, data={"kind": letter, "k": k})


def with_atoms(network: Network, events: Sequence[Event]) -> list[tuple[Event, list[Atom]]]:
    atoms = list(network.atoms)
    return [(event, [atom for atom in atoms if holds(atom, event)]) for event in events]


def one_by_one(network: Network, events: Sequence[Event]) -> Emissions:
    found: Emissions = []
    for event, atoms in with_atoms(network, events):
        found += network.event(event, atoms)
    return found


def as_batch(network: Network, events: Sequence[Event]) -> Found:
    found: Found = []
    for rows, event, atoms in network.batches.detect_batch(with_atoms(network, events)):
        for row in rows:
            if not row.node.is_removed:
                found += [(name, row) for name in row.node.keys]
        found += network.event(event, atoms)
    return found


def told(found: Sequence[tuple[str, Occurrence | FoundRow]]) -> list[tuple[Any, ...]]:
    """What was found for each subscription in its order; within an instant none is promised of what
    time alone brings about.
    """
    silences = [(name, each.end, shown(name, each)) for name, each in found if each.absences]
    pairs = [(name, each.end, shown(name, each)) for name, each in found if not each.absences]
    return [*sorted(pairs, key=itemgetter(0)), *sorted(silences, key=repr)]


def shown(name: str, each: Occurrence | FoundRow) -> tuple[Any, ...]:
    """An occurrence, and the match that it is for a subscriber; what a batch finds renders it
    itself.
    """
    if isinstance(each, FoundRow):
        (match,) = lazy_matches([name], [each.members], [each])
    else:
        match = match_of(name, each)  # type: ignore[assignment]
    return key(each), match.as_json(), [member.identity for member in match.members]


def state_of(network: Network) -> list[Any]:
    """What waits for each and not in vain, what came to the nodes of those who were there first, and the time. Who
    came later may share nodes or not: that hangs on when what is over was forgotten.
    """
    network.forget_before(network.now)
    names = sorted(network._graph.subscriptions)
    waiting = [
        (name, repr(each.owner), each.slot, key(each.occurrence), each.until)
        for name in names
        for each in network.pending(name)
        if each.until is None or each.until >= network.now
    ]
    first = [name for name in names if not name.startswith("more")]
    served = [(each.part, each.received_count) for each in network.view(first)]
    return [waiting, served, network.now, network.known]


def network_of(many: dict[str, Part]) -> Network:
    network = Network()
    for name, pattern in many.items():
        network.add(name, pattern)
    return network


def cut(events: Sequence[Event], at: Sequence[int]) -> list[Sequence[Event]]:
    places = [0, *sorted(min(each, len(events)) for each in at), len(events)]
    return [events[begin:end] for begin, end in pairwise(places)]


class Pair:
    """Two networks with the same subscriptions, of which the second is told batches."""

    def __init__(self, many: dict[str, Part]) -> None:
        self.many = many
        self.plain, self.batched = network_of(many), network_of(many)

    def tell(self, events: Sequence[Event], *, singly: bool) -> None:
        found = (one_by_one if singly else as_batch)(self.batched, events)
        assert told(found) == told(one_by_one(self.plain, events))

    def advance_to(self, now: int | None) -> None:
        assert told(self.batched.advance_to(now)) == told(self.plain.advance_to(now))

    def restart(self, *, swapped: bool) -> None:
        """Either has its own state again, or that of the other."""
        states = [json.loads(json.dumps(each.snapshot())) for each in (self.plain, self.batched)]
        self.plain, self.batched = network_of(self.many), network_of(self.many)
        self.plain.restore(states[swapped])
        self.batched.restore(states[not swapped])

    def add(self, name: str, pattern: Part) -> None:
        self.many[name] = pattern
        self.plain.add(name, pattern)
        self.batched.add(name, pattern)

    def add_again(self, name: str) -> None:
        """One that is there already, unless its window is over."""
        pattern = next(iter(self.many.values()))
        if find_expired_window(pattern, max(self.plain.now, self.plain.known)) is None:
            self.add(name, pattern)

    def remove(self, name: str) -> None:
        del self.many[name]
        self.plain.remove(name)
        self.batched.remove(name)

    def compare(self) -> None:
        assert state_of(self.batched) == state_of(self.plain)


ACTIONS = "- - restart swap add again again remove time forget forget single compare".split()


@given(
    MANY,
    timelines(),
    st.lists(st.integers(0, 24), max_size=5),
    st.lists(st.tuples(st.sampled_from(ACTIONS), SERVED), min_size=6, max_size=6),
)
def test_a_batch_is_served_as_its_events_are(
    many: list[Part], events: list[Event], cuts: list[int], between: list[tuple[str, Part]]
) -> None:
    pair = Pair({str(n): each for n, each in enumerate(many) if not has_clock(each)})
    for number, part in enumerate(cut(events, cuts)):
        action, newcomer = between[number]
        pair.tell(part, singly=action == "single")
        match action:
            case "restart" | "swap":
                pair.restart(swapped=action == "swap")
            case "add":
                pair.add(f"more {number}", newcomer)
            case "again" if pair.many:
                pair.add_again(f"more {number}")
            case "remove" if pair.many:
                pair.remove(next(iter(pair.many)))
            case "time" if part:
                pair.advance_to(part[-1].order[0] + number % 2 - 1)
            case "forget":
                pair.batched.forget_before(pair.batched.now)
            case "compare":
                pair.compare()
    pair.compare()
    pair.advance_to(None)


@given(SERVED, timelines(), st.lists(st.integers(0, 24), min_size=1, max_size=7), st.booleans())
def test_those_who_come_among_batches_ring_as_if_each_were_alone(
    pattern: Part, events: list[Event], cuts: list[int], forgets: bool
) -> None:
    network, found = Network(), Found()
    came: dict[str, int] = {}
    for part in cut(events, cuts):
        came[f"{len(came)}"] = sum(map(len, cut(events, cuts)[: len(came)]))
        network.add(f"{len(came) - 1}", pattern)
        found += as_batch(network, part)
        if forgets:
            network.forget_before(network.now)
    found += network.advance_to(None)
    for name, moment in came.items():
        told_to = Counter(key(each) for ringing, each in found if ringing == name)
        assert told_to == expected(pattern, events[moment:])


@given(
    st.lists(ALIKE, min_size=1, max_size=3), timelines(), st.lists(st.integers(0, 24), max_size=3)
)
def test_a_restart_changes_nothing_for_those_who_share_what_waits(
    many: list[Part], events: list[Event], cuts: list[int]
) -> None:
    named = {str(number): each for number, each in enumerate(many)}
    whole, restarted = network_of(named), network_of(named)
    found: tuple[Emissions, Emissions] = ([], [])
    for part in cut(events, cuts):
        found[0].extend(one_by_one(whole, part))
        found[1].extend(one_by_one(restarted, part))
        state = json.loads(json.dumps(restarted.snapshot()))
        restarted = network_of(named)
        restarted.restore(state)
    found[0].extend(whole.advance_to(None))
    found[1].extend(restarted.advance_to(None))
    assert told(found[0]) == told(found[1])


def test_the_soonest_deadline_counts_whoever_is_restored_first() -> None:
    """One of two who share a line waits for less: the timer of the other is too late for both."""
    many: dict[str, Part] = {
        name: Absence(Named("q", kind(name)), AfterWindow(A, 4), SAME_KEY) for name in "ba"
    }
    network = network_of(many)
    one_by_one(network, [keyed(0, "a", 2), keyed(1, "a", 1), keyed(2, "b", 2)])
    again = network_of(many)
    again.restore(json.loads(json.dumps(network.snapshot())))
    last = keyed(5, "a", 2)
    assert told(one_by_one(again, [last])) == told(one_by_one(network, [last])) != []


@given(SERVED, timelines(), st.lists(st.integers(0, 24), max_size=5))
def test_batches_agree_with_the_reference(
    pattern: Part, events: list[Event], cuts: list[int]
) -> None:
    network = network_of({"s": pattern})
    found: Found = []
    for part in cut(events, cuts):
        found += as_batch(network, part)
    found += network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)


@pytest.fixture
def _whole_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detector, "MAX_PAIRS", 1000)


@pytest.mark.usefixtures("_whole_batches")
def test_the_loops_are_at_work() -> None:
    network = network_of({"s": Join((Named("p", kind("a")), Named("q", kind("b"))), SOON)})
    events = [event_at(number, "ab"[number % 2]) for number in range(100)]
    ((found, asked, _),) = network.batches.detect_batch(with_atoms(network, events))
    assert (network.batches.batches, network.batches.is_at_work) == (1, True)
    assert asked is events[-1]
    pairs = [(row.first.id, row.last.id) for row in found if row.last is not None]
    assert pairs == [(f"a{n}", f"b{n + 1}") for n in range(0, 100, 2)]


@pytest.mark.usefixtures("_whole_batches")
def test_the_loops_serve_more_who_came_one_by_one_than_a_word_has_bits() -> None:
    later = Precedes(Moment(0, End.FINISH), Moment(1, End.START))
    pattern = Join((A, B), (later, *SAME_KEY), keep=20)
    network, count = Network(), 7
    for number in range(count):
        network.add(f"{number}", pattern)
        as_batch(network, [keyed(number, "a", number)])
    found = as_batch(network, [keyed(count + number, "b", number) for number in range(count)])
    assert network.batches.is_at_work
    told_of = Counter(each.start for _, each in found)
    assert told_of == {number: number + 1 for number in range(count)}


@pytest.mark.usefixtures("_whole_batches")
def test_events_with_which_nothing_is_found_are_passed_over_and_counted() -> None:
    network = network_of({"s": Join((Named("p", kind("a")), Named("q", kind("b"))), SOON)})
    events = [event_at(number) for number in range(100)]
    asked = []
    for _, event, atoms in network.batches.detect_batch(with_atoms(network, events)):
        asked.append(event.id)
        network.event(event, atoms)
    assert asked == ["a99"]
    assert [each.received_count for each in network.view(["s"])] == [100, 100, 0, 0, 100]


@pytest.mark.usefixtures("_whole_batches")
def test_a_share_is_passed_over_and_counted_alone() -> None:
    """Which of two keys is in the share is told by the share itself."""
    share = Share((("k",),), 0, 2)
    inside, outside = sorted(range(20), key=lambda k: partition_of([k], 2))[::19]
    network = network_of({"s": of_share(Join((A, B), (*SOON, *SAME_KEY)), share)})
    events = [keyed(number, "a", (inside, outside)[number % 2]) for number in range(100)]
    for _, event, atoms in network.batches.detect_batch(with_atoms(network, events)):
        network.event(event, atoms)
    assert network.batches.batches == 1
    served = {repr(each.part): each.received_count for each in network.view(["s"])}
    assert served[repr(Only(kind("a"), share))] == 100
    assert served[repr(Named("p", Only(kind("a"), share)))] == 50


TEXTS = (
    '=|($X;;4s)($Y;) WHERE $X;.k = $Y;.k AND $Y;.v > $X;.v, $X; = (STRING: kind = "a"), '
    '$Y; = (STRING: kind = "b")',
    '!($X;;4s)($Y;) WHERE $X;.k = $Y;.k, $X; = (STRING: kind = "a"), $Y; = (STRING: kind = "b")',
    '!($X;;4s)($Y;) WHERE $X;.k = $Y;.k, $X; = (STRING: kind = "b"), $Y; = (STRING: kind = "c")',
    '=|($X;;2s)($Y;), $X; = (STRING: kind = "a"), $Y; = (STRING: kind = "c")',
    '!($X;;3s)($Y;), $X; = (ARITH: v > 1), $Y; = (STRING: kind = "b")',
)
RULES = (
    "WHEN t(kind = 'a') THEN t(kind = 'b') THEN t(kind = 'c') WITHIN 4s FOR EACH k",
    "WHEN t(kind = 'a') THEN NO t(kind = 'b') WITHIN 3s OR t(kind = 'c') THEN t(kind = 'a') WITHIN 2s",
    "WHEN x: t(kind = 'a') THEN y: t(kind = 'b') WITHIN 4s SELECT y.v AS value",
)
"""Two whose parts are pairs and absences, and one that selects a value."""
READINGS = st.lists(
    st.tuples(st.sampled_from("aabbc"), st.sampled_from([1, 1, 2, None]), NUMBERS), max_size=40
)


@given(READINGS, st.sampled_from([2, 3, 5, 1000]), st.integers(1, 40))
def test_a_hub_tells_of_a_batch_what_it_tells_of_its_events(
    readings: list[tuple[str, object, object]], queue_limit: int, size: int
) -> None:
    """Sequences that are suspended because too much waits included; of absences some that are
    broken count until they are dropped, which hangs on the cut.
    """
    chosen = [text for text in TEXTS if text[0] == "=" or queue_limit == 1000]
    given_ = [
        {
            "id": str(number),
            "source": "s",
            "type": "t",
            "time": format_instant(number * 400_000),
            "data": {"kind": letter, "k": k, "v": v},
        }
        for number, (letter, k, v) in enumerate(readings)
    ]
    told_by = []
    for at_once in (1, size):
        hub = Hub(ahead=None, lateness="0s", queue_limit=queue_limit)
        for number, text in enumerate(chosen):
            hub.subscribe(text, language="opsl", id=str(number))
        for number, text in enumerate(RULES if queue_limit == 1000 else ()):
            hub.subscribe(text, language="rule", id=f"rule {number}")
        lines: list[str] = []
        for begin in range(0, len(given_), at_once):
            found = hub.publish(*given_[begin : begin + at_once])
            instants = [each.detected or 0 for each in found]
            assert instants == sorted(instants)
            lines += [each.line() for each in found]
        lines += [each.line() for each in hub.advance_to("1970-01-01T01:00:00Z")]
        told_by.append((sorted(lines), sorted(letter.text() for letter in hub.dead_letters)))
    assert told_by[0] == told_by[1]
