"""The knowledge of a catalog: all its ontologies together, built once for equal texts.

An ontology is a definition like any other, so it is versioned, shared and carried to every worker with the
subscriptions that are read in its light.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from tocsin.catalog.entries import Definition
from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts.owl import tbox_of_triples
from tocsin.knowledge.concepts.tbox import TBox, merged
from tocsin.knowledge.loading import Source, ontology_of, read_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.languages.concept.terminology import tbox_of_text
from tocsin.values.rdf import EXTENSIONS

TBOX = "text/x-tbox"
"""The media type of a TBox in the syntax of the concept language."""

MEDIA_TYPES = {**EXTENSIONS, ".tbox": TBOX}


def ontology_definition(path: str) -> Definition:
    """The ontology of a file as a definition that goes by the path."""
    media_type = MEDIA_TYPES.get(Path(path).suffix.lower())
    if media_type is None:
        raise MeaningProblem(
            f"{path} is no kind of ontology file that we know",
            code="ONTOLOGY_FORMAT",
            token=Path(path).suffix,
            hint=f"its name ends with one of {' '.join(MEDIA_TYPES)}",
        )
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise MeaningProblem(f"{path} cannot be read: {error}", code="ONTOLOGY_FORMAT", token=path) from None
    return Definition(path, ontology=text, media_type=media_type)


def ontologies(given: object) -> tuple[Definition, ...]:
    """The definitions that a caller means: paths of files, one or several, or definitions; None for none."""
    if given is None:
        return ()
    if isinstance(given, str | Path | Definition):
        given = (given,)
    if not isinstance(given, Iterable):
        raise MeaningProblem(
            f"an ontology is a file, got {type(given).__name__}", code="ONTOLOGY_FORMAT", hint="give a path, or several"
        )
    return tuple(each if isinstance(each, Definition) else ontology_definition(str(each)) for each in given)


def knowledge_in(definitions: Iterable[Definition]) -> Ontology | None:
    """What the ontologies among the definitions say together; None where there is none."""
    given = tuple(each for each in definitions if each.ontology)
    return _built(given) if given else None


@lru_cache(maxsize=8)
def _built(given: tuple[Definition, ...]) -> Ontology:
    rdf = [Source(each.ontology, each.media_type, each.name) for each in given if each.media_type != TBOX]
    return ontology_of(rdf).with_tbox(_terminology(given))


def _terminology(given: tuple[Definition, ...]) -> TBox | Problem:
    """The TBox of all texts; its problem, which only those who ask for concepts are told."""
    try:
        return merged([_tbox(each) for each in given])
    except Problem as problem:
        if any(each.media_type == TBOX for each in given):
            raise
        return problem


def _tbox(definition: Definition) -> TBox:
    if definition.media_type == TBOX:
        return tbox_of_text(definition.ontology)
    read = read_ontology(definition.ontology, definition.media_type)
    return tbox_of_triples(read.triples, read.prefixes).tbox
