"""Ships in the Solent: bells for harbours and for one another, over an hour and a half of real
position reports.

    python examples/ais_geofence.py --output solent.png

Five questions are put in OPSL, each as the text that you would write for your own data:

* a ship enters a port, and a ship leaves it: two reports of the ship, one on each side, and none in
  between;
* a ship stays: it entered, and no report from outside follows for 20 minutes;
* two ships that are under way come nearer than 200 m;
* a ship falls silent: no report follows for 10 minutes.

The first three are asked for each port. All reports take less than a minute on a small machine;
`--limit` takes fewer. The picture needs matplotlib: pip install matplotlib. The reports are
those that Stone Soup uses in its demonstration (Crown Copyright Dstl, MIT licence); a position far
from the Solent is an error of a receiver and is left out.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from pathlib import Path
from typing import Annotated, Any

import matplotlib as mpl
import typer
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

import tocsin

DATA = (
    Path(__file__).resolve().parents[2]
    / "shared"
    / "data"
    / "ais-solent"
    / "SolentAIS_20160112_130211.csv"
)

Corners = tuple[tuple[float, float], ...]

# Longitude and latitude of the corners, roughly along the quays.
PORTS: Mapping[str, Corners] = {
    "Portsmouth": (
        (-1.113, 50.7935),
        (-1.103, 50.7935),
        (-1.085, 50.803),
        (-1.082, 50.82),
        (-1.11, 50.85),
        (-1.15, 50.83),
        (-1.13, 50.798),
    ),
    "Ryde": ((-1.17, 50.732), (-1.15, 50.732), (-1.15, 50.743), (-1.17, 50.743)),
    "Fishbourne": ((-1.22, 50.728), (-1.205, 50.728), (-1.205, 50.739), (-1.22, 50.739)),
    "Cowes": ((-1.303, 50.755), (-1.288, 50.755), (-1.288, 50.768), (-1.303, 50.768)),
}

# Two reports of one ship on either side of the outline, and no third one in between. WHERE says
# that all three are of the same ship; {port} is put in for each port.
_OUTSIDE, _INSIDE = "DIST({port}; >; 0)Report", "@({port})Report"
ENTRY = f"""
    !($before;;$after;)$between;
    WHERE $before;.mmsi = $after;.mmsi AND $between;.mmsi = $after;.mmsi,
    $before; = {_OUTSIDE},
    $after; = {_INSIDE},
    $between; = Report
"""
EXIT = f"""
    !($before;;$after;)$between;
    WHERE $before;.mmsi = $after;.mmsi AND $between;.mmsi = $after;.mmsi,
    $before; = {_INSIDE},
    $after; = {_OUTSIDE},
    $between; = Report
"""

# An entry, as above, that is not followed by a report from outside: one absence stands inside
# another.
STAY = f"""
    !( !($before;;$after;)$between; ; 20m) $later;
    WHERE $before;.mmsi = $after;.mmsi AND $between;.mmsi = $after;.mmsi
      AND $later;.mmsi = $after;.mmsi,
    $before; = {_OUTSIDE},
    $after; = {_INSIDE},
    $between; = Report,
    $later; = {_OUTSIDE}
"""

# |($a;)$b; is "at the same time", which the option concurrency_tolerance widens to ten seconds:
# ships report in turn. Without a and b in order each pair would ring twice.
NEAR = """
    |($a;)$b; && DIST($a;; <; 200)$b; WHERE $a;.mmsi < $b;.mmsi,
    $a; = UnderWay,
    $b; = UnderWay
"""
SILENCE = """
    !($last;;10m)$next; WHERE $last;.mmsi = $next;.mmsi,
    $last; = Report,
    $next; = Report
