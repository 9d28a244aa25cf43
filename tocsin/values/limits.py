"""Limits of what is read from strangers: one place for RDF, YAML and geometries.

Size is looked at before anything is read, depth, expansion and work before they are paid for. What
goes beyond is a LimitProblem, which a service answers as a problem document, a stream as a dead
letter and the command line as a message.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem

CODE = "ParserLimit"


@dataclass(frozen=True, slots=True)
class RdfLimits:
    """What an RDF text may be: characters, triples, levels of elements or members.

    `expansion` is how many characters entities, prefixes and bases may stand for. `attributes` are
    those of one element of RDF/XML; `context_terms` and `context_work` bound JSON-LD contexts,
    which are copied wherever another begins.
    """

    characters: int = 32 << 20
    triples: int = 500_000
    depth: int = 128
    expansion: int = 64 << 20
    attributes: int = 1_000
    context_terms: int = 5_000
    context_work: int = 1_000_000


@dataclass(frozen=True, slots=True)
class PlaceLimits:
    """What a geometry may be: levels of collections and positions.

    GEOS reads collections by recursion and would end the process on a hostile text.
    """

    depth: int = 32
    positions: int = 100_000


@dataclass(frozen=True, slots=True)
class YamlLimits:
    """What a YAML text may be: characters, levels and values; aliases are refused altogether."""

    characters: int = 4 << 20
    depth: int = 64
    values: int = 100_000


RDF_LIMITS = RdfLimits()
PLACE_LIMITS = PlaceLimits()
YAML_LIMITS = YamlLimits()


def exceeded(message: str, hint: str) -> LimitProblem:
    """The problem of a text that goes beyond a limit."""
    return LimitProblem(message, code=CODE, hint=hint)
