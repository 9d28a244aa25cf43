"""One trial of `tocsin bench service`: a service of its own, subscriptions, then rising rates until
one is not held.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import quantiles
from time import monotonic, sleep
from uuid import uuid4

import httpx

from tocsin.client import AsyncClient, Client
from tocsin.connectors.kafka import KafkaWriter
from tocsin.errors import StateProblem
from tocsin_benchmarks.service.listen import Arrivals, listening
from tocsin_benchmarks.service.load import (
    Connection,
    KafkaPublisher,
    Load,
    Publisher,
    publish,
    require_some,
)
from tocsin_benchmarks.service.workload import ServiceWorkload

READY_WITHIN = 180.0
SETTLE_WITHIN = 30.0
_AT_ONCE = 8
_HELD_SHARE = 0.98


@dataclass(frozen=True, slots=True)
class Rate:
    """What came of one rate, in events a second and in seconds; `held` where what was asked was
    accepted and the lag did not grow.
    """

    asked: float
    batch: int
    accepted: float
    refused: int
    answer: tuple[float, float] | None
    stream: tuple[float, float] | None
    webhook: tuple[float, float] | None
    lag: int
    lost: int
    held: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """What to run; `kafka` are the brokers to publish through, where it is not HTTP."""

    workload: ServiceWorkload
    engine: str
    rates: Sequence[float]
    batch: int
    seconds: float
    lateness: str
    kafka: str | None = None
    topic: str = field(default_factory=lambda: f"tocsin-bench-{uuid4().hex[:12]}")


def run_trial(trial: Trial, folder: Path, tell: Callable[[str], object]) -> list[Rate]:
    """The rates in their order, up to the first that is not held."""
    with _service(trial, folder) as address:
        return asyncio.run(_measure(trial, address, tell))


async def _measure(
    trial: Trial, address: tuple[str, int], tell: Callable[[str], object]
) -> list[Rate]:
    url = f"http://{address[0]}:{address[1]}"
    tell(f"subscribing {trial.workload.selectors + trial.workload.composites:,}")
    await _subscribe(url, trial.workload)
    found: list[Rate] = []
    published = 0
    make = _publishers(trial, address)
    async with listening(url) as arrivals, httpx.AsyncClient(base_url=url) as http:
        await asyncio.sleep(1.0)
        for number, rate in enumerate(trial.rates):
            tell(f"{rate:,.0f} events/s, {trial.batch} in a request")
            lines = trial.workload.lines(f"{trial.batch}r{number}")
            load = await publish(make, lines, rate, trial.batch, trial.seconds)
            published += load.accepted
            lag = published - int((await http.get("/readyz")).json()["position"])
            require_some(load)
            await _settle(load, arrivals)
            found.append(_rate(trial, rate, load, arrivals, lag))
            if not found[-1].held:
                break
    return found


def _publishers(trial: Trial, address: tuple[str, int]) -> Callable[[], Publisher]:
    if trial.kafka is None:
        return lambda: Connection(*address)
    writer = KafkaWriter({"bootstrap.servers": trial.kafka, "linger.ms": 5})
    return lambda: KafkaPublisher(writer, trial.topic)


def _rate(trial: Trial, rate: float, load: Load, arrivals: Arrivals, lag: int) -> Rate:
    accepted = load.accepted / load.seconds
    in_time = accepted >= _HELD_SHARE * rate and not load.refused
    return Rate(
        rate,
        trial.batch,
        accepted,
        load.refused,
        middle_and_end(load.answered),
        middle_and_end(waits(load.due, arrivals.stream)),
        middle_and_end(waits(load.due, arrivals.webhook)),
        lag,
        len(load.due.keys() - arrivals.stream.keys()),
        in_time and lag <= rate,
    )


async def _settle(load: Load, arrivals: Arrivals) -> None:
    """Until all probes have arrived, or no more will."""
    end = monotonic() + SETTLE_WITHIN
    while monotonic() < end:
        waiting = load.due.keys() - (arrivals.stream.keys() & arrivals.webhook.keys())
        if not waiting:
            return
        await asyncio.sleep(0.1)


def waits(due: dict[str, float], arrived: dict[str, float]) -> list[float]:
    """How long each probe took that arrived."""
    return [arrived[id] - due[id] for id in due if id in arrived]


def middle_and_end(seconds: Sequence[float]) -> tuple[float, float] | None:
    """The 50th and the 99th percentile; None where there are too few to say."""
    if len(seconds) < 2:
        return None
    cuts = quantiles(seconds, n=100, method="inclusive")
    return cuts[49], cuts[98]


async def _subscribe(url: str, workload: ServiceWorkload) -> None:
    turns = asyncio.Semaphore(_AT_ONCE)
    async with AsyncClient(url, timeout=READY_WITHIN) as client:

        async def put(subscription: dict[str, object]) -> None:
            async with turns:
                await client.put(subscription)

        await asyncio.gather(*map(put, workload.subscriptions()))


@contextmanager
def _service(trial: Trial, folder: Path) -> Iterator[tuple[str, int]]:
    """A service of its own, ready; killed afterwards, as nothing of it is needed."""
    address = ("127.0.0.1", _free_port())
    config = folder / "settings.toml"
    kafka = f'[kafka]\nservers = "{trial.kafka}"\ntopics = ["{trial.topic}"]\n'
    config.write_text(
        f'lateness = "{trial.lateness}"\n[delivery]\nallowed_networks = ["127.0.0.0/8"]\n'
        + (kafka if trial.kafka else "")
    )
    words = f"up --data {folder / 'data'} --port {address[1]} --engine {trial.engine} --no-auth"
    command = [sys.executable, "-m", "tocsin", *words.split(), "--config", str(config)]
    log = (folder / "log").open("wb")
    with log, subprocess.Popen(command, stdout=log, stderr=log, env=dict(os.environ)) as process:
        try:
            _await_ready(process, f"http://127.0.0.1:{address[1]}", folder / "log")
            yield address
        finally:
            process.send_signal(signal.SIGKILL)


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = monotonic() + READY_WITHIN
    with Client(url) as client:
        while not client.is_ready():
            if process.poll() is not None or monotonic() > end:
                said = log.read_text("utf-8", "replace")[-500:]
                raise StateProblem(f"the service did not start: {said}", code="BenchmarkFailed")
            sleep(0.1)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def as_json(rates: Sequence[Rate]) -> list[dict[str, object]]:
    """The figures as plain data."""
    return [asdict(rate) for rate in rates]
