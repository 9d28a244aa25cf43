"""`tocsin publish`: send the events of files to a service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from tocsin.cli.inputs import EventFiles, event_files, one_line
from tocsin.cli.options import DocumentTime, EventFormat, Events, FieldColumns, SplitBy, Zone
from tocsin.cli.progress import Report, reading
from tocsin.cli.server_options import DEFAULT_SERVER, Key, Server
from tocsin.client import Client, Published, Rejected
from tocsin.client.calls import AT_ONCE, publish_lines
from tocsin.connectors.events import Split
from tocsin.errors import MeaningProblem, Problem
from tocsin.events.codecs.decode import FileItem, as_line
from tocsin.events.dead_letter import DeadLetter, malformed_input

SHOWN = 10
"""The number of rejected events that are shown."""


def publish(
    events: Events,
    server: Server = DEFAULT_SERVER,
    key: Key = None,
    format: EventFormat = None,
    split: SplitBy = Split.DOCUMENT,
    columns: FieldColumns = None,
    zone: Zone = None,
    time: DocumentTime = None,
    at_once: Annotated[int, typer.Option(help="Events in one request.", min=1)] = AT_ONCE,
) -> None:
    """Publish the events of files to a service.

    Takes the files that tocsin match takes. Accepted events are stored by the service. A rejected
    event is shown with its position; if the service rejected it, it is kept there as a dead letter.
    If no event was accepted, the exit status is 1.
    """
    files = event_files(events, format, split, columns, zone, time)
    with Client(server, key) as client, reading(files.size, "publishing") as report:
        sending = PublishRun(files, report)
        for call in publish_lines(sending.lines(), at_once):
            sending.note(client.call(call))
    _print_summary(sending, files)


class PublishRun:
    """Files being sent: lines for the service, and the results."""

    def __init__(self, files: EventFiles, report: Report) -> None:
        self._files = files
        self._report = report
        self._under_way: dict[int, FileItem] = {}
        self._count = 0
        self.accepted = 0
        self.unserved: list[DeadLetter] = []
        self.refused = 0

    def lines(self) -> Iterator[bytes]:
        """Yield a line for each event; undecoded text is sent unchanged, and the service decodes
        it.
        """
        for piece in self._files.pieces(self._report):
            try:
                lines = _lines_of(piece)
            except Problem as problem:
                self._refuse(malformed_input(problem, piece.raw, piece.line).in_file(piece.file))
                continue
            for line in lines:
                self._under_way[self._count] = piece
                self._count += 1
                yield line

    def note(self, done: Published) -> None:
        """Record the response to a request, all lines of which were taken, and perhaps one more."""
        self.accepted += done.accepted
        for each in done.rejected:
            self._refuse(_letter(each, self._under_way[each.index]))
        last = max(self._under_way, default=0)
        self._under_way = {last: self._under_way[last]} if self._under_way else {}

    def _refuse(self, letter: DeadLetter) -> None:
        self.refused += 1
        if len(self.unserved) < SHOWN:
            self.unserved.append(letter)


def _lines_of(piece: FileItem) -> list[bytes]:
    if piece.found is None:
        return [one_line(piece.raw)]
    return [as_line(event) for event in piece.events()]


def _letter(rejected: Rejected, piece: FileItem) -> DeadLetter:
    text = piece.raw.decode("utf-8", "replace")
    return DeadLetter(rejected.code, rejected.reason, text, piece.line).in_file(piece.file)


def _print_summary(sending: PublishRun, files: EventFiles) -> None:
    typer.echo(f"{sending.accepted} event(s) accepted")
    for letter in sending.unserved:
        typer.echo(f"tocsin: not accepted, {letter.place}: {letter.reason}", err=True)
    if sending.refused > len(sending.unserved):
        typer.echo(f"tocsin: {sending.refused} not accepted in all", err=True)
    if sending.refused and not sending.accepted:
        raise MeaningProblem(
            f"nothing in {files.describe()} was accepted",
            code="NothingAccepted",
            hint="--format says what a file holds, where its name and first bytes do not tell",
        )
    if not sending.refused and not sending.accepted:
        typer.echo(f"tocsin: there is no event in {files.describe()}", err=True)
