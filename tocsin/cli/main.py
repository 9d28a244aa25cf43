"""The command `tocsin`. Exit status: 0 done, 1 a problem the user can mend, 2 wrong usage."""

from __future__ import annotations

import os
import sys

import typer

from tocsin import __version__
from tocsin.cli import bench, catalog, check, demo, explain, match, verify
from tocsin.errors import Problem

app = typer.Typer(
    name="tocsin",
    help="Publish/subscribe that understands what happened, when, where and what it means.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("match")(match.match)
app.command("check")(check.check)
app.command("explain")(explain.explain)
app.command("verify")(verify.verify)
app.add_typer(catalog.app, name="catalog")
app.add_typer(bench.app, name="bench")
app.command("demo")(demo.demo)


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
    """The entry point: a problem is shown as one message, never as a traceback."""
    try:
        app()
    except Problem as problem:
        typer.echo(f"tocsin: {problem}", err=True)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has gone: not our problem, and not the user's
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
