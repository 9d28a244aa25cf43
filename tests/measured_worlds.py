"""Random parts that count, measure and watch for changes, over the small worlds of
tests.timelines.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tocsin.plan.nodes.atoms import AllOf, Condition, Equals, Ordered, PlaceIs
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Fulfilling,
    Gathered,
    Join,
    Keyed,
    Named,
    NamedCondition,
    Only,
    Part,
    PartAttribute,
    Policy,
    Related,
    Sliding,
)
from tocsin.plan.nodes.expressions import (
    RELATIONS,
    Aggregate,
    Apart,
    Attribute,
    Call,
    Lasts,
    Measure,
    MeasureCondition,
    Ring,
    Satisfies,
    Value,
)
from tocsin.values.scalars import Constant
from tocsin.values.space import SpatialRelation

Parts = st.SearchStrategy[Part]
DURATIONS = st.integers(0, 4)
KEEPS = st.sampled_from([None, 0, 1, 3])
BY = st.sampled_from([(), (), (("kind",),), (("v",),), (("v",), ("kind",))])
ANYTHING = Condition(AllOf(()))
STATES = st.sampled_from(
    [
        Condition(Ordered(("v",), ">", Constant.of(0))),
        Condition(Equals(("kind",), Constant.of("b"))),
        Condition(PlaceIs(SpatialRelation.INSIDE, "POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))")),
    ]
)
ELEMENTS = ("e", ("v",))
MEASURES = st.one_of(
    st.just(Measure(Aggregate.COUNT)),
    st.sampled_from([each for each in Aggregate if each is not Aggregate.COUNT]).map(
        lambda each: Measure(each, ("v",))
    ),
)


MEASURE_CONDITIONS = st.builds(
    MeasureCondition, MEASURES, st.sampled_from(RELATIONS), st.sampled_from([0, 1, 2, 1.5])
)


def _of(name: str) -> Attribute:
    return Attribute((name, "v"))


AGGREGATES = [
    Satisfies(Call(">", (Call("SUM", (_of("r"),)), Value(Constant.of(1))))),
    Satisfies(Call("<=", (Call("COUNT", (Attribute(("r",)),)), Call("MAX", (_of("r"),))))),
    Satisfies(Call("=", (Call("FIRST", (_of("r"),)), Call("LAST", (_of("r"),))))),
    Satisfies(Call("<", (Call("AVG", (_of("r"),)), _of("p")))),
]
ASKED: list[NamedCondition] = [
    Related(PartAttribute("r", ("v",)), "=", PartAttribute("p", ("v",))),
    Related(PartAttribute("p", ("v",)), "=", PartAttribute("q", ("v",))),
    Satisfies(Call(">=", (_of("r"), Call("-", (_of("p"), Value(Constant.of(1))))))),
    Satisfies(Call("<>", (_of("p"), _of("q")))),
    Apart("p", SpatialRelation.WITHIN, "r", 1.0),
    Apart("p", SpatialRelation.NEARER, "r", 1.5, negated=True),
    Lasts(3),
    *AGGREGATES,
]


@st.composite
def slidings(draw: st.DrawFn, atoms: Parts) -> Sliding:
    """Measures over time, per key or per element, on change, every time, once, again and again."""
    part = draw(st.one_of(st.just(ANYTHING), st.just(ANYTHING), atoms))
    each = draw(st.sampled_from(["", "", "", "e"]))
    every = draw(st.sampled_from([None, None, None, 1, 2, 4]))
    ring = Ring.EVERY_TIME if every else draw(st.sampled_from(list(Ring)))
    return Sliding(
        Named("m", part, ELEMENTS) if each else part,
        draw(MEASURES),
        draw(st.sampled_from(RELATIONS)),
        draw(st.sampled_from([0, 1, 2, 1.5])),
        draw(st.integers(1, 6)),
        every,
        ring,
        draw(BY),
        each,
        draw(KEEPS),
        tuple(draw(st.lists(MEASURE_CONDITIONS, max_size=2))),
    )


@st.composite
def state_changes(draw: st.DrawFn, atoms: Parts) -> Change:
    """A state begins to hold, or holds no more."""
    part, each = draw(st.one_of(atoms, st.just(ANYTHING))), draw(st.sampled_from(["", "", "e"]))
    watched = Named("m", part, ELEMENTS) if each else part
    return Change(watched, draw(STATES), draw(st.booleans()), draw(BY), each, draw(KEEPS))


@st.composite
def held_states(draw: st.DrawFn) -> Absence:
    """A state that holds for a time."""
    state, by, keep = draw(STATES), draw(BY), draw(KEEPS)
    begins, ends = (Change(ANYTHING, state, each, by, keep=keep) for each in (True, False))
    return Absence(ends, AfterWindow(Named("since", begins), draw(DURATIONS)), by=by)


@st.composite
def gatherings(draw: st.DrawFn, inner: Parts, atoms: Parts, policy: Policy) -> Gathered:
    """All that came in a window after, between or before parts."""
    least = draw(st.integers(0, 2))
    most = draw(st.sampled_from([None, None, least, least + 1]))
    by, keep, asked = draw(BY), draw(KEEPS), draw(st.booleans())
    part, first, last = draw(atoms), draw(inner), draw(inner)
    conditions: tuple[NamedCondition, ...] = ()
    if asked:
        part, first, last = (
            Named(name, draw(st.one_of(atoms, st.just(ANYTHING)))) for name in ("r", "p", "q")
        )
        conditions = tuple(draw(st.lists(st.sampled_from(ASKED), unique=True, max_size=2)))
    if draw(st.integers(0, 4)) == 0:
        part, first = (Named(name, draw(atoms), ELEMENTS) for name in ("r", "p"))
    limit = draw(st.sampled_from([None, None, 1, 3]))
    window = draw(
        st.sampled_from(
            [
                BetweenWindow(first, last),
                BeforeWindow(first, draw(DURATIONS), draw(st.booleans())),
                AfterWindow(first, draw(DURATIONS)),
            ]
        )
    )
    if isinstance(window, AfterWindow):
        limit = None
    return Gathered(part, window, least, most, conditions, policy, keep, by, limit)


@st.composite
def keyed(draw: st.DrawFn, inner: Parts, atoms: Parts, policy: Policy) -> Part:
    """Joins and absences for each key."""
    by, keep = draw(BY), draw(KEEPS)
    first, last = draw(inner), draw(inner)
    window = draw(
        st.sampled_from(
            [
                BetweenWindow(first, last),
                AfterWindow(first, draw(DURATIONS)),
                BeforeWindow(last, draw(DURATIONS), draw(st.booleans())),
            ]
        )
    )
    parts = draw(st.sampled_from([(first, last), (first, last, draw(atoms))]))
    return draw(
        st.sampled_from(
            [
                Join(parts, (), policy, keep, by),
                Join(parts, (Lasts(draw(DURATIONS)),), policy, keep, by),
                Absence(draw(atoms), window, (), policy, keep, by),
            ]
        )
    )


@st.composite
def asked(draw: st.DrawFn, inner: Parts) -> Only:
    """Parts that have a key, or do not last too long."""
    restrictions: list[Any] = [Keyed((("v",),)), Fulfilling((Lasts(draw(DURATIONS)),))]
    return Only(draw(inner), draw(st.sampled_from(restrictions)))


def measured_parts(inner: Parts, atoms: Parts, policy: Policy) -> Parts:
    """All of them."""
    return st.one_of(
        gatherings(inner, atoms, policy),
        gatherings(inner, atoms, policy),
        slidings(atoms),
        slidings(atoms),
        state_changes(atoms),
        held_states(),
        keyed(inner, atoms, policy),
        asked(inner),
    )
