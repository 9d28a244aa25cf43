"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

Subscriptions = Annotated[
    str, typer.Argument(metavar="SUBSCRIPTIONS", help="JSON Lines; - for standard input, .gz works.")
]
Events = Annotated[
    str, typer.Argument(metavar="EVENTS", help="CloudEvents JSON Lines; - for standard input, .gz works.")
]
Ontology = Annotated[
    list[str] | None, typer.Option("--ontology", metavar="FILE", help="An ontology; may be given several times.")
]


Infer = Annotated[
    list[str] | None,
    typer.Option(
        "--infer",
        metavar="WHAT",
        help="Conclude from the ontologies given: domain-range, inverse, existential; may be given several times.",
    ),
]


class OnError(StrEnum):
    """What to do about a subscription that does not compile."""

    FAIL = "fail"
    SKIP = "skip"
