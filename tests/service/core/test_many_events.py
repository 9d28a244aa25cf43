"""A request with more events than it may have: refused as soon as that is seen, whatever its form."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.service.core.asking import Asked, event
from tocsin.errors import LimitProblem
from tocsin.events.codecs import decode as inside
from tocsin.events.codecs.epcis import document
from tocsin.service.core import ingest as reception
from tocsin.service.core.ingest import receive

MOST = 10
MANY = 5_000

EPCIS_EVENT = {
    "type": "ObjectEvent",
    "eventTime": "2026-01-01T08:00:00Z",
    "eventTimeZoneOffset": "+00:00",
    "action": "OBSERVE",
    "epcList": ["urn:epc:id:sgtin:0614141.107346.2018"],
}


def _epcis(count: int) -> dict[str, Any]:
    return {
        "type": "EPCISDocument",
        "@context": ["https://ref.gs1.org/standards/epcis/epcis-context.jsonld"],
        "schemaVersion": "2.0",
        "creationDate": "2026-01-01T08:00:00Z",
        "epcisBody": {"eventList": [EPCIS_EVENT] * count},
    }


def _epcis_xml(count: int) -> str:
    one = (
        "<ObjectEvent><eventTime>2026-01-01T08:00:00Z</eventTime>"
        "<eventTimeZoneOffset>+00:00</eventTimeZoneOffset><epcList>"
        "<epc>urn:epc:id:sgtin:0614141.107346.2018</epc></epcList><action>OBSERVE</action>"
        "</ObjectEvent>"
    )
    return (
        '<e:EPCISDocument xmlns:e="urn:epcglobal:epcis:xsd:2" schemaVersion="2.0"'
        ' creationDate="2026-01-01T08:00:00Z"><EPCISBody><EventList>'
        f"{one * count}</EventList></EPCISBody></e:EPCISDocument>"
    )


def _enveloped(data: object, kind: str) -> str:
    return json.dumps(event("1") | {"data": data, "datacontenttype": kind})


LINES, BATCH = "application/x-ndjson", "application/cloudevents-batch+json"
ONE, JSON_LD, XML = "application/cloudevents+json", "application/ld+json", "application/xml"
Write = Callable[[int], str]
FORMS: dict[str, tuple[str, Write]] = {
    "lines of objects": (LINES, lambda n: "{}\n" * n),
    "lines of events": (LINES, lambda n: "\n".join([json.dumps(event("1"))] * n)),
    "lines with blank ones": (LINES, lambda n: " \r\n\n{}\r" * n),
    "lines that are no JSON": (LINES, lambda n: "x\n" * n),
    "a batch of objects": (BATCH, lambda n: f"[{','.join(['{}'] * n)}]"),
    "a batch of numbers": (BATCH, lambda n: json.dumps([1] * n)),
    "a batch of arrays": (BATCH, lambda n: json.dumps([[]] * n)),
    "a broken batch": (BATCH, lambda n: "[{}" + ",{}" * (n - 1)),
    "an array": ("application/json", lambda n: json.dumps([event("1")] * n)),
    "a list of JSON-LD": (JSON_LD, lambda n: json.dumps([event("1")] * n)),
    "an EPCIS document": ("application/json", lambda n: json.dumps(_epcis(n))),
    "an EPCIS document of JSON-LD": (JSON_LD, lambda n: json.dumps(_epcis(n))),
    "an EPCIS document of XML": (XML, _epcis_xml),
    "EPCIS in an event": (ONE, lambda n: _enveloped(_epcis(n), "application/json")),
    "EPCIS as XML in an event": (ONE, lambda n: _enveloped(_epcis_xml(n), XML)),
    "EPCIS in a line": (LINES, lambda n: json.dumps(_epcis(n))),
    "EPCIS in lines": (LINES, lambda n: "\n".join([json.dumps(_epcis(MOST // 2))] * n)),
}


@pytest.mark.parametrize("form", FORMS)
def test_reading_ends_at_the_first_event_too_many(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Work is counted: texts and EPCIS events that are read."""
    work: Counter[str] = Counter()
    for module, name in (
        (reception, "decode_all"),
        (document, "normal_event"),
        (inside, "event_of"),
        (reception, "encode"),
    ):
        monkeypatch.setattr(module, name, _counted(work, getattr(module, name)))
    kind, write = FORMS[form]
    with pytest.raises(LimitProblem) as refused:
        receive(write(MANY).encode(), {"content-type": kind}, most=MOST)
    assert refused.value.code == "RequestTooLarge"
    assert "more than 10 events" in refused.value.message
    assert sum(work.values()) <= 3 * MOST, work


def _counted(work: Counter[str], call: Callable[..., Any]) -> Callable[..., Any]:
    def counted(*args: Any, **named: Any) -> Any:
        work[call.__name__] += 1
        return call(*args, **named)

    return counted


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("count", [1, 2, MOST])
def test_as_many_as_may_be_are_read_as_without_a_limit(form: str, count: int) -> None:
    kind, write = FORMS[form]
    if form == "EPCIS in lines":
        count = min(count, 2)
    if form == "a broken batch":  # the missing end is a rejected row, too
        count = min(count, MOST - 1)
    body, headers = write(count).encode(), {"content-type": kind}
    free, bound = receive(body, headers), receive(body, headers, most=MOST)
    assert bound.rejected == free.rejected
    assert [row.code for row in bound.rows] == [row.code for row in free.rows]
    assert sum(len(row.events or ()) or 1 for row in bound.rows) >= count


@given(st.lists(st.sampled_from([b"{}", b" ", b"\n", b"\r", b"\t", b"x y", b"\x0c", b"1"])))
def test_lines_are_those_that_are_not_blank(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    found = [raw for raw, _ in reception._lines(body)]
    lines = [line.strip() for line in body.splitlines() if line.strip()]
    assert [line.strip() for line in found] == lines


def test_the_answer_is_a_problem_and_nothing_is_kept(start: Any) -> None:
    asked: Asked = start(limits={"request_events": MOST})
    for form, (kind, write) in FORMS.items():
        answer = asked.http.post(
            "/v1/events", content=write(MANY).encode(), headers={"content-type": kind}
        )
        assert answer.status_code == 413, form
        assert answer.json()["code"] == "RequestTooLarge"
    assert asked.service.log.head == 0
