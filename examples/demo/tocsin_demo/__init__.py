"""`tocsin demo`: a day of a marketplace and a delivery fleet, with bells that come and go: in the
console, or on a live Spark stream.
"""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import Annotated

import typer
from rich.console import Console

from tocsin_demo.board import Board
from tocsin_demo.composites import rule_lines
from tocsin_demo.console import PORT, Show, show
from tocsin_demo.plain import plain_screen
from tocsin_demo.playing import Pace
from tocsin_demo.screen import live_screen
from tocsin_demo.story import FEWEST, Story
from tocsin_demo.stream import Settings, run
from tocsin_demo.summary import show_summary

SPARK_SECONDS = 90.0
CONSOLE_SECONDS = 300.0


def demo(
    events: Annotated[int, typer.Option(min=FEWEST, help="How many events the day has.")] = 60_000,
    seed: Annotated[int, typer.Option(help="Which day; the same seed rings the same bells.")] = 7,
    seconds: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="In the console the day takes so long (300); on Spark no further events are"
            " released after so many seconds, start-up included (90).",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Keep matches and dead letters here, as JSON Lines."),
    ] = None,
    console: Annotated[
        bool | None,
        typer.Option(
            help="Serve the console and play the day to it, by default in a terminal; else to a"
            " local Spark stream.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="Where the console is; 0 for any port.")] = PORT,
) -> None:
    """Play a made-up day of a marketplace and a fleet, in the console or on a Spark stream.

    In the console trucks drive on the map, and bells ring, until Ctrl-C; where the output is no
    terminal, until the day is over. With --no-console the day is played to Spark:

    The events pass a few dozen subscriptions; some are added to and removed from the live catalog
    while the query runs. Most are about one event. Rules, which are shown first, combine several: a
    truck leaves, arrives, does not arrive, and a cold room gets warm. Some ask for meaning: cheap
    computers of any kind in graphs, pallets that are carried by whatever means. Order, despatch
    advice and invoice of one purchase become a settlement, and the newest is shown at the end. Ends
    by itself, in less than two minutes, with a summary.
    """
    terminal, story = Console(), Story(events, seed)
    for line in rule_lines():
        terminal.print(line, highlight=False, soft_wrap=True, markup=False)
    if terminal.is_terminal if console is None else console:
        is_terminal = terminal.is_terminal
        pace = Pace(seconds or CONSOLE_SECONDS, goes_on=is_terminal)
        show(Show(story, pace, port, opens=is_terminal), typer.echo)
    else:
        _play_on_spark(Settings(story, seconds or SPARK_SECONDS, output), terminal)


def _play_on_spark(settings: Settings, terminal: Console) -> None:
    began, board = monotonic(), Board()
    is_live = terminal.is_terminal
    screen = live_screen(board, terminal) if is_live else plain_screen(board, typer.echo)
    with screen:
        run(settings, board)
    show_summary(board, terminal, monotonic() - began, settings.output)
