"""`tocsin bench`: the papers' experiments and the scale tests. Figures are for this machine; a test
never times.
"""

from __future__ import annotations

import typer

from tocsin.cli.bench.endurance import endurance
from tocsin.cli.bench.geofences import geofences
from tocsin.cli.bench.graphs import graphs
from tocsin.cli.bench.logistics import logistics
from tocsin.cli.bench.rfid import rfid
from tocsin.cli.bench.rules import rules
from tocsin.cli.bench.selectors import selectors
from tocsin.cli.bench.sequences import sequences
from tocsin.cli.bench.xml import xml

app = typer.Typer(
    help="The papers' experiments and the scale tests, on this machine.", no_args_is_help=True
)
app.command("selectors")(selectors)
app.command("logistics")(logistics)
app.command("sequences")(sequences)
app.command("rfid")(rfid)
app.command("graphs")(graphs)
app.command("geofences")(geofences)
app.command("rules")(rules)
app.command("xml")(xml)
app.command("endurance")(endurance)


@app.callback()
def _bench() -> None:
    """The papers' experiments and the scale tests, on this machine."""
