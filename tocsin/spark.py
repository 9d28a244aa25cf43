"""Tocsin on Apache Spark: the public names of the Spark host."""

from tocsin.hosts.spark.constructing import constructed
from tocsin.hosts.spark.failures import problem_of
from tocsin.hosts.spark.finite import run_match
from tocsin.hosts.spark.matching import (
    AbsenceWaitsWarning,
    dead_letters,
    dead_letters_of,
    match,
    match_with_dead_letters,
    matches_of,
)
from tocsin.hosts.spark.session import local_session

__all__ = [
    "AbsenceWaitsWarning",
    "constructed",
    "dead_letters",
    "dead_letters_of",
    "local_session",
    "match",
    "match_with_dead_letters",
    "matches_of",
    "problem_of",
    "run_match",
]
