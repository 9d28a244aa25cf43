"""The Spark session of these tests is the one of all tests of the Spark host."""

from tests.spark.conftest import spark

__all__ = ["spark"]
