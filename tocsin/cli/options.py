"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tocsin.errors import UnsupportedProblem

Subscriptions = Annotated[
    str, typer.Argument(metavar="SUBSCRIPTIONS", help="JSON Lines; - for standard input, .gz works.")
]
Events = Annotated[
    str, typer.Argument(metavar="EVENTS", help="CloudEvents JSON Lines; - for standard input, .gz works.")
]
Ontology = Annotated[
    list[str] | None, typer.Option("--ontology", metavar="FILE", help="An ontology; may be given several times.")
]


class OnError(StrEnum):
    """What to do about a subscription that does not compile."""

    FAIL = "fail"
    SKIP = "skip"


def refuse_ontologies(ontology: list[str] | None) -> None:
    """No language of this version reads an ontology: saying so beats ignoring the file."""
    if ontology:
        raise UnsupportedProblem(
            "--ontology is of no use yet: the selector language knows no ontology", hint="leave the option out"
        )
