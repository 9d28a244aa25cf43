"""Explanation of a condition: the truth of every part, with the event's values."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.events.event import ENVELOPE, INSTANT, Event, Path
from tocsin.plan.explain.atoms import path_text, selector_text
from tocsin.plan.nodes.atoms import (
    AllOf,
    AnyOf,
    BooleanNode,
    Not,
    PlaceIs,
    Predicate,
    attribute_paths,
)
from tocsin.reference import truth_of
from tocsin.values.truth import Truth


def why_lines(node: BooleanNode, event: Event, indent: str = "") -> Iterator[str]:
    """Yield one line per part: its truth, its text and, for a predicate, the event's value."""
    verdict = truth_of(node, event).name
    match node:
        case AllOf(operands) | AnyOf(operands) if operands:
            yield f"{indent}{verdict:<8} {'all of' if isinstance(node, AllOf) else 'any of'}"
            for operand in operands:
                yield from why_lines(operand, event, indent + "  ")
        case Not(operand) if isinstance(operand, AllOf | AnyOf | Not):
            yield f"{indent}{verdict:<8} not"
            yield from why_lines(operand, event, indent + "  ")
        case AllOf() | AnyOf():
            yield f"{indent}{verdict:<8} {'every event' if isinstance(node, AllOf) else 'no event'}"
        case Not(operand):
            yield f"{indent}{verdict:<8} {selector_text(node)}   {_seen(operand, event)}"
        case _:
            yield f"{indent}{verdict:<8} {selector_text(node)}   {_seen(node, event)}"


def verdict_line(node: BooleanNode, event: Event) -> str:
    """Return one sentence: rings, does not ring, or is unknown."""
    match truth_of(node, event):
        case Truth.TRUE:
            return f"event {event.id}: rings"
        case Truth.FALSE:
            return f"event {event.id}: does not ring"
        case _:
            return (
                f"event {event.id}: does not ring, because a value is missing or of another kind"
                " (UNKNOWN)"
            )


def _seen(predicate: Predicate | BooleanNode, event: Event) -> str:
    if isinstance(predicate, PlaceIs):
        return f"(place is {event.place_text or 'missing'})"
    paths = sorted(attribute_paths(predicate))  # type: ignore[arg-type]
    values = (f"{path_text(path)} is {_shown(event.attribute(_as_given(path)))}" for path in paths)
    return f"({', '.join(values)})"


def _as_given(path: Path) -> Path:
    """Return the path of a time as the event has it, also if it is compared as a number."""
    return path[:2] if path[0] == ENVELOPE and path[-1] == INSTANT else path


def _shown(value: object) -> str:
    if value is None:
        return "missing"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
