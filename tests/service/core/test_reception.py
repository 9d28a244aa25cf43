"""Many texts in one request become the rows that each would become alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tests.engine.test_texts import CROWD, ODD, SAMPLES, told
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.service.core.ingest import BATCHED, LINES, IngestResult, receive
from tocsin.service.storage.rows import NewRow

ONE_LINE = [text.strip() for text in (*SAMPLES, *ODD) if b"\n" not in text.strip()]


def rows(found: IngestResult) -> list[tuple[object, ...]]:
    return [_row(row) for row in found.rows]


def _row(row: NewRow) -> tuple[object, ...]:
    events = None if row.events is None else [told(event) for event in row.events]
    return row.body, row.tenant, row.code, row.reason, events


def alone(text: bytes, kind: str) -> list[tuple[object, ...]]:
    body = b"[%s]" % text if kind == BATCHED else text
    return rows(receive(body, {"content-type": kind}, "acme"))


@given(st.lists(st.sampled_from(ONE_LINE), max_size=MIN_TEXTS))
def test_lines_are_received_as_each_alone(drawn: list[bytes]) -> None:
    texts = [*CROWD, *drawn]
    found = receive(b"\n".join(texts), {"content-type": LINES}, "acme")
    assert rows(found) == [row for text in texts if text for row in alone(text, LINES)]
    assert found.accepted == sum(row[2] is None for row in rows(found))


@given(st.lists(st.sampled_from(SAMPLES), max_size=MIN_TEXTS))
def test_a_batch_is_received_as_each_alone(drawn: list[bytes]) -> None:
    texts = [text.strip() for text in (*drawn, *CROWD)]
    found = receive(b"[%s]" % b",".join(texts), {"content-type": BATCHED}, "acme")
    assert rows(found) == [row for text in texts for row in alone(text, BATCHED)]


def test_a_refused_one_among_many_keeps_its_number() -> None:
    texts = [*CROWD, b'{"id":"1"}', *CROWD[:2]]
    found = receive(b"\n".join(texts), {"content-type": LINES})
    assert [each.index for each in found.rejected] == [MIN_TEXTS]
    assert found.accepted == MIN_TEXTS + 2
