"""Whatever is wrong with a document or a query, it is a problem with a reason, and nothing else is raised."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.epcis.writing import EVENTS, as_document, as_xml
from tocsin.errors import Problem
from tocsin.events.codecs.epcis.inside import decode_all
from tocsin.languages import problems_in_subscription
from tocsin.languages.epcis.parameters import examples

ODD = st.sampled_from(
    [None, True, 0, -1.5, "", " ", "x", ":", "a:b", "urn:epc:id:sgtin:1", "geo:1", [], [[]], {}, "é\n"]
)
JUNK = st.recursive(
    ODD, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
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
    document = replaced(as_document(event), steps, junk)
    for text in (json.dumps(document), json.dumps({"id": "1", "source": "s", "type": "t", "data": document})):
        with suppress(Problem):
            decode_all(text)


@given(EVENTS, st.integers(0, 3000), st.integers(0, 60), st.text('<>/&é" x', max_size=6))
def test_junk_anywhere_in_the_text(event: dict[str, Any], start: int, length: int, junk: str) -> None:
    for text in (as_xml(event), json.dumps(as_document(event))):
        with suppress(Problem):
            decode_all(text[:start] + junk + text[start + length :])


@given(st.binary(max_size=80))
def test_any_bytes(raw: bytes) -> None:
    for text in (raw, b"<" + raw, b"{" + raw):
        with suppress(Problem):
            decode_all(text)


@given(st.dictionaries(st.sampled_from([*examples(), *EXTENSIONS]) | st.text(max_size=8), JUNK, max_size=4))
def test_any_query(query: dict[str, Any]) -> None:
    problems_in_subscription("epcis", json.dumps(query), {})


@given(st.text(max_size=40))
def test_any_text_as_a_query(text: str) -> None:
    for each in (text, "<" + text, "{" + text, '"' + text):
        problems_in_subscription("epcis", each, {})
