"""`tocsin explain`: the meaning of a subscription, its cost, and why it rang or did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import Annotated

import typer

from tocsin.catalog import Compiled, Definition, Subscription, Surroundings
from tocsin.cli.evaluators import read_input
from tocsin.cli.inputs import event_files
from tocsin.cli.options import DocumentTime, FieldColumns, Infer, Ontology, SplitBy, Zone
from tocsin.cli.subscription_files import load, require_subscription
from tocsin.connectors.events import Split
from tocsin.errors import MeaningProblem, UnsupportedProblem
from tocsin.events.codecs.formats import Format as EventFormat
from tocsin.events.dead_letter import DeadLetter
from tocsin.events.event import Event, in_canonical_order
from tocsin.events.matches.match import Match
from tocsin.explain.replay import Replay, replay
from tocsin.explain.verdicts import verdict_line
from tocsin.explain.waiting import pending_text
from tocsin.explain.why import MatchedEvents, describe_match
from tocsin.explain.why_not import WhyNotQuery, explain_event, query_among
from tocsin.languages.base.reading import Reading
from tocsin.languages.to_rule import as_rule
from tocsin.papers.figures import draw_page
from tocsin.papers.graph_printing import tree_lines
from tocsin.papers.selector_list import trace_lines
from tocsin.papers.xml_ql import xml_ql_of
from tocsin.plan.explain.operators import has_concurrent_parts
from tocsin.plan.explain.phrases import short_text
from tocsin.plan.explain.plan import mode_lines, plan_lines, summary_lines
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Part, Plan, atoms_of, parts_of
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.plan.nodes.sources import Sources
from tocsin.plan.semantics.event_warnings import event_warnings
from tocsin.plan.wire.wire import plan_to_json
from tocsin.values.time import format_instant

MAX_EXPLAINED = 50
"""Events of a composite whose conditions are shown: each is compared with those around it."""

_LONGEST = "max_event_duration"
_CHEAPER = (
    f"|(A)B waits for events that last; the option {_LONGEST} says how long they may (0: they are"
    " instants)"
)


class ExplanationFormat(StrEnum):
    """Output formats of an explanation."""

    TEXT = "text"
    SVG = "svg"


class Form(StrEnum):
    """Other languages that a subscription can be shown in."""

    XML_QL = "xml-ql"
    RULE = "rule"


def explain(
    subscription: Annotated[
        str,
        typer.Argument(
            metavar="SUBSCRIPTION", help="A file of subscriptions; - for standard input."
        ),
    ],
    event: Annotated[
        list[str] | None,
        typer.Option(
            "--event",
            metavar="FILE",
            help="Events to say why or why not for; several times, or a directory.",
        ),
    ] = None,
    id: Annotated[str | None, typer.Option(help="Only the subscription with this id.")] = None,
    ontology: Ontology = None,
    infer: Infer = None,
    format: Annotated[
        ExplanationFormat,
        typer.Option(help="svg draws graph patterns, and their matching trees for --event."),
    ] = (ExplanationFormat.TEXT),
    wire: Annotated[
        bool, typer.Option("--wire", help="Show the plan as versioned JSON instead.")
    ] = False,
    form: Annotated[
        Form | None,
        typer.Option(
            "--as", help="Show the subscription in another language instead: rule, xml-ql."
        ),
    ] = None,
    event_format: Annotated[
        EventFormat | None,
        typer.Option(help="What the files of --event hold, where they do not tell."),
    ] = None,
    split: SplitBy = Split.DOCUMENT,
    columns: FieldColumns = None,
    zone: Zone = None,
    time: DocumentTime = None,
    trace: Annotated[
        bool,
        typer.Option(
            "--trace",
            help="Show the matching of boolean selectors step by step instead; with --event.",
        ),
    ] = False,
) -> None:
    """Show plan and state bound of subscriptions; with events, why each did or did not ring."""
    loaded = load(subscription, ontology, infer, skip_wrong=True)
    if id is not None:
        require_subscription(loaded, subscription, id)
    elif not loaded.plans:
        hint = (
            "mend what is shown above"
            if loaded.problems
            else "an entry has id, language and expression"
        )
        raise MeaningProblem(
            f"there is no subscription to explain in {subscription}", code="FileError", hint=hint
        )
    files = event_files(event or (), event_format, split, columns, zone, time)
    found = read_input(files)
    events = list(found.events)
    _show_unreadable(found.dead_letters, to_error=format is not ExplanationFormat.TEXT or wire)
    chosen = {each: plan for each, plan in loaded.plans.items() if id in (None, each)}
    if trace:
        _show_trace(chosen, events)
        return
    if format is ExplanationFormat.SVG:
        typer.echo(draw_page(chosen, events))
        return
    for each, plan in loaded.plans.items():
        if id in (None, each):
            if form is Form.XML_QL:
                _show_xml_ql(loaded.subscriptions[each], loaded.compiled[each].reading)
                continue
            if form is Form.RULE:
                _show_rule(loaded.subscriptions[each], loaded.definitions)
                continue
            if wire:
                typer.echo(plan_to_json(plan))
                continue
            _show(loaded.compiled[each], plan)
            _show_why(plan, loaded.compiled[each].sources, events)
            _show_warnings(plan, events)
            typer.echo()


def _show_unreadable(letters: list[DeadLetter], *, to_error: bool) -> None:
    """Show the items of the files that are not events, and so match nothing."""
    for letter in letters:
        typer.echo(f"not an event, at {letter.place}: {letter.code}: {letter.reason}", err=to_error)


def _show_xml_ql(subscription: Subscription, reading: Reading) -> None:
    """Show the queries of figure 9, one after the other."""
    queries = xml_ql_of(subscription.language, reading)
    for query in queries:
        typer.echo(query)
        typer.echo()
    if not queries:
        message = (
            f"subscription {subscription.id} sends an event as it came: there is nothing for XML-QL"
            " to build"
        )
        typer.echo(message)


def _show_rule(subscription: Subscription, definitions: Iterable[Definition]) -> None:
    """Show the subscription as a rule, or the part of it that a rule cannot express."""
    context = Surroundings.of(definitions).context
    typer.echo(f"-- {subscription.id} ({subscription.language})")
    try:
        typer.echo(
            as_rule(
                subscription.language,
                subscription.expression,
                subscription.options,
                context,
                subscription.policy,
                subscription.horizon,
            )
        )
    except UnsupportedProblem as problem:
        typer.echo(f"-- {problem.message}: {problem.hint}")
    typer.echo()


def _show_trace(plans: dict[str, Plan], events: list[Event]) -> None:
    if not events:
        raise typer.BadParameter("give an event to trace, as in --event FILE", param_hint="--trace")
    for line in trace_lines(plans, events):
        typer.echo(line)


def _show(compiled: Compiled, plan: Plan) -> None:
    subscription, sources = compiled.subscription, compiled.sources
    typer.echo(f"subscription {subscription.id} ({subscription.language})")
    typer.echo("  plan")
    for line in plan_lines(plan, sources):
        typer.echo(f"    {line}")
    for line in (
        *(mode_lines(plan) if subscription.language == "exmlql" else ()),
        *summary_lines(plan, sources),
    ):
        typer.echo(f"  {line}")
    if (
        subscription.language == "opsl"
        and _LONGEST not in subscription.options
        and has_concurrent_parts(plan.pattern)
    ):
        typer.echo(f"  cheaper        {_CHEAPER}")


def _show_why(plan: Plan, sources: Sources, events: list[Event]) -> None:
    lines = (
        _why_atom(plan.pattern, events)
        if isinstance(plan.pattern, Atom)
        else _why_composite(plan.pattern, sources, events)
    )
    for line in lines if events else ():
        typer.echo(f"  {line}")


def _show_warnings(plan: Plan, events: list[Event]) -> None:
    """Show warnings about the events, by the definitions that the subscription uses."""
    atoms = dict.fromkeys(atoms_of(plan.pattern))
    for event in events:
        for warning in event_warnings(event, atoms):
            typer.echo(f"  warning: event {event.id}: {warning}")


def _why_atom(atom: Atom, events: list[Event]) -> Iterator[str]:
    for event in events:
        explained = explain_event(atom, WhyNotQuery(event))
        yield verdict_line(atom, event)
        yield from (f"  {line}" for line in explained.lines())
        if isinstance(atom, GraphPattern):
            yield from (f"  {line}" for line in tree_lines(atom, event))


def _why_composite(pattern: Part, sources: Sources, events: list[Event]) -> Iterator[str]:
    """Yield each event with its steps and every match with its members, then the partial matches;
    the clock stops at the last event.
    """
    ordered = in_canonical_order(events)
    replayed = replay(pattern, ordered, ordered[:MAX_EXPLAINED])
    by_identity = {each.identity: each for each in ordered}
    if replayed.problem is not None and not replayed.outcomes:
        yield f"not run: {replayed.problem}"
        return
    for index, (event, found) in enumerate(replayed.outcomes):
        if event is not None:
            yield f"event {event.id}: {_taking_part(replayed, event, sources)}"
            if index < MAX_EXPLAINED:
                query = query_among(ordered, index)
                explained = explain_event(pattern, query, sources, replayed)
                yield from (f"  {line}" for line in explained.lines())
        yield from (_match_text(pattern, each, by_identity, sources) for each in found.matches)
        yield from (f"{each.code}: {each.reason}" for each in found.letters)
    if len(ordered) > MAX_EXPLAINED:
        yield f"conditions are shown for the first {MAX_EXPLAINED} events only"
    for each in replayed.pending:
        yield f"still {pending_text(each, sources)}"


def _taking_part(replayed: Replay, event: Event, sources: Sources) -> str:
    """Return what an event is in a composite: in a match, or the parts that it matches."""
    if event.interval is None:
        return "takes no part, because it has no time"
    matched = replayed.matched_with(event)
    if replayed.pattern in matched:
        return "is in a match"
    found = matched | set(replayed.inputs.get(event.identity, ()))
    inner = {below for each in found for below in parts_of(each)}
    outermost = [each for each in replayed.order if each in found - inner]
    texts = dict.fromkeys(short_text(each, sources) for each in outermost)
    return f"matches {', '.join(texts)}" if texts else "matches no part of the rule"


def _match_text(
    pattern: Part, match: Match, events: Mapping[tuple[str, str], Event], sources: Sources
) -> str:
    end = None if match.end is None else format_instant(match.end)
    members = [events[each] for each in zip(match.sources, match.events, strict=True)]
    seen = MatchedEvents(pattern, match.bindings, members, end, sources)
    return f"rings at {end or ''}: {describe_match(seen)}"
