"""Messages of a real MQTT server into the log of a service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.connectors.mqtt.mosquitto import Mosquitto
from tests.connectors.mqtt.test_connector import EVENT, says, send
from tests.waiting import wait_until
from tocsin.errors import MeaningProblem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.bindings import structured_message
from tocsin.service.core.service import Service
from tocsin.service.operations.components import open_service
from tocsin.service.settings.settings import load_settings
from tocsin.service.settings.sources import mqtt_settings

pytestmark = pytest.mark.mqtt


def service_of(folder: Path, server: Mosquitto) -> Service:
    mqtt = {"host": "127.0.0.1", "port": server.port, "topics": ["sensors/#"]}
    return open_service(load_settings(data=folder / "data", auth=False, mqtt=mqtt))


def test_messages_are_published_and_kept_over_a_restart(tmp_path: Path, server: Mosquitto) -> None:
    service = service_of(tmp_path, server)
    service.start()
    service.entries.put("", "warm", {"language": "selector", "expression": "degrees > 5"})
    says(server, '{"degrees": 7}', '{"degrees": 1}', "no event")
    # The session begins with the first connection: what came before it is not ours.
    wait_until(lambda: service.log.head >= 3 or says(server, '{"degrees": 7}') is not None)
    wait_until(lambda: len(service.matches.read(0, 100)) >= 1)
    service.stop()
    send(server, "sensors/a", structured_message(from_mapping(EVENT)))
    service = service_of(tmp_path, server)
    before = service.log.head
    service.start()
    try:
        wait_until(lambda: service.log.head == before + 1)
        (row,) = service.log.read_stored(before, 10)
        assert json.loads(row.body) == EVENT
    finally:
        service.stop()


def test_wrong_settings_are_told() -> None:
    with pytest.raises(MeaningProblem, match=r"mqtt\.port"):
        mqtt_settings({"port": 0})
