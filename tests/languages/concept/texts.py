"""Texts as problems and plans, for the tests of the language."""

from __future__ import annotations

from tests.engine.concepts.worlds import PAPER, context
from tests.languages.asked import CONCEPT
from tocsin.errors import Problem
from tocsin.languages.base.reading import Context, PartDefinition
from tocsin.plan.nodes.composites import Part

parse, problems = CONCEPT.parse, CONCEPT.problems


def problems_of(text: str, tbox: str = PAPER, **options: object) -> list[Problem]:
    return problems(text, options, context(tbox))


def pattern_of(text: str, tbox: str = PAPER, **options: object) -> Part:
    return parse(text, options, context(tbox)).pattern


def with_definitions(**texts: str) -> Context:
    definitions = {name: PartDefinition(name, "concept", text) for name, text in texts.items()}
    return Context(definitions, context().ontology)


def told(problem: Problem) -> tuple[str, int, int]:
    assert problem.place is not None
    assert problem.hint
    return (problem.code, problem.place.line, problem.place.column)
