"""Files of subscriptions, read, checked and compiled for several commands, with every problem
shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

import typer

from tocsin.catalog import (
    Compiled,
    Definition,
    Entries,
    Subscription,
    Surroundings,
    ontologies,
    read_entry_file,
    require_agreement,
    with_plan,
)
from tocsin.catalog.files import LineProblem
from tocsin.catalog.review import by_line, compile_entries, problems_by_line
from tocsin.connectors.files import open_file
from tocsin.errors import MeaningProblem, StateProblem
from tocsin.plan.nodes.composites import Plan


@dataclass(frozen=True, slots=True)
class Loaded:
    """The subscriptions of a file that compile, with their plans, the definitions, the problems,
    and all that compiling them found.
    """

    subscriptions: dict[str, Subscription]
    plans: dict[str, Plan]
    definitions: tuple[Definition, ...] = ()
    problems: tuple[LineProblem, ...] = ()
    compiled: Mapping[str, Compiled] = field(default_factory=dict)


def read_file(
    path: str | None, ontology: Iterable[str] | None = None, infer: Iterable[str] | None = None
) -> Entries:
    """Return the entries of a file, if given, and of the ontologies, with the problems of its
    lines.

    Raises if an ontology is wrong or contradicts another.
    """
    entries = Entries()
    if path is not None:
        with open_file(path) as file:
            entries = read_entry_file(file)
    entries.definitions.extend(ontologies(ontology, infer))
    require_agreement((), entries.definitions)  # raises a problem of the ontologies, once
    return entries


def require_good(
    path: str, entries: Entries, known: Iterable[Definition] | None = None
) -> list[Subscription]:
    """Return the subscriptions of a file with their plans; shows every problem, and raises if there
    is any.

    They are compiled with the definitions of the file, or with `known` if given.
    """
    light = Surroundings.of(entries.definitions if known is None else known)
    compiled, problems = _compile(path, entries, light)
    if problems:
        raise _refused(path, problems, hint="mend them; nothing was changed")
    return [with_plan(each.subscription, light, each.plan) for each in compiled]


def load(
    path: str,
    ontology: Iterable[str] | None = None,
    infer: Iterable[str] | None = None,
    *,
    skip_wrong: bool,
) -> Loaded:
    """Return the compiled subscriptions of a file; shows wrong ones, and raises unless they are
    skipped.
    """
    entries = read_file(path, ontology, infer)
    compiled, problems = _compile(path, entries, Surroundings.of(entries.definitions))
    if problems and not skip_wrong:
        raise _refused(path, problems, hint="mend them, or leave them out with --on-error skip")
    wrong = {each.line for each in problems}
    good = {
        each.subscription.id: each
        for entry, each in zip(entries.subscriptions, compiled, strict=True)
        if entry.line not in wrong
    }
    return Loaded(
        {id: each.subscription for id, each in good.items()},
        {id: each.require_plan() for id, each in good.items()},
        tuple(entries.definitions),
        problems,
        good,
    )


def _compile(
    path: str, entries: Entries, environment: Surroundings
) -> tuple[list[Compiled], tuple[LineProblem, ...]]:
    """Return every subscription compiled once, and every problem of the file by line; shows the
    problems.
    """
    compiled = compile_entries(entries, environment)
    problems = by_line([*entries.problems, *problems_by_line(entries, compiled)])
    for each in problems:
        typer.echo(f"{path}: {each}", err=True)
    return compiled, problems


def require_subscription(loaded: Loaded, path: str, id: str) -> None:
    """Raise if no subscription of the file has the id, or if that one is wrong."""
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


def _refused(path: str, problems: tuple[LineProblem, ...], hint: str) -> MeaningProblem:
    return MeaningProblem(
        f"{path} has {len(problems)} problem(s)", code="SubscriptionsRefused", hint=hint
    )
