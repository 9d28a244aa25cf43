"""What occurrences bind is joined as the reference joins it: agreeing rows only, for every operator
and policy.
"""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tests.engine.detection.test_agreement import expected, key, play
from tocsin.engine.detection.scheduling.network import Network
from tocsin.events.event import Event
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Either,
    End,
    Join,
    Meeting,
    Moment,
    Named,
    Only,
    Part,
    PartAttribute,
    Policy,
    Precedes,
    Related,
    Triggered,
    Waiting,
)
from tocsin.plan.xml.row_terms import ValueCondition
from tocsin.plan.xml.xml_patterns import BoundTo, PatternElement, VariableBinding, XmlBlock
from tocsin.reference.atoms import rows_of

VARIABLES = st.lists(st.sampled_from(["$x", "$y"]), max_size=2, unique=True)
RELATIONS = st.sampled_from(["=", "!=", "<", ">="])


@st.composite
def binding_atoms(draw: st.DrawFn) -> XmlBlock:
    """Events of a kind, with variables for what their fields hold: a list is several rows."""
    wanted = [PatternElement("kind", text=draw(st.sampled_from("ab")))]
    for variable, field in zip(draw(VARIABLES), draw(st.permutations(["v", "w"])), strict=False):
        wanted.append(PatternElement(field, bindings=(VariableBinding(BoundTo.CONTENT, variable),)))
    return XmlBlock(tuple(wanted))


@st.composite
def binding_patterns(draw: st.DrawFn) -> Part:
    """An operator over atoms that bind, or over two such."""
    atoms, policy = binding_atoms(), draw(st.sampled_from(list(Policy)))
    first, last, absent, length = draw(atoms), draw(atoms), draw(atoms), draw(st.integers(0, 4))
    inner = draw(
        st.sampled_from(
            [
                Join((first, last), policy=policy),
                Join((first, last, absent), policy=policy),
                Absence(absent, BetweenWindow(first, last), policy=policy),
                Absence(absent, AfterWindow(first, length), policy=policy),
                Absence(absent, BeforeWindow(last, length), policy=policy),
                Triggered(first, last, draw(st.sampled_from(list(Waiting)))),
                Either((first, last)),
            ]
        )
    )
    compared = ValueCondition("$x", draw(RELATIONS), *draw(st.sampled_from([("1",), (None, "$y")])))
    whole = Join((inner, draw(atoms)), policy=policy)
    return draw(st.sampled_from([inner, whole, Only(inner, Meeting((compared,)))]))


@st.composite
def comparing_patterns(draw: st.DrawFn) -> Part:
    """Named parts whose variables are compared, with each other or with an attribute."""
    first, last = Named("p", draw(binding_atoms())), Named("q", draw(binding_atoms()))
    sides = st.sampled_from(
        [PartAttribute("p", (), "$x"), PartAttribute("q", (), "$y"), PartAttribute("q", ("v",))]
    )
    compared = Related(
        draw(sides), draw(st.sampled_from(["=", "<>", "<", ">="])), PartAttribute("p", (), "$x")
    )
    policy = draw(st.sampled_from(list(Policy)))
    window = draw(st.sampled_from([AfterWindow(first, draw(st.integers(0, 4))), None]))
    follows = (
        (Precedes(Moment(0, End.FINISH), Moment(1, End.START)),) if draw(st.booleans()) else ()
    )
    if window is None:
        return Join((first, last), (*follows, compared), policy, draw(st.sampled_from([None, 3])))
    return Absence(last, window, (compared,), policy)


@st.composite
def binding_timelines(draw: st.DrawFn) -> list[Event]:
    """Events whose fields hold a value, several, or none."""
    values = st.one_of(st.integers(0, 1), st.lists(st.integers(0, 2), max_size=2))
    found = []
    for number in range(draw(st.integers(0, 6))):
        data = {"kind": draw(st.sampled_from("ab")), "v": draw(values), "w": draw(values)}
        found.append(build_event(f"e{number}", time=draw(st.integers(0, 6)), data=data))
    return sorted(found, key=lambda event: event.order)


@given(binding_patterns(), binding_timelines())
def test_rows_are_joined_as_the_reference_joins_them(pattern: Part, events: list[Event]) -> None:
    assert_agree(pattern, events)


@given(binding_atoms(), binding_atoms(), st.integers(1, 4), binding_timelines())
def test_silence_after_an_event_looks_at_what_is_bound(
    first: XmlBlock, absent: XmlBlock, length: int, events: list[Event]
) -> None:
    assert_agree(Absence(absent, AfterWindow(first, length)), events)


@given(comparing_patterns(), binding_timelines())
def test_variables_are_compared_as_the_reference_compares_them(
    pattern: Part, events: list[Event]
) -> None:
    assert_agree(pattern, events)


def assert_agree(pattern: Part, events: list[Event]) -> None:
    network = Network(rows=rows_of)
    network.add("s", pattern)
    found = play(network, events) + network.advance_to(None)
    assert Counter(key(each) for _, each in found) == expected(pattern, events)
