"""A real Kafka broker for tests: started by the project's script in a temporary folder, stopped by
its own process id.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers import ServerMissingError, without

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "scripts" / "kafka" / "broker"
JARS = ROOT / "scripts" / "kafka" / "jars"


@dataclass(frozen=True)
class Broker:
    """A broker that runs, until it is stopped; started again, it has its data and its address."""

    folder: Path
    address: str

    @property
    def settings(self) -> dict[str, str]:
        return {"bootstrap.servers": self.address}

    def stop(self, *, at_once: bool = False) -> None:
        kill = ["--kill"] if at_once else []
        subprocess.run([SCRIPT, "down", self.folder, *kill], check=True, timeout=200)

    def start(self) -> None:
        subprocess.run([SCRIPT, "up", self.folder], check=True, timeout=200, stdout=subprocess.PIPE)


@contextmanager
def kafka_broker(folder: Path) -> Iterator[Broker]:
    """A fresh broker."""
    done = subprocess.run(
        [SCRIPT, "up", folder], capture_output=True, text=True, timeout=700, check=False
    )
    if done.returncode != 0:
        raise ServerMissingError(
            f"no Kafka broker (make test gets it where it can): {done.stderr.strip()}"
        )
    broker = Broker(folder, done.stdout.strip())
    try:
        yield broker
    finally:
        broker.stop()


def connector_jars() -> str:
    """The jars of Spark's Kafka connector, as Spark's setting `spark.jars` takes them."""
    done = subprocess.run([JARS, "connector"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        without(f"no Kafka connector of Spark: {done.stderr.strip()}")
    return ",".join(str(path) for path in sorted(Path(done.stdout.strip()).glob("*.jar")))
