"""Elements with many attributes: the views tell all of them, as lxml does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.views.canonical import canonical
from tocsin.events.views.document import attributes_in, parse_xml

BOMB = 60_000
"""So many once took 24 s, as each name was looked up again."""

names = st.sampled_from(["", "p:", "q:", "xml:"])


def text_with(names: list[str]) -> str:
    written = " ".join(f'{name}="{number}"' for number, name in enumerate(names))
    return f'<r xmlns:p="urn:p" xmlns:q="urn:q"><a {written}/></r>'


@given(st.lists(st.tuples(names, st.integers(0, 99)), max_size=60, unique=True))
def test_attributes_are_told_as_lxml_tells_them(drawn: list[tuple[str, int]]) -> None:
    element = parse_xml(text_with([f"{prefix}n{number}" for prefix, number in drawn]))[0]
    assert attributes_in(element) == list(element.attrib.items())


def test_many_attributes_are_told_in_their_order() -> None:
    element = parse_xml(text_with([f"n{number}" for number in range(BOMB)]))[0]
    found = attributes_in(element)
    assert found == [(f"n{number}", str(number)) for number in range(BOMB)]


def test_a_bomb_of_attributes_is_an_event() -> None:
    data = text_with([f"n{number}" for number in range(BOMB)])
    event = from_mapping(
        {"id": "1", "source": "s", "type": "t", "datacontenttype": "application/xml", "data": data}
    )
    assert event.attribute(("a", "@n59999")) == "59999"
    assert canonical(event.document).count("=") == BOMB
    assert etree.tostring(event.document).count(b"=") == BOMB + 2
