"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tocsin.connectors.events import Split
from tocsin.events.codecs.formats import Format

Subscriptions = Annotated[
    str,
    typer.Argument(
        metavar="SUBSCRIPTIONS",
        help="JSON Lines, a JSON document or YAML; - for standard input, .gz works.",
    ),
]
Events = Annotated[
    list[str],
    typer.Argument(
        metavar="EVENTS...",
        help="Files of events, directories of them and patterns; - for standard input, .gz works.",
    ),
]
EventFormat = Annotated[
    Format | None,
    typer.Option(
        "--format", help="What the files hold, where their names and first bytes do not tell."
    ),
]
SplitBy = Annotated[
    Split,
    typer.Option(
        "--split", help="What of an XML document is an event: all of it, or each child of its root."
    ),
]
FieldColumns = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="FIELD=COLUMN,...",
        help=(
            "Where records and documents without an envelope have the fields of an event, as"
            " id=nr,time=sent_at; or a file with such a mapping."
        ),
    ),
]
Zone = Annotated[
    str | None,
    typer.Option(
        "--zone", metavar="ZONE", help="The zone of times that have none, as UTC or Europe/Berlin."
    ),
]
DocumentTime = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="TIME",
        help=(
            "The time of records and documents that have none: RFC 3339, or modified for that of"
            " the file."
        ),
    ),
]
Ontology = Annotated[
    list[str] | None,
    typer.Option("--ontology", metavar="FILE", help="An ontology; may be given several times."),
]


Infer = Annotated[
    list[str] | None,
    typer.Option(
        "--infer",
        metavar="WHAT",
        help=(
            "Conclude from the ontologies given: domain-range, inverse, existential,"
            " meta-statements; may be given several times."
        ),
    ),
]


class OnError(StrEnum):
    """Policies for a subscription that does not compile."""

    FAIL = "fail"
    SKIP = "skip"
