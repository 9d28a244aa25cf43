"""The place of a match is the same whether it is written at once, for who looks at it, or for the
second who is told.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.builders import build_event
from tocsin.events.event import Event
from tocsin.plan.semantics.match_rendering import MatchRenderer, match_of
from tocsin.plan.semantics.occurrence import Occurrence

COORDINATES = st.integers(-180, 180) | st.floats(-90, 90, allow_nan=False)
PLACES = st.one_of(
    st.none(),
    st.builds("POINT ({} {})".format, COORDINATES, COORDINATES),
    st.builds(
        lambda x, y: {"type": "Point", "coordinates": [x, y]}, st.integers(0, 9), st.integers(0, 9)
    ),
    st.just("LINESTRING (0 0, 1 5)"),
    st.just("POINT EMPTY"),
    st.just("POINT Z (1 2 3)"),
)


def event(number: int, place: object) -> Event:
    return build_event(f"e{number}", time=number, place=place)


@given(st.lists(PLACES, max_size=4))
def test_a_place_is_written_alike_whenever_it_is(places: Sequence[object]) -> None:
    members = tuple(event(number, place) for number, place in enumerate(places))
    whole = Occurrence(members, 0, len(members))
    expected = match_of("s", whole)
    told = MatchRenderer(Occurrence(members, 0, len(members)), writes_place=False)
    first, second, third = (told.match(name) for name in "stu")
    assert expected is not None
    assert first is not None
    assert second is not None
    assert third is not None
    assert pickle.loads(pickle.dumps(first)) == first == expected
    assert first.place == second.place == third.place == expected.place
