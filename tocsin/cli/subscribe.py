"""`tocsin subscribe`: send the subscriptions and definitions of a file, or one expression, to a
service.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

from tocsin.cli.options import Infer, Ontology
from tocsin.cli.progress import working
from tocsin.cli.server_options import DEFAULT_SERVER, Key, Server
from tocsin.cli.subscription_files import read_file
from tocsin.client import Client
from tocsin.errors import MeaningProblem, Problem

File = Annotated[
    str | None,
    typer.Argument(
        metavar="[SUBSCRIPTIONS]",
        help="JSON Lines, a JSON document or YAML; - for standard input, .gz works.",
    ),
]
Put = Callable[[dict[str, Any]], object]
Wanted = tuple[str, dict[str, Any]]
"""An entry to send: its position for messages, and its body."""


def subscribe(
    subscriptions: File = None,
    expression: Annotated[
        str | None, typer.Option(help="What should ring the bell, instead of a file.")
    ] = None,
    language: Annotated[str, typer.Option(help="The language of the expression.")] = "selector",
    id: Annotated[
        str | None, typer.Option("--id", metavar="ID", help="The id, with an expression.")
    ] = None,
    webhook: Annotated[
        str | None, typer.Option(metavar="URL", help="Deliver to this address.")
    ] = None,
    kafka: Annotated[
        str | None, typer.Option(metavar="TOPIC", help="Deliver to this topic.")
    ] = None,
    paused: Annotated[bool, typer.Option("--paused", help="Not to ring yet.")] = False,
    ontology: Ontology = None,
    infer: Infer = None,
    server: Server = DEFAULT_SERVER,
    key: Key = None,
) -> None:
    """Subscribe at a service, with the subscriptions of a file or with one expression.

    A subscription with an existing id is replaced. Refused ones are shown with their position, the
    others are subscribed; the exit status is 1 if any is refused.
    """
    given = {"webhook": webhook, "kafka": kafka}
    deliver = {name: value for name, value in given.items() if value is not None}
    more: dict[str, Any] = {"deliver": deliver} if deliver else {}
    more |= {"paused": True} if paused else {}
    if (subscriptions is None) == (expression is None):
        raise typer.BadParameter("give a file, or --expression with --id")
    if expression is not None:
        wanted = [_written(expression, language, id) | more]
        _put_all([("the expression", each) for each in wanted], [], server, key)
        return
    entries = read_file(subscriptions, ontology, infer)
    if entries.problems:
        for each in entries.problems:
            typer.echo(f"{subscriptions}: {each}", err=True)
        raise _refused(len(entries.problems), "nothing was subscribed")
    _put_all(
        [
            (f"{subscriptions}: line {each.line}", each.subscription.as_json() | more)
            for each in entries.subscriptions
        ],
        [(f"{subscriptions}: {each.name}", each.as_json()) for each in entries.definitions],
        server,
        key,
    )


def _put_all(
    subscriptions: list[Wanted], definitions: list[Wanted], server: str, key: str | None
) -> None:
    """Send definitions, then subscriptions; raises if any is refused.

    Definitions may use each other, so refused ones are tried again after the others.
    """
    with Client(server, key) as client:
        total = len(subscriptions) + len(definitions)
        with working(total, "subscribing") as report:
            left = _define(client, definitions)
            report(len(definitions))
            for number, (place, body) in enumerate(subscriptions, len(definitions) + 1):
                left += _tried(place, client.put, body)
                report(number)
    for place, problem in left:
        typer.echo(f"{place}: {problem}", err=True)
    typer.echo(f"{total - len(left)} of {total} put")
    if left:
        raise _refused(len(left), "the others are subscribed")


def _define(client: Client, definitions: list[Wanted]) -> list[tuple[str, Problem]]:
    """Send definitions, repeatedly, until none of the remaining ones is accepted; return these."""
    left = definitions
    while True:
        refused = [
            (each, problem)
            for each in left
            for _, problem in _tried(each[0], client.define, each[1])
        ]
        if not refused or len(refused) == len(left):
            return [(each[0], problem) for each, problem in refused]
        left = [each for each, _ in refused]


def _tried(place: str, put: Put, body: dict[str, Any]) -> Iterator[tuple[str, Problem]]:
    """Send an entry and yield its problem, if any; a problem with the service itself is raised."""
    try:
        put(body)
    except Problem as problem:
        if problem.code in ("ServerUnreachable", "KeyMissing", "KeyUnknown", "ScopeMissing"):
            raise
        yield place, problem


def _written(expression: str, language: str, id: str | None) -> dict[str, Any]:
    if id is None:
        raise typer.BadParameter("an expression needs an id: --id NAME")
    return {"id": id, "language": language, "expression": expression}


def _refused(count: int, rest: str) -> MeaningProblem:
    return MeaningProblem(
        f"{count} refused; {rest}", code="SubscriptionsRefused", hint="mend them, then try again"
    )
