"""Limits for untrusted input, in one place for RDF, YAML and geometries.

The size is checked before anything is read; depth, expansion and work before they cost anything.
Input beyond a limit raises a LimitProblem: a problem document in a service, a dead letter in a
stream, a message on the command line.
"""

from __future__ import annotations

from dataclasses import dataclass

from tocsin.errors import LimitProblem

CODE = "ParserLimit"


@dataclass(frozen=True, slots=True)
class RdfLimits:
    """Limits of an RDF text: characters, triples, levels of elements or members.

    `expansion` bounds the characters that entities, prefixes and bases stand for. `attributes`
    bounds the attributes of one RDF/XML element. `context_terms` and `context_work` bound JSON-LD
    contexts, which are copied wherever another one begins.
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
    """Limits of a geometry: levels of collections, and positions.

    GEOS reads collections by recursion and would end the process on a hostile text.
    """

    depth: int = 32
    positions: int = 100_000


@dataclass(frozen=True, slots=True)
class YamlLimits:
    """Limits of a YAML text: characters, levels and values. Aliases are refused altogether."""

    characters: int = 4 << 20
    depth: int = 64
    values: int = 100_000


RDF_LIMITS = RdfLimits()
PLACE_LIMITS = PlaceLimits()
YAML_LIMITS = YamlLimits()


def limit_problem(message: str, hint: str) -> LimitProblem:
    """Return the problem for a text that goes beyond a limit."""
    return LimitProblem(message, code=CODE, hint=hint)
