"""A local Spark session for the command line, the demo and the tests: quiet, loopback only, this
Python. A missing or too old Java is reported in one line, with a hint.

In a session on this machine the workers run the Python that runs here, unless another is chosen.
PySpark's own default is the first `python3` on the search path, which need not have Tocsin, nor be
of this version. On a cluster the path of its Python is unknown here: then a warning says what to
set. A choice is never overruled.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from tocsin.errors import StateProblem, UnsupportedProblem
from tocsin.spark.versions.capabilities import is_remote, support_of
from tocsin.spark.versions.optional_names import has_java_client

LOG = logging.getLogger("tocsin.spark")

_PACKAGE = f"{Path(__file__).parents[2]}{os.sep}"
_PYTHON_VARIABLE = "PYSPARK_PYTHON"
_PYTHON_SETTING = "spark.pyspark.python"
_DEFAULT_PYTHON = "python3"


def levels_to_the_caller() -> int:
    """Return the number of stack levels up to the first caller outside this package, for a
    warning.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level


class WorkerPythonWarning(UserWarning):
    """The Python of the workers of a cluster is not chosen."""


def choose_python(spark: SparkSession) -> None:
    """Let workers on this machine run this Python; warn on a cluster without a choice."""
    if is_remote(spark) or spark.sparkContext.pythonExec != _DEFAULT_PYTHON:
        return
    context = spark.sparkContext
    chosen = context.getConf().get(_PYTHON_SETTING) or os.environ.get(_PYTHON_VARIABLE)
    if chosen or str(context.master).startswith("local"):
        context.pythonExec = chosen or sys.executable
        return
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    warnings.warn(
        f"the workers of {context.master} will run the first {_DEFAULT_PYTHON} that they find; it"
        f" has to be Python {version} with Tocsin installed: set {_PYTHON_VARIABLE} to its path"
        f" before the session is made ({_PYTHON_VARIABLE}={_DEFAULT_PYTHON} says that the first one"
        " is right), or ship an"
        " environment with spark.archives",
        WorkerPythonWarning,
        stacklevel=levels_to_the_caller(),
    )


_PROVIDER = "spark.sql.streaming.stateStore.providerClass"
_ROCKSDB = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"


def choose_rocksdb(spark: SparkSession) -> None:
    """Let streams of the session keep their state in RocksDB, which composites need, and log it.

    A session that does not allow it stays as it is: the query is then refused.
    """
    if "RocksDB" in (spark.conf.get(_PROVIDER, "") or ""):
        return
    try:
        spark.conf.set(_PROVIDER, _ROCKSDB)
    except PySparkException:
        return
    LOG.warning("composites on a stream need RocksDB: set %s to %s", _PROVIDER, _ROCKSDB)


DEFAULT_MASTER = "local[2]"
JAVA_NEEDED = 17

ATTEMPTS = 4
"""The number of attempts of a task, as on a cluster: a lost Python worker costs a retry, not the
query.
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
    _PROVIDER: _ROCKSDB,
    "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
_STREAMING = "org.apache.spark.sql.execution.streaming"
_DEFAULTS_HERE = {
    # the default manager starts eight processes to rename one file, over fifty a micro-batch
    "spark.sql.streaming.checkpointFileManagerClass": (
        f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
        if support_of().spark >= (4, 1)
        else f"{_STREAMING}.FileSystemBasedCheckpointFileManager"
    ),
    # Spark's default cost of opening a file, 4 MiB, is too high here: it would split a file of
    # 20 MiB for two cores into parts of 12 and 8; files smaller than this are not split at all
    "spark.sql.files.openCostInBytes": str(1 << 20),
}
"""Defaults if input and checkpoints are files of this machine."""


def local_session(
    master: str | None = None,
    *,
    name: str = "tocsin",
    memory: str = "2g",
    shuffle_partitions: int = 2,
    settings: Mapping[str, str] | None = None,
) -> SparkSession:
    """Return the running session, or a new one on this machine; `settings` override the defaults.

    Without a master any running session is accepted, and a new one has two cores of this machine
    (`local[2]`). On a local master a failed task is retried, which Spark does only on clusters by
    default.
    """
    running = SparkSession.getActiveSession()
    if running is not None:
        _require_master(running, master)
        return running
    if not has_java_client():
        raise UnsupportedProblem(
            "the thin client of Spark Connect starts no session on this machine",
            code="SparkVersionError",
            token="local_session",
            hint='SparkSession.builder.remote("sc://...").getOrCreate(), or pip install pyspark',
        )
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
    """Raise, with a hint, if Spark would not find a Java that it can use."""
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
    """Return a local master that retries tasks; any other, or one with its own number, stays as it
    is.
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
    """Return the Java that Spark's start script uses: JAVA_HOME first, then the search path; or
    None.
    """
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
    """Let workers run this Python, and bind to loopback only (executors read the environment)."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_LOCAL_IP", _LOOPBACK)
    os.environ.setdefault("SPARK_LOCAL_HOSTNAME", "localhost")


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Send the standard error of the Java process to a temporary file; show its end if the start
    fails.
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
