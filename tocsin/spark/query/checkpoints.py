"""The checkpoint of a query, checked when the query is made: what cannot change is noted in it.

Spark adds and removes no state store under a checkpoint, and the state of a shard cannot be
divided. Spark says so when a task fails; here a sentence says it before the query is started.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import SparkSession

from tocsin.errors import StateProblem
from tocsin.spark.query.session import is_remote

NOTE = "tocsin.json"
"""The file in the folder of a checkpoint with what the query was begun with."""

_BEGUN = "offsets"


@dataclass(frozen=True, slots=True)
class Begun:
    """The fixed settings of a query: its shards, and True if it detects composites."""

    shards: int
    composites: bool


def require_same_checkpoint(spark: SparkSession, checkpoint: str, now: Begun) -> None:
    """Raise if a query was begun otherwise with the checkpoint; a new checkpoint notes how.

    A client of Spark Connect cannot look into the folder: then nothing is checked.
    """
    if is_remote(spark):
        return
    folder = _Folder(spark, checkpoint)
    if not folder.has_any(_BEGUN):
        folder.write(NOTE, json.dumps(asdict(now)))
        return
    noted = folder.read(NOTE)
    if noted is not None:
        _require_same(checkpoint, Begun(**json.loads(noted)), now)


def _require_same(checkpoint: str, begun: Begun, now: Begun) -> None:
    if begun.composites and not now.composites:
        raise StateProblem(
            f"the query of the checkpoint {checkpoint} was begun with composites, and now has none",
            code="CheckpointError",
            token=checkpoint,
            hint="say composites=True, or begin a new checkpoint",
        )
    if now.composites and not begun.composites:
        raise StateProblem(
            f"the query of the checkpoint {checkpoint} was begun without composites, and now has"
            " some",
            code="CheckpointError",
            token=checkpoint,
            hint="begin a new checkpoint, with composites=True where they may come and go; or leave"
            " the composites out",
        )
    if now.composites and begun.shards != now.shards:
        raise StateProblem(
            f"the query of the checkpoint {checkpoint} was begun with {begun.shards} shards, not"
            f" {now.shards}",
            code="ShardsError",
            token=checkpoint,
            hint=f"say shards={begun.shards}, or begin a new checkpoint",
        )


class _Folder:
    """A folder of any file system that Spark knows."""

    def __init__(self, spark: SparkSession, path: str) -> None:
        java: Any = spark.sparkContext._jvm
        settings = java.org.apache.spark.SparkContext.getOrCreate().hadoopConfiguration()
        self._hadoop = java.org.apache.hadoop.fs
        self._text = java.org.apache.commons.io.IOUtils
        self._path = self._hadoop.Path(path)
        self._files = self._path.getFileSystem(settings)

    def has_any(self, name: str) -> bool:
        """True if there is a folder of the name with anything in it."""
        inner = self._hadoop.Path(self._path, name)
        return bool(self._files.exists(inner)) and len(self._files.listStatus(inner)) > 0

    def read(self, name: str) -> str | None:
        """Return the text of a file, or None if it is not there."""
        file = self._hadoop.Path(self._path, name)
        if not self._files.exists(file):
            return None
        stream = self._files.open(file)
        try:
            return str(self._text.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def write(self, name: str, text: str) -> None:
        """Write the text of a file, and the folder with it."""
        stream = self._files.create(self._hadoop.Path(self._path, name), True)
        try:
            stream.write(bytearray(text.encode()))
        finally:
            stream.close()
