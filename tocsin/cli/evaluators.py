"""Engines of the command line: local, reference or Spark. All give the same result over the same
files.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from importlib import import_module

from tocsin.catalog import Surroundings, with_plan
from tocsin.cli.inputs import EventFiles, spool_events
from tocsin.cli.progress import reading, working
from tocsin.cli.subscription_files import Loaded
from tocsin.errors import Problem, UnsupportedProblem
from tocsin.events.codecs.reception import EventEndRule
from tocsin.events.dead_letter import (
    EVENT_WARNING,
    DeadLetter,
    EventWarning,
    Warned,
    internal_error,
    window_over,
)
from tocsin.events.event import Event
from tocsin.events.matches.match import Match
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan, atoms_of
from tocsin.plan.semantics.bounds import find_expired_window
from tocsin.plan.semantics.event_warnings import event_warnings
from tocsin.reference import holds
from tocsin.reference import matches as reference_matches
from tocsin.runtime.containment import run_with_bisection
from tocsin.runtime.finite_run import (
    Input,
    constructing,
    match_events,
    read_pieces,
    republish_until_stable,
)
from tocsin.runtime.limits import FanOut
from tocsin.values.time import Duration, Instant


class EvaluatorName(StrEnum):
    """The engines that a command can use."""

    LOCAL = "local"
    SPARK = "spark"
    REFERENCE = "reference"


@dataclass(frozen=True, slots=True)
class Request:
    """The input of a run: subscriptions, files of events, limits of lateness and future, end of the
    clock.

    `with_members` if the members of matches are needed; in process they are always present.
    """

    loaded: Loaded
    events: EventFiles
    lateness: Duration | None = None
    until: Instant | None = None
    master: str = "local[2]"
    with_members: bool = False
    ends: EventEndRule = EventEndRule.START
    ahead: Duration | None = None


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """Matches in output order, dead letters, and warnings about served events.

    `some_read` if the files held any event at all.
    """

    matches: list[Match]
    dead_letters: list[DeadLetter]
    warned: Warned = field(default_factory=Warned)
    some_read: bool = True


def evaluate(engine: EvaluatorName, request: Request) -> EvaluationResult:
    """Run one engine and return its result."""
    return _ENGINES[engine](request)


def read_input(
    files: EventFiles,
    lateness: Duration | None = None,
    ends: EventEndRule = EventEndRule.START,
    ahead: Duration | None = None,
) -> Input:
    """Return the events of files, with a progress bar."""
    with reading(files.size, "reading events") as progress:
        return read_pieces(files.pieces(progress), lateness, ends, ahead)


def _local(request: Request) -> EvaluationResult:
    found = read_input(request.events, request.lateness, request.ends, request.ahead)
    with working(len(found.events), "matching") as progress:
        matches = match_events(request.loaded.plans, found, request.until, progress)
    return EvaluationResult(matches, found.dead_letters, found.warned, bool(found.events))


def _reference(request: Request) -> EvaluationResult:
    found = read_input(request.events, request.lateness, request.ends, request.ahead)
    plans = request.loaded.plans

    faults: list[DeadLetter] = []

    def evaluate(further: Sequence[Event], _: FanOut) -> list[Match]:
        everything = [*found.events, *further]
        in_time = [event for event in everything if event.identity not in found.late]
        matches: list[Match] = []
        faults.clear()
        with working(len(plans), "evaluating subscriptions") as progress:
            for number, (subscription, plan) in enumerate(plans.items()):
                progress(number)
                events = everything if isinstance(plan.pattern, Atom) else in_time
                matches += _judged(subscription, plan, events, request.until, faults)
        return matches

    matches, over = republish_until_stable(evaluate, constructing(plans))
    ordered = sorted(matches, key=lambda match: match.order)
    letters = [*found.dead_letters, *_windows_over(plans, found), *faults, *over]
    return EvaluationResult(ordered, letters, _warned(plans, found.events), bool(found.events))


def _judged(
    subscription: str,
    plan: Plan,
    events: Sequence[Event],
    until: Instant | None,
    faults: list[DeadLetter],
) -> list[Match]:
    """Return the matches of the reference; events that raise an internal error are reported and
    left out.
    """

    def judge(some: Sequence[Event]) -> list[Match]:
        return reference_matches(subscription, plan, some, until)

    try:
        return judge(events)
    except Exception as error:
        fault = error
    if isinstance(plan.pattern, Atom):
        judged = run_with_bisection(events, judge)
        faults += (internal_error(why, (event,), subscription) for event, why in judged.failed)
        return [match for _, matches in judged.completed for match in matches]
    atoms = tuple(atoms_of(plan.pattern))
    seen = run_with_bisection(
        events, lambda part: [holds(atom, event) for atom in atoms for event in part]
    )
    faults += (internal_error(why, (event,), subscription) for event, why in seen.failed)
    try:
        if seen.failed:
            return judge([event for part, _ in seen.completed for event in part])
    except Exception as error:
        fault = error
    faults.append(internal_error(fault, (), subscription))
    return []


def _windows_over(plans: Mapping[str, Plan], found: Input) -> Iterable[DeadLetter]:
    """Yield a dead letter for each subscription with a window that ended before the first event
    did.
    """
    in_time = (event for event in found.events if event.identity not in found.late)
    first = next((event.interval.end for event in in_time if event.interval is not None), None)
    for subscription, plan in plans.items():
        if first is not None and find_expired_window(plan.pattern, first - 1) is not None:
            yield window_over(subscription)


def _warned(plans: Mapping[str, Plan], events: Iterable[Event]) -> Warned:
    """Return the warnings about events by the definitions in all plans."""
    atoms = dict.fromkeys(atom for plan in plans.values() for atom in atoms_of(plan.pattern))
    warned = Warned()
    seen = run_with_bisection(
        list(events), lambda part: [(each, event_warnings(each, atoms)) for each in part]
    )
    for (
        _,
        found,
    ) in seen.completed:  # an event that raises is reported by `_judged`
        for event, problems in found:
            for problem in problems:
                warned.add(EventWarning.of(event, problem))
    return warned


def _spark(request: Request) -> EvaluationResult:
    try:
        spark = import_module("tocsin.spark")
    except ImportError as error:
        raise UnsupportedProblem(
            f"Spark is not installed: {error.__cause__ or error}",
            code="SparkMissing",
            hint="pip install 'tocsin[spark]'",
        ) from None
    loaded = request.loaded
    light = Surroundings.of(loaded.definitions)
    compiled = (
        with_plan(each, light, loaded.plans[id]) for id, each in loaded.subscriptions.items()
    )
    entries = [*loaded.definitions, *compiled]
    with spool_events(request.events) as file:
        matches, told = spark.run_match(
            entries,
            file.path,
            lateness=request.lateness,
            until=request.until,
            master=request.master,
            with_members=request.with_members,
            interval=request.ends,
            ahead=request.ahead,
        )
    dead_letters = [*file.dead_letters, *map(file.placed, told)]
    warned = Warned()
    for letter in dead_letters:
        if letter.code == EVENT_WARNING:
            warned.add(_warning(letter))
    letters = [each for each in dead_letters if each.code != EVENT_WARNING]
    return EvaluationResult(
        matches, letters, warned, bool(matches) or not letters or _holds_event(request.events)
    )


def _holds_event(files: EventFiles) -> bool:
    """True if the files have any event; called only if no result shows it."""
    for piece in files.pieces():
        with suppress(Problem):
            if piece.events():
                return True
    return False


def _warning(letter: DeadLetter) -> EventWarning:
    """Return the warning from a dead letter of a Spark task, the first of its kind in the task."""
    who = json.loads(letter.input)
    code, _, message = letter.reason.partition(": ")
    return EventWarning(who["source"], who["id"], code, message)


_ENGINES: dict[EvaluatorName, Callable[[Request], EvaluationResult]] = {
    EvaluatorName.LOCAL: _local,
    EvaluatorName.SPARK: _spark,
    EvaluatorName.REFERENCE: _reference,
}
