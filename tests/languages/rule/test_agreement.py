"""Random rules over all forms, policies and ways to ring: the engine says what the reference
says.
"""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.languages.rule.test_meaning import DEFINITIONS, EVENTS, rung
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.languages.rule.syntax import ALLEN
from tocsin.plan.nodes.composites import Policy

REGION = Definition("R", region="POLYGON((0 -1, 1 -1, 1 1, 0 1, 0 -1))")
ATOMS = st.sampled_from("ABC")
LENGTHS = st.integers(1, 4).map("{}ms".format)
WITHIN = st.one_of(st.just(""), LENGTHS.map(" WITHIN {}".format))
TIMES = st.sampled_from(["x1", "x2", "x1+", "x2+", "x1..2", "x0..1"])
STATES = st.sampled_from(["v > 0", "v = 1", "INSIDE R", "NEAR R 1", "k IS NULL"])
CHANGES = st.one_of(
    st.builds("({} {} {})".format, ATOMS, st.sampled_from(["BECOMES", "CEASES"]), STATES),
    st.builds("({} HOLDS {} FOR {})".format, ATOMS, STATES, LENGTHS),
    st.builds("{} {} R".format, ATOMS, st.sampled_from(["ENTERS", "LEAVES"])),
)
MEASURES = st.sampled_from(["COUNT({})", "COUNT(DISTINCT {}.v)", "SUM({}.v)", "AVG({}.v)"])
SLIDES = st.builds(
    lambda measure, atom, relation, value, over: (
        f"{measure.format(atom)} {relation} {value} OVER {over}"
    ),
    st.one_of(MEASURES, st.sampled_from(["MIN({}.v)", "MAX({}.v)"])),
    ATOMS,
    st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
    st.integers(0, 3),
    LENGTHS,
)
OF_ONE_WINDOW = st.builds(
    lambda measures, atom, over, every: " AND ".join(
        f"{measure.format(atom)} {relation} {value} OVER {over}{every}"
        for measure, relation, value in measures
    ),
    st.lists(
        st.tuples(
            st.one_of(MEASURES, st.sampled_from(["MIN({}.v)", "MAX({}.v)"])),
            st.sampled_from(["<>", "<", "<=", ">", ">="]),
            st.integers(0, 3),
        ),
        min_size=2,
        max_size=3,
    ),
    ATOMS,
    LENGTHS,
    st.sampled_from(["", "", " EVERY 2ms"]),
)
UNITS = st.one_of(ATOMS, ATOMS, CHANGES, SLIDES.map("({})".format))
FORMS = st.one_of(
    SLIDES,
    CHANGES,
    st.builds("{} THEN {}{}".format, UNITS, UNITS, WITHIN),
    st.builds("{} THEN NO {} WITHIN {}".format, UNITS, ATOMS, LENGTHS),
    st.builds("{} THEN NO {} THEN {}{}".format, UNITS, ATOMS, UNITS, WITHIN),
    st.builds("NO {} WITHIN {} THEN {}".format, ATOMS, LENGTHS, UNITS),
    st.builds("{} THEN {} {} WITHIN {}".format, UNITS, ATOMS, TIMES, LENGTHS),
    st.builds("{} THEN {} {} THEN {}{}".format, ATOMS, ATOMS, TIMES, UNITS, WITHIN),
    st.builds("{} {} WITHIN {} THEN {}{}".format, ATOMS, TIMES, LENGTHS, UNITS, WITHIN),
    st.builds("{} {} {}".format, UNITS, st.sampled_from(ALLEN), UNITS),
    st.builds("{} {} {}".format, UNITS, st.sampled_from(["AND", "OR"]), UNITS),
    st.builds("{} AND {}".format, SLIDES, SLIDES),
    st.builds("{} AND {} AND {}".format, UNITS, SLIDES, UNITS),
    OF_ONE_WINDOW,
    st.builds("({}) THEN {}".format, OF_ONE_WINDOW, UNITS),
    st.builds("a: {} THEN b: {} x1+ THEN C WHERE b.v >= a.v AND SUM(b.v) > 1".format, ATOMS, ATOMS),
)
CLAUSES = st.builds(
    " ".join,
    st.tuples(
        st.sampled_from(["", " FOR EACH k", " FOR EACH k, v"]),
        st.sampled_from(["", "", " ALL WITHIN 4ms"]),
        st.sampled_from([f"POLICY {policy.value}" for policy in Policy]),
    ),
)
RINGS = st.sampled_from(["", " RING EVERY TIME", " RING ONCE", " RING ON CHANGE"])


@settings(max_examples=150, deadline=None)
@given(form=FORMS, clauses=CLAUSES, ring=RINGS, events=EVENTS)
def test_engine_and_reference_agree_on_random_rules(
    form: str, clauses: str, ring: str, events: list[dict[str, object]]
) -> None:
    rings = " OVER " in form and " EVERY " not in form
    text = f"WHEN {form}{clauses}{ring if rings else ''}"
    try:
        plan = compile_subscription(Subscription("s", "rule", text), [*DEFINITIONS, REGION])
    except Problem as problem:
        assume(problem.code not in ("RepeatError", "ForEachError"))
        raise
    found = rung(plan, events)
    assert found["engine"] == found["reference"], text
