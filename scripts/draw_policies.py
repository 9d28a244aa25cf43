"""Draws docs/images/policies.svg: what each policy makes of a1 a2 b3 b4, as the reference says.

Run it with the file to write; a test compares the file in the docs with what would be drawn now.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tocsin.catalog import Subscription, compile_subscription
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.plan.nodes.composites import Policy
from tocsin.reference import matches

Pairs = tuple[tuple[str, ...], ...]

WINDOW = "=|(A; 10s)B"
NEAR = "=|($x;; 10s)$y; && DIST($x;; <; 5)$y;"
TEXTS = {
    WINDOW: '=|(STRING: k = "a"; 10s)(STRING: k = "b")',
    NEAR: f'{NEAR}, $x; = STRING: k = "a", $y; = STRING: k = "b"',
}
PLACES = {"a1": "POINT (0 0)", "a2": "POINT (9 0)", "b3": "POINT (9 1)", "b4": "POINT (0 1)"}
"""a2 and b3 are near each other, and so are a1 and b4."""

_COLOURS = ("#b91c1c", "#1d4ed8", "#15803d", "#a16207")
_STEP, _LEFT, _WIDE, _HIGH, _TOP = 62, 150, 330, 92, 78


def outcomes(text: str, language: str = "opsl") -> Mapping[str, Pairs]:
    """The members of every match, policy by policy."""
    return {policy.value: _pairs(text, language, policy.value) for policy in Policy}


def _pairs(text: str, language: str, policy: str) -> Pairs:
    plan = compile_subscription(Subscription("s", language, text, policy=policy))
    return tuple(
        match.events
        for match in matches("s", plan, [from_mapping(_event(name)) for name in PLACES])
    )


def _event(name: str) -> dict[str, object]:
    time = f"2026-01-01T00:00:0{name[1]}Z"
    return {
        "id": name,
        "source": "picture",
        "type": "t",
        "time": time,
        "place": PLACES[name],
        "data": {"k": name[0]},
    }


def drawing() -> str:
    """The picture: a row for each policy, a column for each subscription, a bow for each match."""
    height = _TOP + _HIGH * len(Policy)
    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDE * 2} {height}" '
            'font-family="sans-serif" font-size="14">'
        ),
        f'<rect width="{_LEFT + _WIDE * 2}" height="{height}" fill="white"/>',
    ]
    for column, (title, text) in enumerate(TEXTS.items()):
        left = _LEFT + _WIDE * column
        lines.append(
            f'<text x="{left}" y="28" font-family="monospace"'
            f' font-size="13">{_escaped(title)}</text>'
        )
        if title == NEAR:
            lines.append(
                f'<text x="{left}" y="48" font-size="12" fill="#475569">a2 is near b3, a1 is near'
                " b4</text>"
            )
        for row, pairs in enumerate(outcomes(text).values()):
            lines += _row(left, _TOP + _HIGH * row, pairs)
    for row, policy in enumerate(Policy):
        y = _TOP + _HIGH * row + 50
        lines.append(f'<text x="16" y="{y}" font-weight="bold">{policy.value}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _row(left: int, top: int, pairs: Sequence[Sequence[str]]) -> Iterator[str]:
    at = {name: left + 16 + _STEP * number for number, name in enumerate(PLACES)}
    y = top + 46
    yield f'<line x1="{left}" y1="{y}" x2="{left + _STEP * 4}" y2="{y}" stroke="#cbd5e1"/>'
    for number, (first, last) in enumerate(pairs):
        colour, height = _COLOURS[number % len(_COLOURS)], 12 + 0.22 * (at[last] - at[first])
        middle = (at[first] + at[last]) / 2
        path = f"M{at[first]} {y - 7} Q{middle:g} {y - 7 - 2 * height:.0f} {at[last]} {y - 7}"
        yield f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
    for name, x in at.items():
        used = any(name in pair for pair in pairs)
        yield (
            f'<circle cx="{x}" cy="{y}" r="6" fill="{"#334155" if used else "white"}"'
            ' stroke="#334155"/>'
        )
        yield f'<text x="{x}" y="{y + 24}" text-anchor="middle" font-size="12">{name}</text>'
    if not pairs:
        yield (
            f'<text x="{left + _STEP * 4 + 4}" y="{y + 5}" font-size="12" fill="#475569">no'
            " match</text>"
        )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawing())
