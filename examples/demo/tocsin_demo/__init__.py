"""`tocsin demo`: a day of a marketplace and a delivery fleet on a live Spark stream, with bells
that come and go.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.console import Console

from tocsin_demo.board import Board
from tocsin_demo.composites import rule_lines
from tocsin_demo.plain import plain_screen
from tocsin_demo.screen import live_screen
from tocsin_demo.story import FEWEST, Story
from tocsin_demo.stream import Settings, run
from tocsin_demo.summary import show_summary


def demo(
    events: Annotated[int, typer.Option(min=FEWEST, help="How many events the day has.")] = 60_000,
    seed: Annotated[int, typer.Option(help="Which day; the same seed rings the same bells.")] = 7,
    seconds: Annotated[
        float,
        typer.Option(
            min=1, help="Release no further events after so many seconds, start-up included."
        ),
    ] = 90,
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep matches and dead letters here, as JSON Lines."),
    ] = None,
) -> None:
    """Play a made-up day of a marketplace and a fleet to a local Spark stream.

    The events pass a few dozen subscriptions; some are added to and removed from the live catalog
    while the query runs. Most are about one event. Rules, which are shown first, combine several: a
    truck leaves, arrives, does not arrive, and a cold room gets warm. Some ask for meaning: cheap
    computers of any kind in graphs, pallets that are carried by whatever means. Order, despatch
    advice and invoice of one purchase become a settlement, and the newest is shown at the end. Ends
    by itself, in less than two minutes, with a summary.
    """
    began, board, console = monotonic(), Board(), Console()
    settings = Settings(Story(events, seed), seconds, output)
    screen = live_screen(board, console) if console.is_terminal else plain_screen(board, typer.echo)
    for line in rule_lines():
        console.print(line, highlight=False, soft_wrap=True, markup=False)
    with screen:
        run(settings, board)
    show_summary(board, console, monotonic() - began, output)
