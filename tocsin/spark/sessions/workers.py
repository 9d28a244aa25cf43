"""The Python of the workers of a session: on this machine the current one, unless another is
chosen.

PySpark's own default is the first `python3` on the search path, which need not have Tocsin, nor be
of this version. On a cluster the path of its Python is unknown here: then a warning says what to
set. A choice is never overruled.
"""

from __future__ import annotations

import os
import sys
import warnings

from pyspark.sql import SparkSession

from tocsin.spark.sessions.callers import levels_to_the_caller

_VARIABLE = "PYSPARK_PYTHON"
_SETTING = "spark.pyspark.python"
_DEFAULT = "python3"
_REMOTE = "pyspark.sql.connect"


class WorkerPythonWarning(UserWarning):
    """The Python of the workers of a cluster is not chosen."""


def is_remote(spark: SparkSession) -> bool:
    """True if the session is a client of Spark Connect: its server decides which Python runs."""
    return type(spark).__module__.startswith(_REMOTE)


def choose_python(spark: SparkSession) -> None:
    """Let workers on this machine run this Python; warn on a cluster without a choice."""
    if is_remote(spark) or spark.sparkContext.pythonExec != _DEFAULT:
        return
    context = spark.sparkContext
    chosen = context.getConf().get(_SETTING) or os.environ.get(_VARIABLE)
    if chosen or str(context.master).startswith("local"):
        context.pythonExec = chosen or sys.executable
        return
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    warnings.warn(
        f"the workers of {context.master} will run the first {_DEFAULT} that they find; it has to"
        f" be Python {version} with Tocsin installed: set {_VARIABLE} to its path before the"
        f" session is made ({_VARIABLE}={_DEFAULT} says that the first one is right), or ship an"
        " environment with spark.archives",
        WorkerPythonWarning,
        stacklevel=levels_to_the_caller(),
    )
