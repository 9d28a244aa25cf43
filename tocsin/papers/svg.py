"""Shapes on a page, written as SVG. Equal shapes give equal text, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

LETTER = 7
"""Approximate width of a letter, in pixels."""
LINE = 18
"""Distance between lines of text, in pixels."""

_STYLE = """
text { font: 12px monospace; fill: #222; }
.title { font-size: 15px; font-weight: bold; } .small { font-size: 11px; }
line, path { stroke: #444; fill: none; }
.vertex, .entry, .square, .circle { fill: #fff; stroke: #222; }
.checked { fill: #d8efd8; } .waiting { stroke-dasharray: 4 3; } .home { stroke-width: 2; }
""".strip()
_ARROW = (
    '<marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"'
    ' orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" style="fill: #444"/></marker>'
)


@dataclass(slots=True)
class Drawing:
    """Shapes from the top left corner; the page grows with them."""

    width: float = 0
    height: float = 0
    shapes: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, content: str, kind: str = "", anchor: str = "start") -> None:
        """Add a line of text; its base line starts, is centred or ends at the point."""
        start = {
            "start": x,
            "middle": x - len(content) * LETTER / 2,
            "end": x - len(content) * LETTER,
        }[anchor]
        self._grow(start + len(content) * LETTER, y + LINE / 2)
        self._add("text", {"x": x, "y": y, "class": kind, "text-anchor": anchor}, content)

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str = "") -> None:
        """Add a straight line."""
        self._grow(max(start[0], end[0]), max(start[1], end[1]))
        self._add(
            "line", {"x1": start[0], "y1": start[1], "x2": end[0], "y2": end[1], "class": kind}
        )

    def curve(
        self, start: tuple[float, float], over: tuple[float, float], end: tuple[float, float]
    ) -> None:
        """Add a curved line with an arrow."""
        self._grow(max(start[0], over[0], end[0]), max(start[1], over[1], end[1]))
        way = f"M {_number(start[0])} {_number(start[1])} Q {_number(over[0])} {_number(over[1])} "
        self._add(
            "path", {"d": way + f"{_number(end[0])} {_number(end[1])}", "marker-end": "url(#arrow)"}
        )

    def circle(self, x: float, y: float, radius: float, kind: str) -> None:
        """Add a circle around the point."""
        self._grow(x + radius, y + radius)
        self._add("circle", {"cx": x, "cy": y, "r": radius, "class": kind})

    def ellipse(self, x: float, y: float, half: tuple[float, float], kind: str) -> None:
        """Add an ellipse around the point, with half width and half height."""
        self._grow(x + half[0], y + half[1])
        self._add("ellipse", {"cx": x, "cy": y, "rx": half[0], "ry": half[1], "class": kind})

    def box(self, x: float, y: float, size: tuple[float, float], kind: str) -> None:
        """Add a rectangle with its top left corner at the point."""
        self._grow(x + size[0], y + size[1])
        self._add("rect", {"x": x, "y": y, "width": size[0], "height": size[1], "class": kind})

    def place(self, other: Drawing, y: float) -> None:
        """Add another drawing at a height."""
        self._grow(other.width, y + other.height)
        self.shapes += [f'<g transform="translate(0 {_number(y)})">', *other.shapes, "</g>"]

    def svg(self) -> str:
        """Return the page as SVG."""
        width, height = _number(self.width + 20), _number(self.height + 20)
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}">'
        )
        body = "\n".join(self.shapes)
        return f"{head}\n<style>\n{_STYLE}\n</style>\n<defs>{_ARROW}</defs>\n{body}\n</svg>"

    def _grow(self, x: float, y: float) -> None:
        self.width, self.height = max(self.width, x), max(self.height, y)

    def _add(
        self, name: str, attributes: dict[str, float | str], content: str | None = None
    ) -> None:
        said = "".join(
            f" {key}={quoteattr(_shown(value))}" for key, value in attributes.items() if value != ""
        )
        self.shapes.append(
            f"<{name}{said}/>" if content is None else f"<{name}{said}>{escape(content)}</{name}>"
        )


def _shown(value: float | str) -> str:
    return value if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
