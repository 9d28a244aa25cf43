"""A local Spark session for the command line, the demo and the tests: quiet, on loopback only, with
this very Python.

A missing or too old Java is said in one line, together with what to do about it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tocsin.errors import StateProblem
from tocsin.spark.sessions.workers import is_remote

DEFAULT_MASTER = "local[2]"
JAVA_NEEDED = 17

ATTEMPTS = 4
"""So often a task is tried, as on a cluster: a Python worker that is lost costs a second try, not
the query.
"""

_LOOPBACK = "127.0.0.1"
_LOCAL = re.compile(r"local(?:\[\s*(\d+|\*)\s*\])?")
_INSTALL = (
    "install it (Debian: sudo apt-get install openjdk-17-jre-headless) or point JAVA_HOME to it"
)
_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_DEFAULTS = {
    "spark.driver.bindAddress": _LOOPBACK,
    "spark.driver.host": _LOOPBACK,
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.streaming.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_DEFAULTS_HERE = {
    # the usual manager starts eight processes to rename one file, more than fifty a micro-batch
    "spark.sql.streaming.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing"
        ".FileSystemBasedCheckpointFileManager"
    ),
    # to open a file here costs nothing like the 4 MiB that Spark takes for it, by which it cuts one
    # of 20 MiB for two cores into parts of 12 and 8; smaller ones than this are not cut at all
    "spark.sql.files.openCostInBytes": str(1 << 20),
}
"""What is good where input and checkpoints are files of this machine."""


def local_session(
    master: str | None = None,
    *,
    name: str = "tocsin",
    memory: str = "2g",
    shuffle_partitions: int = 2,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """The running session, or a new one on this machine; `settings` are Spark settings that go
    before the defaults.

    Without a master any running session will do, and a new one has two cores of this machine
    (`local[2]`). On a local master a task that fails is tried again, which Spark by itself does on
    clusters only.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        _require_master(running, master)
        return running
    require_java()
    _pin_environment()
    chosen = patient(master or DEFAULT_MASTER)
    builder = SparkSession.builder.master(chosen).appName(name)
    wanted = {
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": str(shuffle_partitions),
    }
    defaults = _DEFAULTS | (_DEFAULTS_HERE if chosen.startswith("local[") else {})
    for key, value in (defaults | wanted | dict(settings or {})).items():
        builder = builder.config(key, value)
    with _quiet_start():
        return builder.getOrCreate()


def require_java() -> None:
    """Raises, with a way out, where Spark would find no Java that it can use."""
    java = _java_command()
    if java is None:
        raise StateProblem(
            f"Spark needs Java {JAVA_NEEDED} or newer; there is none",
            code="JavaError",
            hint=_INSTALL,
        )
    version = _java_version(java)
    if version < JAVA_NEEDED:
        raise StateProblem(
            f"Spark needs Java {JAVA_NEEDED} or newer, {java} is Java {version}",
            code="JavaError",
            hint=_INSTALL,
        )


def patient(master: str) -> str:
    """A local master that tries tasks again; others, and those that say how often, stay as they
    are.
    """
    found = _LOCAL.fullmatch(master.strip())
    return f"local[{found[1] or 1},{ATTEMPTS}]" if found else master


def _require_master(running: SparkSession, master: str | None) -> None:
    if master is None:
        return
    found = "Spark Connect" if is_remote(running) else running.sparkContext.master
    if found not in (master, patient(master)):
        raise StateProblem(
            f"a Spark session on {found} runs already", code="SparkError", hint="stop it first"
        )


def _java_command() -> str | None:
    """Where Spark's own start script looks: JAVA_HOME first, then the search path."""
    home = os.environ.get("JAVA_HOME")
    if home:
        candidate = Path(home) / "bin" / "java"
        return str(candidate) if candidate.is_file() else None
    return shutil.which("java")


def _java_version(java: str) -> int:
    answer = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    found = _VERSION.search(answer.stderr + answer.stdout)
    return int(found.group(1)) if found else 0


def _pin_environment() -> None:
    """Workers run the Python that runs us, and nothing listens beyond this machine (executors read
    the environment).
    """
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")


@contextmanager
def _quiet_start() -> Iterator[None]:
    """What the Java process writes to standard error goes to a nameless file, shown only where it
    does not start.
    """
    with tempfile.TemporaryFile() as chatter:
        ours = os.dup(2)
        os.dup2(chatter.fileno(), 2)
        try:
            yield
        except (PySparkException, OSError) as error:
            chatter.seek(0)
            said = chatter.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise StateProblem(
                f"Spark did not start: {error}", code="SparkError", hint=said
            ) from None
        finally:
            os.dup2(ours, 2)
            os.close(ours)
