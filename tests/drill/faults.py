"""The faults: each is brought about some times while the service is under load."""

from __future__ import annotations

import os
import random
import resource
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.connectors.kafka.broker import Broker, kafka_broker
from tests.drill.load import EVEN, Account, Publisher, Receiver, account, over_http
from tests.postgres import postgres_server
from tests.service.spark.up import Up
from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.codecs.bindings import structured_message

SPARK = {"master": "local[2]", "memory": "1g", "every": "100ms"}
DELIVERY = {"allowed_networks": ["127.0.0.0/8"], "first_wait": "200ms", "longest_wait": "2s"}
CALM = 2.0
"""Seconds under load before, between and after faults, about."""


@contextmanager
def under_load(folder: Path, **config: Any) -> Iterator[tuple[Up, Receiver]]:
    """A service with a subscription and a receiver."""
    receiver = Receiver()
    receiver.start()
    up = Up(folder, {"delivery": DELIVERY, "lateness": "1h", **config})
    up.start()
    try:
        up.ready()
        up.subscribe("even", "selector", EVEN, deliver={"webhook": receiver.url})
        yield up, receiver
    finally:
        up.stop()
        receiver.stop()


def drill(
    name: str, times: int, up: Up, receiver: Receiver, fault: Callable[[], None], **how: Any
) -> Account:
    """Load, the fault so many times at random moments, load, and the account of it."""
    begun = time.monotonic()
    publisher = Publisher(how.get("send") or over_http(up))
    publisher.start()
    for _ in range(times):
        time.sleep(random.uniform(CALM / 2, CALM * 1.5))
        fault()
    time.sleep(CALM)
    return account(name, times, publisher, up, receiver, begun)


def gateway_killed(folder: Path) -> Account:
    with under_load(folder) as (up, receiver):

        def fault() -> None:
            up.kill()
            up.start()
            up.ready()

        return drill("kill -9 of the gateway, engine local", 5, up, receiver, fault)


def driver_killed(folder: Path) -> Account:
    with under_load(folder, engine="spark", spark=SPARK) as (up, receiver):

        def fault() -> None:
            os.kill(up.driver(), signal.SIGKILL)
            time.sleep(1)
            up.ready()

        return drill("kill -9 of the Spark driver", 2, up, receiver, fault)


def gateway_of_spark_killed(folder: Path) -> Account:
    with under_load(folder, engine="spark", spark=SPARK) as (up, receiver):

        def fault() -> None:
            up.kill()
            up.start()
            up.ready()

        return drill("kill -9 of the gateway, engine spark", 1, up, receiver, fault)


def broker_killed(folder: Path) -> Account:
    with kafka_broker(folder / "kafka") as broker:
        kafka = {"servers": broker.address, "topics": ["drill"]}
        with under_load(folder / "up", kafka=kafka) as (up, receiver):

            def fault() -> None:
                broker.stop(at_once=True)
                broker.start()

            send = _over_kafka(broker)
            return drill("kill -9 of the Kafka broker", 2, up, receiver, fault, send=send)


def _over_kafka(broker: Broker) -> Callable[[list[dict[str, Any]]], bool]:
    writer = KafkaWriter(broker.settings, within=20)

    def send(events: list[dict[str, Any]]) -> bool:
        messages = [(body["id"], structured_message(from_mapping(body))) for body in events]
        try:
            writer.send("drill", messages)
        except Problem:
            return False
        return True

    return send


def disk_full(folder: Path) -> Account:
    """No file of the gateway may grow beyond what it is: writes fail as on a full disk."""
    with under_load(folder) as (up, receiver):

        def fault() -> None:
            assert up.process is not None
            largest = max(path.stat().st_size for path in (folder / "data").iterdir())
            resource.prlimit(up.process.pid, resource.RLIMIT_FSIZE, (largest + 4096, -1))
            time.sleep(5)
            resource.prlimit(up.process.pid, resource.RLIMIT_FSIZE, (-1, -1))
            up.ready()

        return drill("the disk is full, for 5 s", 3, up, receiver, fault)


def catalog_locked(folder: Path) -> Account:
    with under_load(folder) as (up, receiver):

        def fault() -> None:
            other = sqlite3.connect(folder / "data" / "catalog.db", timeout=30)
            other.execute("BEGIN EXCLUSIVE")
            time.sleep(8)
            other.rollback()
            other.close()

        return drill("the catalog is locked, for 8 s", 2, up, receiver, fault)


def webhook_down(folder: Path) -> Account:
    with under_load(folder) as (up, receiver):

        def fault() -> None:
            receiver.stop()
            time.sleep(10)
            receiver.start()

        return drill("the webhook target is down, for 10 s", 2, up, receiver, fault)


def one_of_two_gateways_killed(folder: Path) -> Account:
    with ExitStack() as stack:
        base = folder / "postgres"
        base.mkdir(parents=True)
        url = stack.enter_context(postgres_server(base))
        up, receiver = stack.enter_context(under_load(folder / "one", database=url))
        other = Up(folder / "two", {"delivery": DELIVERY, "lateness": "1h", "database": url})
        other.start()
        stack.callback(other.stop)
        other.ready()

        def fault() -> None:
            up.kill()  # it matches; the other has to take over
            time.sleep(8)
            up.start()
            up.ready()

        name = "kill -9 of the gateway that matches, two on one PostgreSQL"
        return drill(name, 2, other, receiver, fault, send=over_http(other))


DRILLS: dict[str, Callable[[Path], Account]] = {
    "gateway": gateway_killed,
    "gateways": one_of_two_gateways_killed,
    "disk": disk_full,
    "catalog": catalog_locked,
    "webhook": webhook_down,
    "broker": broker_killed,
    "driver": driver_killed,
    "spark-gateway": gateway_of_spark_killed,
}
