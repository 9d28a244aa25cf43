"""The command `tocsin`. Exit status: 0 done, 1 a problem the user can fix, 2 wrong usage.

A command is loaded when it is called: its imports take seconds, its summary does not need them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group

from tocsin.errors import Problem
from tocsin.version import __version__


@dataclass(frozen=True, slots=True)
class Lazy:
    """The location of a command, and its summary, which `--help` shows without loading it.

    At the location is a function, or a `typer.Typer` with commands of its own.
    """

    module: str
    name: str
    summary: str

    def load(self, called: str) -> Any:
        """Load the command, under the name that it is called by."""
        found = getattr(import_module(self.module), self.name)
        if isinstance(found, typer.Typer):
            group = get_group(found)
            group.name = called
            return group
        single = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
        single.command(called)(found)
        return get_command(single)

    def outline(self, called: str) -> TyperCommand:
        """Return a command with name and summary only, for lists of commands and for completion."""
        return TyperCommand(called, help=self.summary)


ENTRY_POINTS = "tocsin.commands"
"""The entry point group in which other distributions register commands."""


def installed_commands(summaries: Mapping[str, str]) -> dict[str, Lazy]:
    """Return the commands of other distributions; one that is not in `summaries` has no summary."""
    return {
        each.name: Lazy(each.module, each.attr, summaries.get(each.name, ""))
        for each in entry_points(group=ENTRY_POINTS)
    }


def lazy_group(commands: Mapping[str, Lazy]) -> type[TyperGroup]:
    """Return a group class with these commands, in their order."""

    class LazyGroup(TyperGroup):
        """A group that lists outlines and loads only the command that is called."""

        def list_commands(self, ctx: Any) -> list[str]:
            return list(commands)

        def get_command(self, ctx: Any, cmd_name: str) -> Any:
            return commands[cmd_name].outline(cmd_name) if cmd_name in commands else None

        def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
            name, command, rest = super().resolve_command(ctx, args)
            if name is None or name not in commands:
                return name, command, rest
            return name, commands[name].load(name), rest

    return LazyGroup


OF_THE_PACKAGE = {
    "match": Lazy(
        "tocsin.cli.match",
        "match",
        "Match the events of files against the subscriptions of a file.",
    ),
    "check": Lazy(
        "tocsin.cli.check",
        "check",
        "Check every subscription of a file; exit status 1 if any has a problem.",
    ),
    "explain": Lazy(
        "tocsin.cli.explain",
        "explain",
        "Show plan and state bound of subscriptions; with events, why each did or did not ring.",
    ),
    "verify": Lazy(
        "tocsin.cli.match",
        "verify",
        "Compare an engine with the reference; exit status 1 on any difference.",
    ),
    "catalog": Lazy(
        "tocsin.cli.catalog",
        "app",
        "Subscriptions and definitions in a live catalog (SQLite file or PostgreSQL URL).",
    ),
    "up": Lazy(
        "tocsin.cli.up",
        "up",
        "Start the service: publish and subscribe over HTTP; Ctrl-C stops it.",
    ),
    "publish": Lazy(
        "tocsin.cli.publish",
        "publish",
        "Publish the events of files to a service.",
    ),
    "subscribe": Lazy(
        "tocsin.cli.subscribe",
        "subscribe",
        "Subscribe at a service, with the subscriptions of a file or with one expression.",
    ),
    "tail": Lazy(
        "tocsin.cli.subscriptions",
        "tail",
        "Show matches as they come, over lost connections and restarts of the service.",
    ),
    "subscriptions": Lazy(
        "tocsin.cli.subscriptions",
        "app",
        "Subscriptions at a service: list, show, pause, resume, replay, delete.",
    ),
    "keys": Lazy(
        "tocsin.cli.keys",
        "app",
        "Who may publish and subscribe: API keys.",
    ),
    "warm": Lazy(
        "tocsin.cli.warm",
        "warm",
        "Compile all loops into a folder that can be shipped to fresh machines.",
    ),
    "move": Lazy(
        "tocsin.cli.maintenance",
        "move",
        "Move all that a data folder holds into a PostgreSQL database; the service goes on there.",
    ),
    "reset-time": Lazy(
        "tocsin.cli.maintenance",
        "reset_time",
        "Set the time of a service back after a clock was ahead; composites lose what waited.",
    ),
    "recover": Lazy(
        "tocsin.cli.maintenance",
        "recover",
        "Show what the stores of a service have lost; with --yes, go on without it.",
    ),
}
"""Every command with its summary; a test compares it with the first line of the command's help."""

OTHER_COMMANDS = {
    "bench": "The papers' experiments and the scale tests, on this machine.",
    "demo": "Play a made-up day of a marketplace and a fleet, in the console or on a Spark stream.",
}
"""Commands of other distributions, `tocsin-benchmarks` and `tocsin-demo`, which `make setup`
installs.

They are found through the entry points `tocsin.commands` and shown only if installed.
"""

COMMANDS = OF_THE_PACKAGE | installed_commands(OTHER_COMMANDS)

app = typer.Typer(
    name="tocsin",
    cls=lazy_group(COMMANDS),
    help="Publish/subscribe that understands what happened, when, where and what it means.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tocsin {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and stop."
    ),
) -> None:
    """Publish/subscribe that understands what happened, when, where and what it means."""
    del version


def run() -> None:
    """Run the command line; a problem is shown as one message, never as a traceback."""
    try:
        app(prog_name="tocsin")
    except Problem as problem:
        typer.echo(f"tocsin: {problem}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # the reader of our output has closed it: not an error of ours or the user's
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
