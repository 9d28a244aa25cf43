"""Progress of long work: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from tocsin.connectors.files import size_of


@contextmanager
def reading(path: str, title: str) -> Iterator[Callable[[int], object]]:
    """A bar over the bytes of a file; yields what to call with the position."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=size_of(path))
        yield lambda position: progress.update(task, completed=position)
