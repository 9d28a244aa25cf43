"""The knowledge of a catalog: all its ontologies merged, built once for equal texts.

An ontology is a definition like any other, so it is versioned, shared and sent to every worker with
the subscriptions that use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tocsin.catalog.entries import Definition
from tocsin.errors import MeaningProblem, Problem
from tocsin.knowledge.concepts.owl import tbox_of_texts
from tocsin.knowledge.concepts.tableau import unsatisfiable_concepts
from tocsin.knowledge.concepts.tbox import TBox, merge_tboxes
from tocsin.knowledge.loading import KnowledgeSource, ontology_of, read_ontology
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import inferences
from tocsin.knowledge.usage import Usage, usage_of
from tocsin.lazy_import import LazyModule
from tocsin.values.rdf import EXTENSIONS, RdfText

if TYPE_CHECKING:
    from tocsin.languages.concept import terminology
else:
    terminology = LazyModule("tocsin.languages.concept.terminology")

TBOX = "text/x-tbox"
"""The media type of a TBox in the syntax of the concept language."""

MEDIA_TYPES = {**EXTENSIONS, ".tbox": TBOX}


def ontology_definition(path: str) -> Definition:
    """Return the ontology of a file as a definition named by the path."""
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
        raise MeaningProblem(
            f"{path} cannot be read: {error}", code="ONTOLOGY_FORMAT", token=path
        ) from None
    return Definition(path, ontology=text, media_type=media_type)


def ontologies(given: object, infer: object = None) -> tuple[Definition, ...]:
    """Return the definitions for an argument: paths of files, one or several, or definitions; ()
    for None.

    `infer` lists the conclusions to draw from all of them.
    """
    chosen = inferences(infer)
    if given is None:
        if chosen:
            raise MeaningProblem(
                "infer needs an ontology to conclude from",
                code="OptionError",
                token="infer",
                hint='give the ontology beside it, or write "infer" into its definition',
            )
        return ()
    if isinstance(given, str | Path | Definition):
        given = (given,)
    if not isinstance(given, Iterable):
        raise MeaningProblem(
            f"an ontology is a file, got {type(given).__name__}",
            code="ONTOLOGY_FORMAT",
            hint="give a path, or several",
        )
    found = (
        each if isinstance(each, Definition) else ontology_definition(str(each)) for each in given
    )
    return tuple(replace(each, infer=chosen) if chosen else each for each in found)


def knowledge_in(definitions: Iterable[Definition]) -> Ontology | None:
    """Return the merged ontology of the definitions; None if they have none."""
    given = tuple(each for each in definitions if each.ontology)
    return _built(given) if given else None


@lru_cache(maxsize=64)
def _built(given: tuple[Definition, ...]) -> Ontology:
    return ontology_of([_source(each) for each in given if each.media_type != TBOX]).with_tbox(
        _terminology(given)
    )


def _source(each: Definition) -> KnowledgeSource:
    return KnowledgeSource(each.ontology, each.media_type, each.name, inferences(each.infer))


def usage_in(definition: Definition) -> Usage | None:
    """Return the axioms of an ontology that graph patterns use and do not use.

    None for a TBox, all of which concepts use.
    """
    if not definition.ontology or definition.media_type == TBOX:
        return None
    return usage_of(
        read_ontology(definition.ontology, definition.media_type), inferences(definition.infer)
    )


def unused_by_concepts(definition: Definition) -> Iterator[str]:
    """Yield the parts of an ontology that concepts do not use.

    These are axioms that a TBox cannot express, and classes that subscriptions may not use. A TBox
    is used completely.
    """
    if not definition.ontology or _is_tbox(definition):
        return
    found = tbox_of_texts([_owl_text(definition)])
    if found.left_out:
        more = len(found.left_out) - _SHOWN_CLASSES
        shown = ", ".join(map(_shown_class, found.left_out[:_SHOWN_CLASSES]))
        yield f"concepts do not use all axioms about {shown}{f' and {more} more' * (more > 0)}"
    for refusal in found.tbox.refused:
        yield f"concepts refuse {refusal.name}: {refusal.message}"


_SHOWN_CLASSES = 10


def _shown_class(name: str) -> str:
    return "an unnamed class" if name.startswith("_:") else name


def require_agreement(before: Iterable[Definition], added: Iterable[Definition]) -> None:
    """Raise if ontologies, each valid alone, contradict each other; the problem names them.

    They do if a name is defined twice, if the merged hierarchies have a cycle, or if a concept
    becomes unsatisfiable.
    """
    known = tuple(each for each in before if each.ontology)
    new = tuple(each for each in added if each.ontology)
    for each in new:
        knowledge_in((each,))
    if not new or len(known) + len(new) < 2:
        return
    who = ", ".join(each.name for each in new)
    try:
        together = _built((*known, *new)).tbox
    except Problem as problem:
        raise _contradiction(who, problem) from None
    alone = [_built((each,)).tbox for each in (*known, *new)]
    if isinstance(together, Problem) and not any(isinstance(each, Problem) for each in alone):
        raise _contradiction(who, together)
    if isinstance(together, TBox):
        _require_members(who, together, [each for each in alone if isinstance(each, TBox)])


def _require_members(added: str, together: TBox, alone: Iterable[TBox]) -> None:
    """Raise if a concept is satisfiable in each TBox alone, and unsatisfiable in all together."""
    lost = unsatisfiable_concepts(together)
    if lost:
        lost -= frozenset(name for each in alone for name in unsatisfiable_concepts(each))
    if lost:
        names = ", ".join(sorted(lost))
        problem = MeaningProblem(
            f"nothing can be {names} any more",
            code="TBOX_CONTRADICTION",
            token=min(lost),
            hint="correct one of the two, or leave it out",
        )
        raise _contradiction(added, problem)


def _contradiction(names: str, problem: Problem) -> Problem:
    return type(problem)(
        f"with {names} the ontologies contradict each other: {problem.message}",
        code=problem.code,
        place=problem.place,
        token=problem.token,
        hint=problem.hint,
    )


def _terminology(given: tuple[Definition, ...]) -> TBox | Problem:
    """Return the TBox of all texts, or its problem, which concerns only concepts."""
    try:
        written = [terminology.tbox_of_text(each.ontology) for each in given if _is_tbox(each)]
        read = [_owl_text(each) for each in given if not _is_tbox(each)]
        return merge_tboxes([tbox_of_texts(read).tbox, *written] if read else written)
    except Problem as problem:
        if any(map(_is_tbox, given)):
            raise
        return problem


def _is_tbox(definition: Definition) -> bool:
    return definition.media_type == TBOX


def _owl_text(definition: Definition) -> RdfText:
    return read_ontology(definition.ontology, definition.media_type)