"""

# The names that the texts above use, besides those of the ports. A part may be in any language.
PARTS = (
    tocsin.Definition("Report", language="selector", expression="ce_type = 'position'"),
    tocsin.Definition("UnderWay", language="opsl", expression="ARITH: knots > 3"),
)

_WEST, _EAST, _SOUTH, _NORTH = -1.5, -0.7, 50.4, 51.0
_COLOURS = {
    "near": "tab:red",
    "silent": "black",
    "stays": "tab:purple",
    "enters": "tab:green",
    "leaves": "tab:blue",
}
_MARKS = {"near": ".", "silent": "x", "stays": "s", "enters": "^", "leaves": "v"}


@dataclass(frozen=True, slots=True)
class Report:
    """What a ship said of itself: when (RFC 3339), who, where in degrees, how fast."""

    time: str
    ship: int
    longitude: float
    latitude: float
    knots: float

    @property
    def id(self) -> str:
        """A report that two receivers heard has one id, so that it counts once."""
        return f"{self.ship}@{self.time}"

    def event(self) -> dict[str, Any]:
        """The report as a CloudEvent, which is what a hub takes."""
        return {
            "id": self.id,
            "source": "ais",
            "type": "position",
            "time": self.time,
            "place": f"POINT ({self.longitude} {self.latitude})",
            "data": {"mmsi": self.ship, "knots": self.knots},
        }


@dataclass(frozen=True, slots=True)
class Bell:
    """A ring: what for ("enters Ryde"), and the last report that belongs to it."""

    label: str
    match: tocsin.Match
    report: Report

    @property
    def kind(self) -> str:
        """The first word of the label."""
        return self.label.partition(" ")[0]


def read_reports(path: Path, limit: int | None = None) -> list[Report]:
    """The reports of a file, in order of time."""
    with path.open(newline="") as file:
        rows = list(islice(csv.DictReader(file), limit))
    reports = map(_report, rows)
    return [
        each
        for each in reports
        if _WEST < each.longitude < _EAST and _SOUTH < each.latitude < _NORTH
    ]


def ring(reports: Sequence[Report]) -> list[Bell]:
    """What rings over the reports, as they would come in live; the clock stops at the last
    of them.
    """
    hub = tocsin.Hub(lateness="0s")
    rung: dict[str, list[tocsin.Match]] = defaultdict(list)
    hub.define(
        *PARTS,
        *(tocsin.Definition(name, region=_polygon(corners)) for name, corners in PORTS.items()),
    )
    for port in PORTS:
        for kind, text in (("enters", ENTRY), ("leaves", EXIT), ("stays", STAY)):
            # The horizon says how far apart two reports of a ship may be for a port to be entered
            # between them.
            name, expression = f"{kind} {port}", text.format(port=port)
            hub.subscribe(expression, language="opsl", id=name, to=rung[name].append, horizon="10m")
    # Nothing more than ten seconds apart can be near; without a horizon a report would wait a day
    # for another.
    nearby = {"crs": "wgs84", "concurrency_tolerance": "10s"}
    hub.subscribe(
        NEAR, language="opsl", id="near", to=rung["near"].append, options=nearby, horizon="10s"
    )
    hub.subscribe(SILENCE, language="opsl", id="silent", to=rung["silent"].append)
    for _, minute in groupby(reports, key=lambda report: report.time[:16]):
        hub.publish(*(report.event() for report in minute))
    by_id = {each.id: each for each in reports}
    bells = [
        Bell(label, match, by_id[match.events[-1]])
        for label, found in rung.items()
        for match in found
    ]
    return sorted(bells, key=lambda bell: bell.match.order)


def table_of(bells: Sequence[Bell]) -> Table:
    """A row for each bell: how often it rang, for how many ships, and the times of the reports that
    it rang for.
    """
    table = Table("bell", "rings", "ships", "first report", "last report", box=None)
    for label in sorted({bell.label for bell in bells}):
        heard = [bell for bell in bells if bell.label == label]
        ships = {event.partition("@")[0] for bell in heard for event in bell.match.events}
        times = [bell.report.time[11:19] for bell in heard]
        table.add_row(label, str(len(heard)), str(len(ships)), min(times), max(times))
    return table


def draw(reports: Sequence[Report], bells: Sequence[Bell], output: Path) -> None:
    """The tracks, the ports and where each bell rang, as a picture."""
    with mpl.rc_context({"font.size": 9}):
        figure = Figure(figsize=(12, 9), layout="constrained")
        axes = figure.add_subplot()
        for track in _tracks(reports):
            axes.plot(
                [at.longitude for at in track],
                [at.latitude for at in track],
                color="0.75",
                linewidth=0.7,
            )
        for name, corners in PORTS.items():
            axes.fill(
                *zip(*corners, strict=True),
                facecolor="tab:orange",
                alpha=0.25,
                edgecolor="tab:orange",
            )
            axes.annotate(
                name, max(corners), xytext=(4, 0), textcoords="offset points", color="tab:brown"
            )
        for kind, colour in _COLOURS.items():
            where = [
                (bell.report.longitude, bell.report.latitude) for bell in bells if bell.kind == kind
            ]
            label = f"{kind} ({len(where)})"
            x, y = [at[0] for at in where], [at[1] for at in where]
            axes.scatter(
                x, y, s=24, marker=_MARKS[kind], color=colour, label=label, zorder=3, alpha=0.7
            )
        axes.set(
            xlim=(-1.42, -0.95),
            ylim=(50.68, 50.9),
            aspect=1.58,
            xlabel="longitude",
            ylabel="latitude",
        )
        axes.legend(title="where each bell rang", loc="lower left")
        axes.set_title(
            f"The Solent, {reports[0].time[:16]} to {reports[-1].time[11:16]} UTC, {len(reports):,}"
            " reports"
        )
        figure.savefig(output, dpi=110)


def _tracks(reports: Sequence[Report]) -> Iterator[list[Report]]:
    by_ship: dict[int, list[Report]] = defaultdict(list)
    for report in reports:
        by_ship[report.ship].append(report)
    yield from by_ship.values()


def _report(row: Mapping[str, str]) -> Report:
    longitude, latitude, knots = (
        float(row[name]) for name in ("Longitude_degrees", "Latitude_degrees", "SOG_knots")
    )
    return Report(f"{row['Time'].replace(' ', 'T')}Z", int(row["MMSI"]), longitude, latitude, knots)


def _polygon(corners: Corners) -> str:
    return "POLYGON((" + ", ".join(f"{x} {y}" for x, y in (*corners, corners[0])) + "))"


def main(
    data: Annotated[
        Path, typer.Option(help="Position reports as comma-separated values.", show_default=False)
    ] = DATA,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Take only so many reports; all by default.")
    ] = None,
    output: Annotated[Path, typer.Option(help="Where the picture goes.")] = Path(
        "ais_geofence.png"
    ),
) -> None:
    """Ring bells for ships that enter, leave or stay in a port, come near one another or fall
    silent.
    """
    if not data.is_file():
        typer.echo(f"the position reports are not there: {data}; name a file with --data", err=True)
        raise typer.Exit(1)
    reports = read_reports(data, limit)
    bells = ring(reports)
    Console().print(table_of(bells))
    draw(reports, bells, output)
    typer.echo(f"{len(bells):,} rings over {len(reports):,} reports; the picture is {output}")


if __name__ == "__main__":
    typer.run(main)
