"""Time clauses on random timelines: the engine finds and builds what the reference does, in every
context.
"""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tests.languages.exmlql.asking import parsed
from tocsin.events.event import Event
from tocsin.languages import warnings_in_subscription
from tocsin.plan.passes import prepared
from tocsin.reference import matches
from tocsin.runtime.finite_run import Input, match_events

SECOND = 1_000_000
BLOCKS = ("#A", "#B", "#C")
WHERE = "WHERE <a><k>$x</><v>$a</></> #A <b><k>$x</></> #B <c><k>$y</></> #C "
CONTEXTS = ("", "CONTEXT Recent", "CONTEXT Exclusive", "CONTEXT Globe", "CONTEXT Recent, Globe")

times = st.tuples(st.integers(0, 12), st.integers(0, 4))
documents = st.tuples(st.sampled_from("abcx"), st.sampled_from("12"), st.sampled_from("56"), times)


@st.composite
def clauses(draw: st.DrawFn) -> str:
    """A time clause that uses each of the three blocks once."""
    one, two, three = draw(st.permutations(BLOCKS))
    form = draw(
        st.sampled_from(
            (
                "{0} {o} {1} {p} {2}",
                "{0} {o} ({1} {p} {2}){c}",
                "({0} {o} {1}){c} | {2}",
                "({0} _|_ {1}) {2}",
                "({0} _|_ 4s) {1} {o} {2}",
                "({0} _|_ {1}) !{2}",
                "({0} _|_ 4s) !{1} {o} {2}",
                "",
            )
        )
    )
    operators = st.sampled_from((";", ":", "||"))
    bracket = draw(st.sampled_from(("", "", "[Globe]", "[Exclusive]")))
    return form.format(one, two, three, o=draw(operators), p=draw(operators), c=bracket)


def event(number: int, document: tuple[str, str, str, tuple[int, int]]) -> Event:
    name, key, value, (start, length) = document
    return build_event(
        f"e{number}",
        time=start * SECOND,
        endtime=(start + length) * SECOND,
        content_type="application/xml",
        data=f"<{name}><k>{key}</k><v>{value}</v></{name}>",
    )


@given(clauses(), st.sampled_from(CONTEXTS), st.booleans(), st.lists(documents, max_size=12))
def test_the_engine_finds_what_the_reference_does(
    clause: str, contexts: str, within: bool, timeline: list[tuple[str, str, str, tuple[int, int]]]
) -> None:
    if not clause:
        contexts = ""
    limit = " WITHIN 8s " if within else " "
    plan = prepared(parsed(f"{WHERE}{clause}{limit}{contexts} CONSTRUCT <o>fixed</>"))
    events = sorted(
        (event(number, each) for number, each in enumerate(timeline)), key=lambda each: each.order
    )
    found = match_events({"s": plan}, Input(events))
    assert [match.as_json() for match in found] == [
        match.as_json() for match in matches("s", plan, events)
    ]


@st.composite
def clauses_that_repeat(draw: st.DrawFn) -> str:
    """A time clause that uses blocks several times, all three of them somewhere."""
    one, two, three, four = (draw(st.sampled_from(BLOCKS)) for _ in range(4))
    form = draw(
        st.sampled_from(
            (
                "({0} {o} {1}) {p} {2}",
                "{0} {o} ({1} {p} {2})",
                "({0} {o} {1}) {p} ({2} {q} {3})",
                "({0} | {1}) {o} {2}",
                "({0} _|_ {1}) {2}",
                "({0} _|_ 9s) ({1} {o} {2})",
            )
        )
    )
    operators = st.sampled_from((";", ":", "||"))
    o, p, q = (draw(operators) for _ in range(3))
    return form.format(one, two, three, four, o=o, p=p, q=q)


@given(clauses_that_repeat(), st.lists(documents, min_size=4, max_size=12))
def test_a_clause_that_is_said_never_to_ring_never_does(
    clause: str, timeline: list[tuple[str, str, str, tuple[int, int]]]
) -> None:
    where = " ".join(f"<{name[1].lower()}></> {name}" for name in BLOCKS if name in clause)
    text = f"WHERE {where} {clause} CONTEXT Globe CONSTRUCT <o>fixed</>"
    warned = warnings_in_subscription("exmlql", text, {})
    events = sorted(
        (event(number, each) for number, each in enumerate(timeline)), key=lambda each: each.order
    )
    if any(each.code == "UNSATISFIABLE" for each in warned):
        assert matches("s", prepared(parsed(text)), events) == []
