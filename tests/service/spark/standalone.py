"""A Spark standalone cluster on this machine: one master, two workers of one core and 1 GiB each,
stopped by their process ids.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pyspark

from tests.service.spark.up import ROOT, free_port
from tests.waiting import PATIENCE, wait_until

SPARK_CLASS = Path(pyspark.__file__).parent / "bin" / "spark-class"
MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"


@dataclass(frozen=True)
class Cluster:
    """The address of the master, and the workers."""

    address: str
    workers: list[subprocess.Popen[bytes]]


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[Cluster]:
    port, page = free_port(), free_port()
    address = f"spark://127.0.0.1:{port}"
    ports = ["--port", str(port), "--webui-port", str(page)]
    processes = [_started(folder, "master", MASTER, "--host", "127.0.0.1", *ports)]
    try:
        wait_until(lambda: _workers(page) == 0)
        for name in ("one", "two"):
            words = ["--cores", "1", "--memory", "1g", "--work-dir", str(folder / name), address]
            processes.append(
                _started(folder, name, WORKER, "--host", "127.0.0.1", "--webui-port", "0", *words)
            )
        wait_until(lambda: _workers(page) == 2, progress=lambda: _workers(page))
        yield Cluster(address, processes[1:])
    finally:
        for process in reversed(processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(PATIENCE)


def _started(folder: Path, name: str, *words: str) -> subprocess.Popen[bytes]:
    environment = {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT)}
    with (folder / f"{name}.log").open("wb") as log:
        return subprocess.Popen(
            [str(SPARK_CLASS), *words],
            env=os.environ | environment | {"SPARK_DAEMON_MEMORY": "256m"},
            cwd=folder,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _workers(page: int) -> int:
    try:
        answer = httpx.get(f"http://127.0.0.1:{page}/json/", timeout=60, trust_env=False)
        return int(answer.json()["aliveworkers"])
    except (httpx.HTTPError, ValueError):
        return -1
