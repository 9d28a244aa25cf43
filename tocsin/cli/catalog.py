"""`tocsin catalog`: subscriptions and definitions in a store shared with the Hub and running Spark
queries.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Any

import typer

from tocsin.catalog import (
    Catalog,
    Definition,
    Effects,
    Entries,
    Snapshot,
    Subscription,
    create_catalog,
    effects_of,
    open_catalog,
)
from tocsin.cli.options import Infer, Ontology
from tocsin.cli.subscription_files import read_file, require_good
from tocsin.errors import MeaningProblem, StateProblem

app = typer.Typer(
    help="Subscriptions and definitions in a live catalog (SQLite file or PostgreSQL URL).",
    no_args_is_help=True,
)


class EntryKind(StrEnum):
    """The kinds of named entries."""

    SUBSCRIPTION = "subscription"
    DEFINITION = "definition"


Url = Annotated[
    str,
    typer.Argument(
        metavar="CATALOG", help="A SQLite file, or postgresql+psycopg://user@host/database."
    ),
]
File = Annotated[
    str | None,
    typer.Argument(
        metavar="[SUBSCRIPTIONS]", help="JSON Lines of both kinds; - for standard input, .gz works."
    ),
]
Names = Annotated[
    list[str], typer.Argument(metavar="ID...", help="Ids of subscriptions, names of definitions.")
]
OfKind = Annotated[EntryKind | None, typer.Option("--kind", help="Only entries of this kind.")]
AsOf = Annotated[int | None, typer.Option(help="As of this version; the newest by default.")]
Force = Annotated[
    bool, typer.Option("--force", help="Also where subscriptions break by it: they ring no more.")
]
DryRun = Annotated[
    bool,
    typer.Option("--dry-run", help="Only say what it would do to subscriptions; 1 if one breaks."),
]


@app.command("create")
def create(
    catalog: Url, subscriptions: File = None, ontology: Ontology = None, infer: Infer = None
) -> None:
    """Create a new catalog, empty or with the entries of a file; refused if there is one."""
    entries = read_file(subscriptions, ontology, infer)
    added = require_good(subscriptions or "", entries)
    made = create_catalog(catalog)
    definitions = entries.definitions
    version = made.add(*definitions, *added) if definitions or added else made.version()
    _report("created with", len(added), len(definitions), version)


@app.command("add")
def add(
    catalog: Url,
    subscriptions: File = None,
    ontology: Ontology = None,
    infer: Infer = None,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Add all entries of a file, or none.

    Running queries apply them in their next micro-batch.
    """
    _change(
        open_catalog(catalog),
        read_file(subscriptions, ontology, infer),
        subscriptions,
        replace=False,
        force=force,
        dry_run=dry_run,
    )


@app.command("replace")
def replace(
    catalog: Url,
    subscriptions: File = None,
    ontology: Ontology = None,
    infer: Infer = None,
    force: Force = False,
    dry_run: DryRun = False,
) -> None:
    """Replace the entries with the names of those in a file, all or none.

    Shows first which other subscriptions break, change their meaning or compile again, and refuses
    to break any.
    """
    _change(
        open_catalog(catalog),
        read_file(subscriptions, ontology, infer),
        subscriptions,
        replace=True,
        force=force,
        dry_run=dry_run,
    )


@app.command("remove")
def remove(
    catalog: Url, ids: Names, kind: OfKind = None, force: Force = False, dry_run: DryRun = False
) -> None:
    """Remove entries by id or name, all or none; refuses to break other subscriptions."""
    opened = open_catalog(catalog)
    before = opened.snapshot()
    entries = _chosen(before, ids, kind)
    subscriptions = [each.id for each in entries if isinstance(each, Subscription)]
    definitions = [each.name for each in entries if isinstance(each, Definition)]
    staying = [each for each in before.subscriptions if each.id not in subscriptions]
    known = [each for each in before.definitions if each.name not in definitions]
    effects = effects_of(staying, before.definitions, known) if definitions else Effects()
    if _settle(effects, entries, force=force, dry_run=dry_run):
        version = opened.remove(*subscriptions, definitions=definitions, expected=before.version)
        _report("removed:", len(subscriptions), len(definitions), version)


@app.command("list")
def list_entries(catalog: Url, version: AsOf = None, kind: OfKind = None) -> None:
    """List the entries as JSON Lines.

    An ontology is listed with its length instead of its text: `show` has it in full.
    """
    snapshot = open_catalog(catalog).snapshot(version)
    definitions, subscriptions = _of_kind(snapshot, kind)
    for definition in definitions:
        typer.echo(_line(_shortened(definition)))
    for subscription in subscriptions:
        typer.echo(_line(subscription.as_json()))
    _report("", len(subscriptions), len(definitions), snapshot.version)


