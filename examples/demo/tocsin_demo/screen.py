"""The live table on a terminal. What does not fit the height comes page by page; nothing is wider
than the window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from time import monotonic

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from tocsin_demo.board import Board, News, Row, time_of_day
from tocsin_demo.slices import part_of_day

ON_PURPOSE = "On purpose, a few events are malformed or hours late: they end as dead letters."

_PICTURES_A_SECOND = 3
_PAGE_SECONDS = 4.0
_NEWS_SHOWN = 4
_BESIDES_ROWS = 6
_FEWEST_ROWS = 5
_MIDDLING = 96
_WIDE = 120
_SIGNS = {"+": "green", "-": "red"}


class Screen:
    """The board as rich draws it, anew at every refresh."""

    def __init__(self, board: Board, clock: Callable[[], float] = monotonic) -> None:
        self._board = board
        self._clock = clock

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = max(_FEWEST_ROWS, console.size.height - _BESIDES_ROWS - _NEWS_SHOWN)
        with self._board.lock:
            yield Group(
                _heading(self._board),
                _counts(self._board, self._clock()),
                _table(self._board, options.max_width, room, int(self._clock() / _PAGE_SECONDS)),
                *_newest(self._board),
                Text(ON_PURPOSE, style="dim", no_wrap=True, overflow="ellipsis"),
            )


@contextmanager
def live_screen(board: Board, console: Console) -> Iterator[None]:
    """Shows the board until the block ends; the last picture goes, for the summary to follow."""
    with Live(
        Screen(board), console=console, refresh_per_second=_PICTURES_A_SECOND, transient=True
    ):
        yield


def subscription_table(
    rows: list[Row], width: int, batch: int | None, title: str | None = None
) -> Table:
    """A row for each subscription: green where it was added during the day, dim where it was
    removed, and bold where it rang in the newest micro-batch. A narrow window shows fewer columns.
    """
    table = Table(
        expand=True, title=title, title_justify="left", title_style="dim", box=None, padding=(0, 1)
    )
    table.add_column("subscription", no_wrap=True, max_width=26)
    if width >= _MIDDLING:
        table.add_column("in", no_wrap=True, style="cyan")
    if width >= _WIDE:
        table.add_column("asks for", no_wrap=True, overflow="ellipsis", style="dim", ratio=4)
    table.add_column("rings", justify="right", no_wrap=True)
    table.add_column("what rang last", no_wrap=True, overflow="ellipsis", ratio=7)
    for row in rows:
        table.add_row(*(Text(cell) for cell in _cells(row, width)), style=_row_style(row, batch))
    return table


def _cells(row: Row, width: int) -> Iterator[str]:
    yield row.subscription.id
    if width >= _MIDDLING:
        yield row.dialect
    if width >= _WIDE:
        yield row.question
    yield f"{row.rings:,}"
    yield f"(removed) {row.last}" if row.removed else row.last


def _row_style(row: Row, batch: int | None) -> str:
    if row.removed:
        return "dim"
    if row.added:
        return "green"
    return "bold" if batch is not None and row.batch == batch else ""


def _heading(board: Board) -> RenderableType:
    line = Table.grid(expand=True, padding=(0, 1))
    line.add_column(no_wrap=True)
    line.add_column(no_wrap=True)
    line.add_column(ratio=1)
    line.add_column(no_wrap=True, justify="right")
    batch = "-" if board.batch is None else str(board.batch)
    line.add_row(
        Text("TOCSIN", style="bold yellow"),
        Text(time_of_day(board.clock), style="bold"),
        ProgressBar(
            total=1.0,
            completed=part_of_day(board.clock),
            complete_style="yellow",
            finished_style="yellow",
        ),
        Text(f"micro-batch {batch}, catalog version {board.version}, {board.live} subscriptions"),
    )
    return line


def _counts(board: Board, now: float) -> Text:
    if board.batch is None:
        phase, since = board.phases[-1]
        waited = f"{phase} ... {max(0, now - since):.0f} s"
        return Text(waited, style="italic", no_wrap=True, overflow="ellipsis")
    return Text(
        f"{board.events:,} events, {board.matches:,} matches, {board.late} late,"
        f" {board.dead_letters} dead letters, {board.rate:,.0f} events/s",
        no_wrap=True,
        overflow="ellipsis",
    )


def _table(board: Board, width: int, room: int, turned: int) -> Table:
    """As many rows as there is room for; `turned` is how often the page was turned.

    The last page is as long as the others: it begins with rows of the page before.
    """
    rows = board.rows_in_order()
    pages = max(1, -(-len(rows) // room))
    page = turned % pages
    title = f"page {page + 1} of {pages}" if pages > 1 else None
    first = max(0, min(page * room, len(rows) - room))
    return subscription_table(rows[first : first + room], width, board.batch, title)


def _newest(board: Board) -> Iterator[Text]:
    for news in islice(reversed(board.news), _NEWS_SHOWN):
        yield Text(news_line(news), style=_SIGNS[news.sign], no_wrap=True, overflow="ellipsis")


def news_line(news: News) -> str:
    """A change of the catalog in one line."""
    return f"{news.sign} {time_of_day(news.clock)} {news.text}"
