"""What tests ask of a language: the plan or the first problem raised, all problems, all warnings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tocsin.errors import Problem
from tocsin.languages import concept, exmlql, graph, opsl, selector
from tocsin.languages.base.reading import Context, Reading
from tocsin.plan.nodes.composites import Plan


class Asked:
    """One language, asked as tests ask."""

    def __init__(self, parse: Callable[..., Reading]) -> None:
        self._parse = parse

    def parse(self, text: str, *given: Any) -> Plan:
        return self._parse(text, *given).require_plan()

    def problems(self, text: str, *given: Any) -> list[Problem]:
        return list(self._parse(text, *given).problems)

    def warnings(self, text: str, *given: Any) -> list[Problem]:
        return list(self._parse(text, *given).warnings)


def _without_context(text: str, options: Any = None, limits: Any = None) -> Reading:
    return selector.parse(text, options or {}, Context(), limits or selector.Limits())


SELECTOR = Asked(_without_context)
CONCEPT, EXMLQL, GRAPH, OPSL = (Asked(each.parse) for each in (concept, exmlql, graph, opsl))