@app.command("show")
def show(
    catalog: Url,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="All, where none is given.")
    ] = None,
    version: AsOf = None,
    kind: OfKind = None,
) -> None:
    """Show entries in full, as lines for `add`; without ids a copy of the whole catalog."""
    snapshot = open_catalog(catalog).snapshot(version)
    definitions, subscriptions = _of_kind(snapshot, kind)
    everything: list[Definition | Subscription] = [*definitions, *subscriptions]
    for entry in _chosen(snapshot, ids, kind) if ids else everything:
        typer.echo(_line(entry.as_json()))


def _change(
    catalog: Catalog,
    entries: Entries,
    path: str | None,
    *,
    replace: bool,
    force: bool,
    dry_run: bool,
) -> None:
    """Add or replace the entries of a file, after showing the effects on other subscriptions."""
    if path is None and not entries.definitions:
        raise MeaningProblem(
            "there is nothing to take over",
            code="FileError",
            hint="give a file of subscriptions, or --ontology FILE",
        )
    before = catalog.snapshot()
    given = {each.name: each for each in entries.definitions}
    kept = [given.get(each.name, each) if replace else each for each in before.definitions]
    new = [] if replace else list(given.values())
    subscriptions = require_good(path or "", entries, [*kept, *new])
    ids = {each.id for each in subscriptions}
    others = [each for each in before.subscriptions if each.id not in ids]
    effects = effects_of(others, before.definitions, [*kept, *new]) if given else Effects()
    both: list[Definition | Subscription] = [*entries.definitions, *subscriptions]
    if _settle(effects, both, force=force, dry_run=dry_run):
        change = catalog.replace if replace else catalog.add
        version = change(*both, expected=before.version)
        _report("replaced:" if replace else "added:", len(subscriptions), len(given), version)


def _settle(
    effects: Effects, entries: Iterable[Definition | Subscription], *, force: bool, dry_run: bool
) -> bool:
    """Show the effects of a change on subscriptions; return True to make it. Raises if one would
    break.
    """
    for subscription, problem in effects.broken:
        typer.echo(f"breaks {subscription.id}: {problem}")
    for subscription in effects.changed:
        typer.echo(f"changes {subscription.id}: it means something else")
    for subscription in effects.healed:
        typer.echo(f"heals {subscription.id}: it compiles again")
    if effects.broken and not force:
        raise _would_break(effects, entries)
    if dry_run:
        typer.echo("nothing was changed", err=True)
    return not dry_run


def _would_break(effects: Effects, entries: Iterable[Definition | Subscription]) -> StateProblem:
    """Return the problem of a breaking change; for an ontology with the code of the concept
    specification.
    """
    names = ", ".join(each.id for each, _ in effects.broken)
    of_ontology = any(isinstance(each, Definition) and each.ontology for each in entries)
    return StateProblem(
        f"{len(effects.broken)} subscription(s) would break: {names}",
        code="TBOX_CHANGED_INCOMPATIBLE" if of_ontology else "DefinitionInUse",
        token=effects.broken[0][1].token,
        hint="replace or remove them too, or let them break with --force",
    )


def _chosen(
    snapshot: Snapshot, names: Iterable[str], kind: EntryKind | None
) -> list[Definition | Subscription]:
    """Return the entries of the given names; raises if a name is unknown or ambiguous."""
    definitions, subscriptions = _of_kind(snapshot, kind)
    found: list[Definition | Subscription] = []
    for name in dict.fromkeys(names):
        both = (
            [each for each in definitions if each.name == name],
            [each for each in subscriptions if each.id == name],
        )
        if all(both):
            raise StateProblem(
                f"{name!r} is a subscription and a definition",
                token=name,
                hint="say which one with --kind",
            )
        if not any(both):
            raise StateProblem(
                f"there is no {name!r}",
                code="UnknownSubscriptionError",
                token=name,
                hint="see what there is: tocsin catalog list",
            )
        found += [*both[0], *both[1]]
    return found


def _of_kind(
    snapshot: Snapshot, kind: EntryKind | None
) -> tuple[tuple[Definition, ...], tuple[Subscription, ...]]:
    return (
        () if kind is EntryKind.SUBSCRIPTION else snapshot.definitions,
        () if kind is EntryKind.DEFINITION else snapshot.subscriptions,
    )


def _shortened(definition: Definition) -> dict[str, Any]:
    if not definition.ontology:
        return definition.as_json()
    return {
        "define": definition.name,
        "format": definition.media_type,
        "characters": len(definition.ontology),
    }


def _line(body: dict[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False)


def _report(done: str, subscriptions: int, definitions: int, version: int) -> None:
    counts = f"{subscriptions} subscription(s), {definitions} definition(s), version {version}"
    typer.echo(f"{done} {counts}".strip(), err=True)
