"""`tocsin explain`: what a subscription means, what it costs, and why it rang or did not."""

from __future__ import annotations

from typing import Annotated

import typer

from tocsin.catalog import Subscription
from tocsin.cli.engines import read_input
from tocsin.cli.loading import load
from tocsin.cli.options import Ontology, refuse_ontologies
from tocsin.events.event import Event
from tocsin.plan.atoms import Condition
from tocsin.plan.composites import Plan
from tocsin.plan.explain import plan_lines, summary_lines
from tocsin.plan.wire import plan_to_json
from tocsin.reference.why import verdict_line, why_lines


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
) -> None:
    """Show the plan and the state bound of subscriptions; with events, why each did or did not ring."""
    refuse_ontologies(ontology)
    loaded = load(subscription, skip_wrong=False)
    events = [each for path in event or () for each in read_input(path, None).events]
    for each, plan in loaded.plans.items():
        if id in (None, each):
            if wire:
                typer.echo(plan_to_json(plan))
                continue
            _show(loaded.subscriptions[each], plan)
            for one in events:
                _show_why(plan, one)
            typer.echo()


def _show(subscription: Subscription, plan: Plan) -> None:
    typer.echo(f"subscription {subscription.id} ({subscription.language})")
    typer.echo("  plan")
    for line in plan_lines(plan):
        typer.echo(f"    {line}")
    for line in summary_lines(plan):
        typer.echo(f"  {line}")


def _show_why(plan: Plan, event: Event) -> None:
    if isinstance(plan.pattern, Condition):
        expression = plan.pattern.expression
        typer.echo(f"  {verdict_line(expression, event)}")
        for line in why_lines(expression, event, "    "):
            typer.echo(line)
