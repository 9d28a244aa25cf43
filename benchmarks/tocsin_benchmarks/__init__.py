"""`tocsin bench`: the papers' experiments and the scale tests. Figures are for this machine; a test
never times.
"""

from __future__ import annotations

import typer

from tocsin_benchmarks.endurance.command import endurance
from tocsin_benchmarks.federation.command import federation
from tocsin_benchmarks.geofences.command import geofences
from tocsin_benchmarks.graphs.command import graphs
from tocsin_benchmarks.logistics.command import logistics
from tocsin_benchmarks.rfid.command import rfid
from tocsin_benchmarks.rules.command import rules
from tocsin_benchmarks.selectors.command import selectors
from tocsin_benchmarks.sequences.command import sequences
from tocsin_benchmarks.service.command import service
from tocsin_benchmarks.sharing.command import sharing
from tocsin_benchmarks.xml.command import xml

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
app.command("sharing")(sharing)
app.command("xml")(xml)
app.command("endurance")(endurance)
app.command("service")(service)
app.command("federation")(federation)


@app.callback()
def _bench() -> None:
    """The papers' experiments and the scale tests, on this machine."""
