"""`tocsin bench logistics --paced`: figures 4 to 6 of the spatio-temporal paper, found and sent and
held over time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import typer

from tocsin_benchmarks.harness.output import MARKDOWN, RESULTS, machine_line, plotted, save
from tocsin_benchmarks.harness.runner import about_machine, run_module
from tocsin_benchmarks.harness.table import NOTHING, Table, mebibytes, rounded
from tocsin_benchmarks.logistics.workload import Scenario
from tocsin_benchmarks.selectors.command import _progress

PLOT = "over-time.png"

_HEADER = (
    "class",
    "host",
    "found while sending",
    "found in the end",
    "messages while sending",
    "messages/composite",
    "server, peak",
    "client, peak",
)


class PacedHost(StrEnum):
    """Who finds the composites."""

    LOCAL = "local"
    SPARK = "spark"
    CLIENT = "client"


def run_paced(
    scenarios: Sequence[Scenario],
    hosts: Sequence[PacedHost],
    request: Mapping[str, Any],
    output: Path,
) -> None:
    """All paced runs, one after the other; what is there is saved on the way."""
    saved: dict[str, Any] = {"machine": about_machine(), "seed": "none", "paced": []}
    asked = [(scenario, host) for scenario in scenarios for host in hosts]
    with _progress(len(asked)) as advance:
        for scenario, host in asked:
            advance(f"{scenario.value}, {host.value}")
            one = {"scenario": scenario.value, "host": host.value, **request}
            saved["paced"].append(run_module("tocsin_benchmarks.logistics.paced_trial", one, {}))
            save(saved, output)
    text = f"{machine_line(saved)}\n\n{paced_table(saved['paced']).markdown()}"
    (output / MARKDOWN).write_text(text)
    typer.echo(text)
    for line in (
        str(output / RESULTS),
        str(output / MARKDOWN),
        plotted(output, "logistics.paced_plot", PLOT),
    ):
        typer.echo(line, err=True)


def paced_table(trials: Sequence[Mapping[str, Any]]) -> Table:
    """A row for each class and host."""
    return Table("Logistics, paced", _HEADER, tuple(map(_row, trials)), _NOTES)


def _row(figures: Mapping[str, Any]) -> tuple[str, ...]:
    asked = figures["trial"]
    if "refused" in figures:
        return (
            asked["scenario"],
            asked["host"],
            figures["refused"],
            *[NOTHING] * (len(_HEADER) - 3),
        )
    found, sent = figures["found_while_sending"], figures["messages_while_sending"]
    return (
        asked["scenario"],
        asked["host"],
        f"{found:,} of {figures['composites']:,}",
        f"{figures['found']:,}",
        f"{sent:,}",
        rounded(sent / found) if found else NOTHING,
        mebibytes(figures["server_peak"]),
        mebibytes(figures["client_peak"]),
    )


_NOTES = (
    (
        "Messages are counted at the server: events that come in and what goes to the client, on"
        " Spark also the rows that match tasks send to shards. For `client` the server is a broker"
        " that forwards what the client's atomic subscriptions want, and the client combines."
        " Memory is of all processes of a side; on Spark the server is driver, Java and workers. A"
        " match of a host waits for the next event, or for the end of a micro-batch."
    ),
)
