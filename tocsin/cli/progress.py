"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

Report = Callable[[int], object]
"""Takes the progress of the work so that the bar can show it."""


@contextmanager
def reading(size: int | None, title: str) -> Iterator[Report]:
    """Show a bar over the bytes of files."""
    with _bar(title, size, DownloadColumn()) as report:
        yield report


@contextmanager
def working(total: int, title: str) -> Iterator[Report]:
    """Show a bar over a known number of items."""
    with _bar(title, total, MofNCompleteColumn()) as report:
        yield report


@contextmanager
def _bar(title: str, total: int | None, amount: ProgressColumn) -> Iterator[Report]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), amount, TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(title, total=total)
        yield lambda position: progress.update(task, completed=position)
