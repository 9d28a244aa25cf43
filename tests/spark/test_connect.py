"""Spark Connect: a client process of a server on this machine gets the answers that a session of
its own would get.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CLIENT = """
from pathlib import Path
from pyspark.sql import SparkSession
from tocsin.catalog import Subscription, create_catalog
from tocsin.spark import Watch, match, support
from tocsin.spark.versions.capabilities import Capability

def line(number, price):
    moment = f"2026-01-01T08:00:{number:02d}Z"
    return f'{{"id":"e{number}","source":"s","type":"t","time":"{moment}","data":{{"price":{price}}}}}'

spark = SparkSession.builder.config(
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
).config("spark.sql.shuffle.partitions", "2").remote("local[2]").getOrCreate()
assert type(spark).__module__.startswith("pyspark.sql.connect")
rows = [(line(1, 5), "north"), (line(2, 9), "south"), ("{", "west")]
events = spark.createDataFrame(rows, "value string, region string")
follows = Subscription("follows", "opsl", "=|(ARITH: price > 1; 60s)(ARITH: price > 2)")
dear = Subscription("dear", "selector", "price > 6")
watch = Watch(by_subscription=support(spark).has(Capability.METRICS_BY_SUBSCRIPTION))

def rung(found):
    return sorted((row.subscription, tuple(row.events)) for row in found.collect())

kept = match(events, [dear], keep=["region"], metrics=watch).collect()
assert [(row.events, row.region) for row in kept] == [(["e2"], "south")], kept
assert (watch.get().events, watch.get().dead_letters) == (3, 1), watch.get()
both = [("dear", ("e2",)), ("follows", ("e1", "e2"))]
assert rung(match(events, [dear, follows])) == both
catalog = create_catalog("catalog.db")
catalog.add(dear, follows)
assert rung(match(events, catalog)) == both
Path("inbox").mkdir()
Path("inbox/1").write_text(line(1, 5) + chr(10) + line(2, 9) + chr(10) + line(30, 0) + chr(10))
stream = spark.readStream.format("text").load("inbox")
alerts = match(stream, [dear, follows]).writeStream.format("memory").queryName("alerts")
alerts.trigger(availableNow=True).start().awaitTermination()
assert rung(spark.table("alerts")) == both
"""


def test_a_client_gets_the_answers_of_a_session_of_its_own(tmp_path: Path) -> None:
    script = tmp_path / "client.py"
    script.write_text(CLIENT)
    local = {
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_HOSTNAME": "localhost",
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        env=os.environ | local,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
