"""What several commands start with: files of subscriptions read, checked and compiled, with every
problem shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import typer

from tocsin.catalog import (
    Definition,
    Entries,
    Subscription,
    Surroundings,
    compile_subscription,
    ontologies,
    problems_of,
    read_entry_file,
    require_agreement,
)
from tocsin.catalog.files import LineProblem
from tocsin.connectors.files import open_file
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.plan.composites import Plan


@dataclass(frozen=True, slots=True)
class Loaded:
    """The subscriptions of a file that compile, their plans, the definitions they may use, and what
    was wrong.
    """

    subscriptions: dict[str, Subscription]
    plans: dict[str, Plan]
    definitions: tuple[Definition, ...] = ()
    problems: tuple[LineProblem, ...] = ()


def read_file(
    path: str | None, ontology: Iterable[str] | None = None, infer: Iterable[str] | None = None
) -> Entries:
    """The entries of a file, where one is given, and of the ontologies beside it, and the problems
    of its lines.
    """
    entries = Entries()
    if path is not None:
        with open_file(path) as file:
            entries = read_entry_file(file)
    entries.definitions.extend(ontologies(ontology, infer))
    require_agreement((), entries.definitions)  # raises what is wrong with the ontologies, once
    return entries


def problems_in(entries: Entries, known: Iterable[Definition] | None = None) -> list[LineProblem]:
    """Every problem of the file, by line; in the light of its own definitions, unless others are
    known.
    """
    found = list(entries.problems)
    light = Surroundings.of(entries.definitions if known is None else known)
    for entry in entries.subscriptions:
        for problem in problems_of(entry.subscription, light):
            found.append(LineProblem(entry.line, entry.subscription.id, problem))
    return sorted(found, key=lambda each: each.line)


def require_good(path: str, entries: Entries, known: Iterable[Definition] | None = None) -> None:
    """Shows every problem of a file; raises where there is one."""
    problems = problems_in(entries, known)
    _show(path, problems)
    if problems:
        raise _refused(path, problems, hint="mend them; nothing was changed")


def load(
    path: str,
    ontology: Iterable[str] | None = None,
    infer: Iterable[str] | None = None,
    *,
    skip_wrong: bool,
) -> Loaded:
    """The compiled subscriptions of a file; wrong ones are shown, and stop the run unless they are
    to be skipped.
    """
    entries = read_file(path, ontology, infer)
    problems = problems_in(entries)
    _show(path, problems)
    if problems and not skip_wrong:
        raise _refused(path, problems, hint="mend them, or leave them out with --on-error skip")
    wrong = {each.line for each in problems}
    light = Surroundings.of(entries.definitions)
    good = [entry.subscription for entry in entries.subscriptions if entry.line not in wrong]
    return Loaded(
        {each.id: each for each in good},
        {each.id: compile_subscription(each, light) for each in good},
        tuple(entries.definitions),
        tuple(problems),
    )


def require_subscription(loaded: Loaded, path: str, id: str) -> None:
    """Raises where no subscription of the file has the id, or the one that has it is wrong."""
    if id in loaded.plans:
        return
    if any(each.subscription == id for each in loaded.problems):
        message, hint = (
            f"subscription {id!r} of {path} is wrong",
            "mend it; its problems are shown above",
        )
    else:
        known = list(loaded.plans)
        near = get_close_matches(id, known, 3) or known[:10]
        message, hint = (
            f"there is no subscription {id!r} in {path}",
            f"there is {', '.join(near)}" if near else "",
        )
    raise StateProblem(message, code="UnknownSubscription", token=id, hint=hint)


def _show(path: str, problems: list[LineProblem]) -> None:
    for each in problems:
        typer.echo(f"{path}: {each}", err=True)


def _refused(path: str, problems: list[LineProblem], hint: str) -> MeaningProblem:
    return MeaningProblem(
        f"{path} has {len(problems)} problem(s)", code="SubscriptionsRefused", hint=hint
    )
