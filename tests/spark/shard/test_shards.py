"""Shards: keys fall into different partitions, as Spark itself hashes them, and a subscription
never moves.
"""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from tocsin.errors import StateProblem
from tocsin.spark.match_task.serde import pack, unpack
from tocsin.spark.plans.shard_plans import shard_keys, shard_of, spark_hash


@pytest.mark.parametrize("partitions", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16])
def test_as_many_shards_as_partitions_fall_into_different_ones(partitions: int) -> None:
    keys = shard_keys(partitions)
    assert {spark_hash(key) % partitions for key in keys} == set(range(partitions))


def test_more_shards_have_the_same_keys_and_more() -> None:
    assert shard_keys(8)[:3] == shard_keys(3)


def test_the_hash_is_that_of_spark(spark: SparkSession) -> None:
    keys = [0, 1, 2, -1, 2**40 + 7, -(2**63), *shard_keys(4)]
    frame = spark.createDataFrame([(key,) for key in keys], "key bigint").select(
        "key", F.hash("key").alias("hash")
    )
    assert {row["key"]: row["hash"] for row in frame.collect()} == {
        key: spark_hash(key) for key in keys
    }


def test_subscriptions_spread_over_all_shards() -> None:
    assert {shard_of(f"s{number}", 4) for number in range(100)} == {0, 1, 2, 3}


def test_packed_data_names_no_class() -> None:
    assert unpack(pack({"a": [1, 2.5, None, "x", b"y", (True,)]})) == {
        "a": [1, 2.5, None, "x", b"y", (True,)]
    }
    with pytest.raises(StateProblem, match="shard_of"):
        unpack(pack(shard_of))
