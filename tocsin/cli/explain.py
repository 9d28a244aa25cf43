"""`tocsin explain`: what a subscription means, what it costs, and why it rang or did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated

import typer

from tocsin.catalog import Definition, Subscription, Surroundings
from tocsin.cli.engines import read_input
from tocsin.cli.loading import load
from tocsin.cli.options import Ontology
from tocsin.cli.why import atom_why_lines, missed_lines
from tocsin.engine.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.events.event import Event
from tocsin.events.order import in_canonical_order
from tocsin.languages import xml_ql_of
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan
from tocsin.plan.explain_composites import waiting_text
from tocsin.plan.explain_modes import mode_lines
from tocsin.plan.explain_plan import plan_lines, summary_lines
from tocsin.plan.occurrence import Occurrence
from tocsin.plan.wire import plan_to_json
from tocsin.values.time import format_instant

_KEY = "explained"


class Form(StrEnum):
    """Other languages that a subscription can be shown in."""

    XML_QL = "xml-ql"


def explain(
    subscription: Annotated[
        str, typer.Argument(metavar="SUBSCRIPTION", help="A file of subscriptions; - for standard input.")
    ],
    event: Annotated[
        list[str] | None, typer.Option("--event", metavar="FILE", help="Events to say why or why not for.")
    ] = None,
    id: Annotated[str | None, typer.Option(help="Only the subscription with this id.")] = None,
    ontology: Ontology = None,
    wire: Annotated[bool, typer.Option("--wire", help="Show the plan as versioned JSON instead.")] = False,
    form: Annotated[
        Form | None, typer.Option("--as", help="Show the subscription in another language instead: xml-ql.")
    ] = None,
) -> None:
    """Show the plan and the state bound of subscriptions; with events, why each did or did not ring."""
    loaded = load(subscription, ontology, skip_wrong=False)
    events = [each for path in event or () for each in read_input(path, None).events]
    for each, plan in loaded.plans.items():
        if id in (None, each):
            if form is Form.XML_QL:
                _show_xml_ql(loaded.subscriptions[each], loaded.definitions)
                continue
            if wire:
                typer.echo(plan_to_json(plan))
                continue
            _show(loaded.subscriptions[each], plan)
            _show_why(plan, events)
            typer.echo()


def _show_xml_ql(subscription: Subscription, definitions: Iterable[Definition]) -> None:
    """The queries of figure 9, one after the other."""
    context = Surroundings.of(definitions).context
    queries = xml_ql_of(subscription.language, subscription.expression, subscription.options, context)
    for query in queries:
        typer.echo(query)
        typer.echo()
    if not queries:
        message = f"subscription {subscription.id} sends an event as it came: there is nothing for XML-QL to build"
        typer.echo(message)


def _show(subscription: Subscription, plan: Plan) -> None:
    typer.echo(f"subscription {subscription.id} ({subscription.language})")
    typer.echo("  plan")
    for line in plan_lines(plan):
        typer.echo(f"    {line}")
    for line in (*(mode_lines(plan) if subscription.language == "exmlql" else ()), *summary_lines(plan)):
        typer.echo(f"  {line}")


def _show_why(plan: Plan, events: list[Event]) -> None:
    lines = _why_atom(plan.pattern, events) if isinstance(plan.pattern, Atom) else _why_composite(plan, events)
    for line in lines if events else ():
        typer.echo(f"  {line}")


def _why_atom(atom: Atom, events: list[Event]) -> Iterator[str]:
    for event in events:
        yield from atom_why_lines(atom, event)


def _why_composite(plan: Plan, events: list[Event]) -> Iterator[str]:
    """Every ring with its members, then what still waits; the clock stands at the last event."""
    engine = Engine()
    engine.add(_KEY, plan)
    ordered = in_canonical_order(events)
    relevant = {each.index: each.atoms for each in engine.match_all(Batch(ordered)).relevant}
    for index, event in enumerate(ordered):
        if event.interval is None:
            yield f"event {event.id}: takes no part, because it has no time"
            continue
        found = engine.detect(event, relevant.get(index, ()))
        part = "takes part" if index in relevant else "takes no part: no atom of the plan holds for it"
        yield f"event {event.id}: {part}"
        if index not in relevant:
            yield from (f"  {line}" for line in missed_lines(plan.pattern, event))
        yield from (f"rings at {format_instant(each.end)}: {_members(each)}" for _, each in found)
    for each in engine.pending(_KEY):
        yield f"still {waiting_text(each.owner, each.slot, _members(each.occurrence), each.until)}"


def _members(occurrence: Occurrence) -> str:
    names = " ".join(member.id for member in occurrence.members) or "no events"
    windows = (f"{format_instant(start)} to {format_instant(end)}" for start, end in occurrence.absences)
    return ", silent from ".join((names, *windows))
