"""Many records of Kafka become the events that each would become alone; settings of brokers that
cannot work are refused.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as drawn_from
from hypothesis import strategies as st

from tests.engine.test_texts import CROWD, ODD, SAMPLES, told
from tocsin.connectors.kafka import KafkaRecord
from tocsin.engine.json_scan.batch_reader import MIN_TEXTS
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.decode import decode_all
from tocsin.service.settings.sources import kafka_settings, mqtt_settings
from tocsin.service.sources.worker import rows_of_records

HEADERS: tuple[tuple[tuple[str, bytes | None], ...], ...] = (
    (),
    (("content-type", b"application/cloudevents+json; charset=utf-8"),),
    (("Content-Type", b"application/json"), ("trace", None)),
    (("content-type", b"\xff"),),
    (("ce_id", b"b"), ("ce_source", b"s"), ("ce_type", b"t"), ("ce_specversion", b"1.0")),
    (("CE_ID", b"b"), ("ce_source", b"s"), ("ce_type", b"t"), ("content-type", b"text/plain")),
)
RECORDS = st.builds(
    lambda value, headers: KafkaRecord("t", 0, 0, value, headers),
    st.sampled_from([None, *SAMPLES, *ODD]),
    st.sampled_from(HEADERS),
)


def told_of(records: list[KafkaRecord]) -> list[list[tuple[object, ...]]]:
    """What is in the log: who reads it there decodes the text again."""
    return [
        [
            (
                row.tenant,
                row.code,
                row.reason,
                [told(event) for event in row.events or ()],
                [] if row.code else [told(event) for event in decode_all(row.body)],
            )
            for row in rows
        ]
        for rows in rows_of_records(records, "acme")
    ]


@drawn_from(st.lists(RECORDS, max_size=MIN_TEXTS))
def test_records_are_taken_as_each_alone(drawn: list[KafkaRecord]) -> None:
    records = [*drawn, *(KafkaRecord("t", 0, 0, text) for text in CROWD)]
    assert told_of(records) == [rows for record in records for rows in told_of([record])]


@pytest.mark.parametrize(
    ("given", "token"),
    [
        ({"servers": "b:1", "topics": ["a", "b"], "dead_letters": "b"}, "b"),
        ({"topics": ["a"]}, "kafka.servers"),
        ({"dead_letters": "a"}, "kafka.servers"),
        ({"servers": "", "topics": ["a"]}, "kafka.servers"),
    ],
)
def test_settings_of_kafka_that_cannot_work_are_refused(given: dict[str, Any], token: str) -> None:
    with pytest.raises(MeaningProblem) as caught:
        kafka_settings(given)
    assert (caught.value.code, caught.value.token) == ("SettingsError", token)
    assert caught.value.hint


def test_topics_of_mqtt_need_a_host() -> None:
    with pytest.raises(MeaningProblem) as caught:
        mqtt_settings({"topics": ["sensors/#"]})
    assert caught.value.token == "mqtt.host"
    assert mqtt_settings({}).topics == []
