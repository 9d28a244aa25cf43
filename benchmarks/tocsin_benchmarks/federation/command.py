"""`tocsin bench federation`: how many messages covering saves between servers, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from tocsin_benchmarks.harness.output import MARKDOWN, RESULTS, machine_line, save
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table
from tocsin_benchmarks.selectors.command import _progress

SHAPES = (("chain", 3), ("chain", 7), ("tree", 3), ("tree", 7))
INTERESTS = (0.1, 0.5)
QUICK_SHAPES = (("chain", 3), ("tree", 3))
SUBSCRIPTIONS, EVENTS = 1_000, 2_000
QUICK_SUBSCRIPTIONS, QUICK_EVENTS = 30, 100

_HEADER = (
    "servers",
    "interest",
    "links",
    "conditions wanted",
    "conditions sent",
    "events",
    "messages, flooding",
    "messages, federation",
    "saved",
    "matches",
    "as one server",
)


def federation(
    subscriptions: Annotated[
        int | None, typer.Option(min=2, help="Subscriptions at each server.")
    ] = None,
    events: Annotated[int | None, typer.Option(min=1, help="Events of each trial.")] = None,
    quick: Annotated[
        bool, typer.Option(help="A few subscriptions and events, to see that it works.")
    ] = False,
    seed: Annotated[int, typer.Option(help="Subscriptions and events are drawn from it.")] = 9,
    output: Annotated[
        Path, typer.Option(help="Where results.json and report.md go.", file_okay=False)
    ] = Path("artifacts/bench-federation"),
) -> None:
    """Count what crosses the links between servers in a chain and in a tree.

    Real servers on loopback; events are published at the first. Flooding sends every event over
    every link. Counts do not depend on the machine.
    """
    saved: dict[str, Any] = {"machine": about_machine(), "seed": seed, "trials": []}
    shapes = QUICK_SHAPES if quick else SHAPES
    interests = INTERESTS[:1] if quick else INTERESTS
    with _progress(len(shapes) * len(interests)) as advance:
        for topology, servers in shapes:
            for interest in interests:
                advance(f"{topology} of {servers}, interest {interest:.0%}")
                request = {
                    "topology": topology,
                    "servers": servers,
                    "interest": interest,
                    "subscriptions": subscriptions or _of(quick, SUBSCRIPTIONS),
                    "events": events or _of(quick, EVENTS),
                    "seed": seed,
                }
                saved["trials"].append(run_module("tocsin_benchmarks.federation.trial", request))
                save(saved, output)
    _show(saved, output)


def _of(quick: bool, usual: int) -> int:
    return {SUBSCRIPTIONS: QUICK_SUBSCRIPTIONS, EVENTS: QUICK_EVENTS}[usual] if quick else usual


def _show(saved: Mapping[str, Any], output: Path) -> None:
    text = f"{machine_line(saved)}\n\n{table_of(saved['trials']).markdown()}"
    typer.echo(text)
    (output / MARKDOWN).write_text(text)
    for name in (RESULTS, MARKDOWN):
        typer.echo(str(output / name), err=True)


def table_of(trials: Sequence[Mapping[str, Any]]) -> Table:
    """All shapes in one table."""
    return Table("Federation", _HEADER, tuple(map(_row, trials)), _notes(trials))


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    trial = figures["trial"]
    name = f"{trial['topology']} of {trial['servers']}"
    if "refused" in figures:
        return (name, figures["refused"], *[NOTHING] * (len(_HEADER) - 2))
    flooded, sent = figures["flooded"], figures["messages"]
    return (
        name,
        f"{trial['interest']:.0%}",
        str(figures["links"]),
        f"{figures['wanted']:,}",
        f"{figures['asked']:,}",
        f"{trial['events'] + 1:,}",
        f"{flooded:,}",
        f"{sent:,}",
        f"{1 - sent / flooded:.0%}",
        f"{figures['matches']:,}",
        "yes" if figures["same_matches"] else "NO",
    )


def _notes(trials: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    count = trials[0]["trial"]["subscriptions"] if trials else 0
    return (
        (
            f"{count:,} subscriptions at each server, one in ten about two events, drawn from the"
            " share of 40 kinds of goods that interests the server. Events are of any kind and are"
            " published at the first server."
        ),
        (
            "Wanted are the conditions of a server and of all below it; sent are those that are"
            " left when equal ones are one and none is covered by another. A message is an event"
            " that crosses a link. As one server: the matches of every server are those of a server"
            " that hears every event."
        ),
    )
