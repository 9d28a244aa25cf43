"""Tables: text in rows and columns, shown by rich on a terminal, as plain text elsewhere, and saved
as Markdown.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table as RichTable

NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Table:
    """A title, a header, rows of text, and what there is to say about them."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def markdown(self) -> str:
        """The table as a section of Markdown."""
        lines = [
            f"### {self.title}",
            "",
            _line(self.header),
            _line(("---", *["---:"] * (len(self.header) - 1))),
        ]
        lines += [_line(row) for row in self.rows]
        lines += [text for note in self.notes for text in ("", note)]
        return "\n".join(lines) + "\n"

    def rich(self) -> RichTable:
        """The table for a terminal."""
        table = RichTable(
            title=self.title,
            title_justify="left",
            caption="\n".join(self.notes),
            caption_justify="left",
        )
        for number, name in enumerate(self.header):
            table.add_column(name, justify="right" if number else "left")
        for row in self.rows:
            table.add_row(*row)
        return table


def rounded(number: float | None) -> str:
    """Three digits that count, thousands apart: 12,300 or 0.45."""
    if number is None:
        return NOTHING
    if number == 0:
        return "0"
    if abs(number) >= 100:
        digits = len(str(int(abs(number)))) - 3
        return f"{round(number, -digits):,.0f}"
    return f"{number:.3g}"


def mebibytes(size: float | None) -> str:
    """A size in MiB."""
    return NOTHING if size is None else f"{rounded(size / 2**20)} MiB"


def _line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cells) + " |"
