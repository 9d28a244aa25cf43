"""Patterns with IN: the blocks that they belong to, and the documents that they name.

A pattern in a variable belongs to the blocks that bind it. A pattern in a document belongs to the
blocks that share a variable with it, or, if none does, to every block: so its rows are joined with
theirs in every case that matters.
"""

from __future__ import annotations

from collections.abc import Mapping

from tocsin.errors import Problem
from tocsin.events.views.document import parse_xml
from tocsin.languages.base.context import Definition, DocumentDefinition
from tocsin.languages.base.suggestions import nearest
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.exmlql.bindings import item_bindings
from tocsin.languages.exmlql.syntax import ExmlqlSubscription, PatternItem, SourceUse
from tocsin.plan.xml.xml_patterns import InDocument


def patterns_by_label(subscription: ExmlqlSubscription) -> dict[str, list[PatternItem]]:
    """Return the patterns with IN of each block, by label, each after the binding of its source."""
    bound = own_variables(subscription)
    found: dict[str, list[PatternItem]] = {label: [] for label in bound}
    for to_every in (False, True):
        while _attach_some(subscription.sourced, bound, found, to_every):
            pass
    return found


def own_variables(subscription: ExmlqlSubscription) -> dict[str, set[str]]:
    """Return the variables of each block's own patterns, by label; unlabelled ones under ""."""
    found: dict[str, set[str]] = {}
    for item in subscription.blocks:
        label = item.label.text if item.label else ""
        found.setdefault(label, set()).update(spot.text for spot, _ in item_bindings(item))
    return found


def _attach_some(
    items: tuple[PatternItem, ...],
    bound: dict[str, set[str]],
    found: dict[str, list[PatternItem]],
    to_every: bool,
) -> bool:
    """Attach the patterns that can be attached now; return True if there was one."""
    changed = False
    for item in items:
        variables = {spot.text for spot, _ in item_bindings(item)}
        assert item.source is not None
        asked = item.source.variable
        nowhere = not any(item in each for each in found.values())
        for label, names in bound.items():
            if item in found[label]:
                continue
            fits = (
                asked.text in names if asked else bool(variables & names) or (to_every and nowhere)
            )
            if fits:
                found[label].append(item)
                names.update(variables)
                changed = True
    return changed


class Documents:
    """Documents that a subscription may name, from its definitions."""

    def __init__(self, definitions: Mapping[str, Definition], problems: ProblemCollector) -> None:
        self._definitions = definitions
        self._problems = problems

    def source(self, use: SourceUse) -> InDocument:
        """Return the document; add a problem at its name if it is undefined or malformed."""
        name, definition = use.document, self._definitions.get(use.document)
        if not isinstance(definition, DocumentDefinition):
            known = [
                each
                for each, one in self._definitions.items()
                if isinstance(one, DocumentDefinition)
            ]
            self._problems.add(
                "UnknownDocument", use.spot, f"there is no document {name!r}", _way_out(name, known)
            )
            return InDocument(name, "")
        try:
            parse_xml(definition.text)
        except Problem as problem:
            hint = problem.hint or "define it anew, as well-formed XML"
            self._problems.add(
                "MalformedDocument", use.spot, f"the document {name!r}: {problem.message}", hint
            )
        return InDocument(name, definition.text)


def _way_out(name: str, known: list[str]) -> str:
    if meant := nearest(name, known):
        return f'did you mean "{meant}"?'
    listed = f"the documents are: {', '.join(sorted(known))}; " if known else ""
    return (
        f'{listed}define it beside the subscription: {{"define": "{name}", "xml":'
        ' "<...>...</...>"}'
    )


def in_query_order(
    patterns: tuple[PatternItem, ...], bound: frozenset[str]
) -> tuple[PatternItem, ...]:
    """Return the patterns of a nested query, each after the binding of its variable.

    Patterns in variables that are never bound come last.
    """
    waiting, ordered, known = list(patterns), list[PatternItem](), set(bound)
    while waiting:
        ready = [
            each
            for each in waiting
            if _queried_variable(each) is None or _queried_variable(each) in known
        ]
        if not ready:
            return (*ordered, *waiting)
        ordered.append(ready[0])
        waiting.remove(ready[0])
        known |= {spot.text for spot, _ in item_bindings(ready[0])}
    return tuple(ordered)


def _queried_variable(item: PatternItem) -> str | None:
    return item.source.variable.text if item.source and item.source.variable else None
