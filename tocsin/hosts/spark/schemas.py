"""The Spark schemas of what comes out: matches and dead letters. Derived from the Arrow types that
workers build.
"""

from __future__ import annotations

from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import ArrayType, BinaryType, LongType, StringType, StructField, StructType

from tocsin.hosts.spark.rows import DEAD_LETTER, MATCH

MATCHES = from_arrow_type(MATCH)
DEAD_LETTERS = from_arrow_type(DEAD_LETTER)
BY_MATCH = StructType([StructField("match", MATCHES), StructField("dead_letter", DEAD_LETTERS)])
BY_EVENT = StructType(
    [
        StructField("identity", BinaryType()),
        StructField("end", LongType()),
        StructField("start", LongType()),
        StructField("content", StringType()),
        StructField("matches", ArrayType(MATCHES)),
        StructField("dead_letter", DEAD_LETTERS),
    ]
)
