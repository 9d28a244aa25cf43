"""Whatever is wrong with a document or a query, it is a problem with a reason, and nothing else is
raised.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.events.epcis.writing import EVENTS, as_document, as_xml
from tocsin.errors import EventProblem, Problem
from tocsin.events.codecs.decode import decode_all
from tocsin.events.matches.match import turtle
from tocsin.languages import problems_in_subscription
from tocsin.languages.epcis.parameters import examples

ODD = st.sampled_from(
    [
        None,
        True,
        0,
        -1.5,
        "",
        " ",
        "x",
        ":",
        "a:b",
        "urn:epc:id:sgtin:1",
        "geo:1",
        [],
        [[]],
        {},
        "é\n",
    ]
)
WORDS = st.sampled_from(
    "type @type @id id @value #text ex:y urn:q eventID bizStep disposition readPoint bizTransactionList bizTransaction "
    "sourceList source sensorElementList sensorReport sensorMetadata time set epcList epcClass quantityList component "
    "uriValue reason @masterData".split()
)
"""Names with a meaning of their own somewhere in EPCIS or JSON-LD, and names without."""
JUNK = st.recursive(
    ODD,
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(WORDS | st.text(max_size=4), inner, max_size=2)
    ),
)
EXTENSIONS = [
    "EQ_x:y",
    "EQ_INNER_ILMD_urn:a#b",
    "EQATTR_cbvmda:a_b",
    "EQATTR_cbvmda:a",
    "HASATTR_:",
    "GT_ILMD_:x",
    "EQ_:",
]


def replaced(value: Any, steps: list[int], junk: Any) -> Any:
    """The value with junk somewhere inside, where the steps lead."""
    if not steps or not isinstance(value, dict | list) or not value:
        return junk
    if isinstance(value, dict):
        name = sorted(value)[steps[0] % len(value)]
        return value | {name: replaced(value[name], steps[1:], junk)}
    at = steps[0] % len(value)
    return [*value[:at], replaced(value[at], steps[1:], junk), *value[at + 1 :]]


@given(EVENTS, st.lists(st.integers(0, 20), min_size=1, max_size=7), JUNK)
def test_junk_anywhere_in_a_document(event: dict[str, Any], steps: list[int], junk: Any) -> None:
    look_at(replaced(as_document(event), steps, junk))


@given(EVENTS, WORDS, JUNK)
def test_junk_in_an_extension(event: dict[str, Any], word: str, junk: Any) -> None:
    look_at(event | {"ex:own": {word: junk, "ex:more": [{word: junk}]}})


@pytest.mark.parametrize(
    "own",
    [
        {"@type": [{"sensorReport": [{"type": None}]}]},
        {"sensorReport": [{"type": 3}, {"type": None}, {"type": [[]]}]},
        {"bizStep": None, "disposition": [[], True], "epcList": 1e300, "quantityList": False},
        {"readPoint": {"id": {"a": 1}}, "bizTransactionList": {"bizTransaction": []}},
        {"@value": {"epcList": 1}},
        {"sensorMetadata": {"time": "soon", "startTime": 3}},
    ],
    ids=str,
)
def test_words_of_the_standard_in_an_extension_that_are_not_what_they_say(
    own: dict[str, Any],
) -> None:
    event: dict[str, Any] = {
        "type": "ObjectEvent",
        "action": "OBSERVE",
        "epcList": ["urn:epc:id:sgtin:1.2.3"],
    }
    event |= {"eventTime": "2026-01-31T08:00:00Z", "eventTimeZoneOffset": "+00:00"}
    look_at(event | {"ex:own": own})


def test_a_type_that_is_no_name_is_the_problem_of_the_event() -> None:
    event: dict[str, Any] = {
        "type": "ObjectEvent",
        "action": "OBSERVE",
        "epcList": ["urn:epc:id:sgtin:1.2.3"],
    }
    event |= {"eventTime": "2026-01-31T08:00:00Z", "eventTimeZoneOffset": "+00:00"}
    for own in ({"@type": [{"sensorReport": 1}]}, {"@id": 3, "ex:a": 1}):
        (found,) = decode_all(json.dumps(event | {"ex:own": own}))
        with pytest.raises(EventProblem, match=r"@(type|id) is a text"):
            _ = found.graph


def look_at(document: dict[str, Any]) -> None:
    """Reads a document, with and without an envelope, and asks each of its events for all that it
    offers.
    """
    for text in (
        json.dumps(document),
        json.dumps({"id": "1", "source": "s", "type": "t", "data": document}),
    ):
        with suppress(Problem):
            for event in decode_all(text):
                _ = event.document, event.attributes
                turtle(event)
                _ = event.graph


@given(EVENTS, st.integers(0, 3000), st.integers(0, 60), st.text('<>/&é" x', max_size=6))
def test_junk_anywhere_in_the_text(
    event: dict[str, Any], start: int, length: int, junk: str
) -> None:
    for text in (as_xml(event), json.dumps(as_document(event))):
        with suppress(Problem):
            decode_all(text[:start] + junk + text[start + length :])


@given(st.binary(max_size=80))
def test_any_bytes(raw: bytes) -> None:
    for text in (raw, b"<" + raw, b"{" + raw):
        with suppress(Problem):
            decode_all(text)


@given(
    st.dictionaries(
        st.sampled_from([*examples(), *EXTENSIONS]) | st.text(max_size=8), JUNK, max_size=4
    )
)
def test_any_query(query: dict[str, Any]) -> None:
    problems_in_subscription("epcis", json.dumps(query), {})


@given(st.text(max_size=40))
def test_any_text_as_a_query(text: str) -> None:
    for each in (text, "<" + text, "{" + text, '"' + text):
        problems_in_subscription("epcis", each, {})
