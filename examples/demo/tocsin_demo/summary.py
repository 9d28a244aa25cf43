"""The end of the demo: all subscriptions with their rings, the counts, one to a line, and a
document that was built.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

from rich.console import Console

from tocsin_demo.board import Board, time_of_day
from tocsin_demo.plain import fitted
from tocsin_demo.screen import news_line, subscription_table
from tocsin_demo.story import DAY, MIDNIGHT

_NAMED = 3


def show_summary(board: Board, console: Console, total_seconds: float, kept: Path | None) -> None:
    """Prints the whole table, what came and went, the counts, and the newest document."""
    if console.is_terminal:
        console.print(subscription_table(board.rows_in_order(), console.width, None))
        console.print()
        for news in board.news:
            console.print(
                news_line(news), style="green" if news.sign == "+" else "red", highlight=False
            )
        console.print()
    for line in (*summary_lines(board, total_seconds, kept), *document_lines(board.document)):
        console.print(line, highlight=False, soft_wrap=True, markup=False)


def summary_lines(board: Board, total_seconds: float, kept: Path | None) -> Iterator[str]:
    """The counts, each under its name."""
    rung = sum(row.rings > 0 for row in board.rows.values())
    composites = [row for row in board.rows.values() if row.is_composite and row.rings]
    loudest = sorted(board.rows.values(), key=lambda row: -row.rings)[:_NAMED]
    batches = 0 if board.batch is None else board.batch + 1
    cut = "" if board.clock >= MIDNIGHT + DAY else ", cut short: --seconds gives it more time"
    yield f"the day          00:00 to {time_of_day(board.clock)} in {batches} micro-batches{cut}"
    yield f"events           {board.events:,}"
    yield f"matches          {board.matches:,} of {rung} subscriptions"
    yield (
        f"  of several     {sum(row.rings for row in composites):,} of {len(composites)} that"
        " combine events"
    )
    yield fitted(
        "  most of       "
        f" {', '.join(f'{row.subscription.id} {row.rings:,}' for row in loudest if row.rings)}"
    )
    yield f"late             {board.late:,}"
    yield (
        f"dead letters     {board.dead_letters:,} ({board.malformed:,} malformed, {board.late:,}"
        " late)"
    )
    yield f"catalog          version {board.version}, {board.live} subscriptions"
    yield (
        f"events/second    {board.rate:,.0f} after the first micro-batch; {total_seconds:.0f} s"
        " in all"
    )
    if kept:
        yield f"kept in          {kept}"


def document_lines(document: str) -> Iterator[str]:
    """The newest settlement, an element to a line; nothing where none was built."""
    if not document:
        return
    root = ElementTree.fromstring(document)
    ElementTree.indent(root)
    yield ""
    yield "the newest settlement, built of an order, a despatch advice and an invoice:"
    yield from ElementTree.tostring(root, encoding="unicode").splitlines()
