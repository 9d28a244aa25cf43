"""Place of a window of absolute time in a text, for a host that refuses the window."""

from __future__ import annotations

from collections.abc import Iterator

from tocsin.errors import Place
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.opsl.quantities import duration_of, instant_of
from tocsin.languages.opsl.syntax import Fixed, OpslSubscription, WindowedOperand, nodes_of
from tocsin.values.time import Duration, Instant


def find_window(
    text: str, subscription: OpslSubscription, start: Instant, length: Duration
) -> tuple[Place, str] | None:
    """Return the place of the window's instant and its text; None if a definition has it."""
    for window in _fixed_windows(subscription):
        if (instant_of(window.instant.text), duration_of(window.duration.text)) == (start, length):
            return ProblemCollector(text).place(window.instant), window.instant.text
    return None


def _fixed_windows(subscription: OpslSubscription) -> Iterator[Fixed]:
    bodies = (subscription.main, *(each.definition for each in subscription.bindings))
    for node in (each for body in bodies for each in nodes_of(body)):
        if isinstance(node, WindowedOperand) and isinstance(node.window, Fixed):
            yield node.window
