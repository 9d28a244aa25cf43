"""A plan in words: its tree, the order of evaluation, its cost and the bound of its state.

Beside it the composite modes of the E-XML-QL paper (definition 2, figure 3), and warnings for parts
that wait for the default horizon (decision 0007): legal, and perhaps not meant.

The tree of a composite has every condition, buffered occurrences with their lifetimes, and shared
parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tocsin.errors import MeaningProblem
from tocsin.plan.explain.atoms import atom_lines, path_text, selector_text
from tocsin.plan.explain.exmlql import construct_text
from tocsin.plan.explain.operators import condition_text, role_labels
from tocsin.plan.explain.phrases import (
    can_quote,
    conditions_of_phrase,
    describe,
    is_holds,
    key_of,
    key_text,
    operands_of,
    short_text,
    title,
)
from tocsin.plan.nodes.atoms import Atom, Condition, predicates_of
from tocsin.plan.nodes.composites import (
    Absence,
    AfterWindow,
    BetweenWindow,
    Change,
    Either,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Named,
    Only,
    Part,
    Plan,
    Policy,
    Sliding,
    Triggered,
    atoms_of,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.plan.semantics.partitioning import PartitionKey, partition_key_of_plan
from tocsin.plan.xml.construction import Construct
from tocsin.values.html import preformat
from tocsin.values.time import Duration, format_duration, format_instant


def part_lines(part: Part, sources: Sources = NO_SOURCES) -> Iterator[str]:
    """Yield the plan as an indented tree, in the source texts of its parts.

    Parts of a join without source texts are numbered for its conditions.
    """
    yield from _quoted_lines(part, sources, "", ())


def _quoted_lines(
    part: Part, sources: Sources, indent: str, outer: tuple[str, ...]
) -> Iterator[str]:
    """Yield the lines of a part; a key that is that of the part around it is left out."""
    if not can_quote(part, sources):
        yield from _operator_lines(part, sources, indent)
        return
    key = key_of(part)
    yield f"{indent}{describe(part, sources)}{'' if key == outer else key_text(part)}"
    whole = part
    while isinstance(whole, Named | Only):
        whole = whole.part
    if is_holds(whole) or not isinstance(whole, Join | Either | Absence | Gathered | Triggered):
        return
    deeper = indent + "  "
    for condition in conditions_of_phrase(whole):
        yield f"{deeper}where {condition_text(condition)}"
    inner = operands_of(whole)
    is_labelled = not isinstance(whole, Join)
    labels = list(role_labels(whole)) if is_labelled else [""] * len(inner)
    for label, each in zip(labels, inner, strict=True):
        first, *rest = _quoted_lines(each, sources, deeper, key)
        yield f"{deeper}{label}{first.lstrip()}"
        yield from rest


def _operator_lines(part: Part, sources: Sources, indent: str) -> Iterator[str]:
    yield indent + title(part, sources)
    deeper = indent + "  "
    if isinstance(part, Join | Absence | Gathered):
        for condition in part.conditions:
            yield f"{deeper}where {condition_text(condition)}"
    for label, inner in zip(role_labels(part), parts_of(part), strict=True):
        first, *rest = _quoted_lines(inner, sources, deeper, ())
        yield f"{deeper}{label}{first.lstrip()}"
        yield from rest


def state_lines(part: Part, sources: Sources = NO_SOURCES) -> Iterator[str]:
    """Yield the buffers with their lifetimes, the timers, and the parts shared inside the
    subscription.
    """
    yield from dict.fromkeys(_buffer_lines(part, sources))
    yield from dict.fromkeys(_timer_lines(part, sources))
    for shared, uses in _shared(part).items():
        if not sources or can_quote(shared, sources):
            yield f"shared: evaluated once for {uses} uses: {title(shared, sources)}"


def _buffer_lines(part: Part, sources: Sources) -> Iterator[str]:
    for bound in bounds_of(part):
        lifetime = (
            "for ever"
            if bound.lifetime is None
            else f"up to {format_duration(bound.lifetime)} after its end"
        )
        inner = parts_of(bound.owner)[bound.slot]
        if can_quote(inner, sources):
            yield f"{short_text(inner, sources)} waits {lifetime}"
        elif is_holds(bound.owner) and can_quote(bound.owner, sources):
            yield f"start of {short_text(bound.owner, sources)} waits {lifetime}"
        else:
            label = list(role_labels(bound.owner))[bound.slot]
            yield f"{label}waits {lifetime}, in {title(bound.owner, sources)}"


def _timer_lines(part: Part, sources: Sources) -> Iterator[str]:
    match part:
        case Absence(_, FixedWindow(start, length)):
            yield f"timer at {format_instant(start + length)}"
        case Absence(_, AfterWindow(first, length)) if is_holds(part):
            after = short_text(part if part in sources else first, sources)
            yield f"timer {format_duration(length)} after each start of {after}"
        case Absence(_, AfterWindow(first, length)):
            yield f"timer {format_duration(length)} after each {short_text(first, sources)}"
        case Absence(_, EveryWindow(length)):
            yield f"timer every {format_duration(length)}"
        case Gathered(_, AfterWindow(first, length)) if not part.is_at_once:
            yield f"timer {format_duration(length)} after each {short_text(first, sources)}"
        case Sliding(every=None, over=over):
            yield f"timer at each instant that counts, and {format_duration(over)} after it"
        case Sliding(every=int(every)):
            yield f"timer every {format_duration(every)}"
        case _:
            pass
    for inner in parts_of(part):
        yield from _timer_lines(inner, sources)


def waiting_text(
    owner: Part, slot: int, members: str, until: int | None, sources: Sources = NO_SOURCES
) -> str:
    """Return what a buffered occurrence waits for, and until when."""
    limit = "" if until is None else f" until {format_instant(until)}"
    parts = parts_of(owner)
    match owner:
        case Absence(absent, AfterWindow()):
            unless = f"{short_text(absent, sources)} comes"
            if is_holds(owner) and owner in sources:
                unless = f"the state of {short_text(owner, sources)} ends"
            return f"{members}: rings at {format_instant(until or 0)} unless {unless} before"
        case Absence(absent, BetweenWindow(_, last)):
            between = f"no {short_text(absent, sources)}" if sources else "nothing"
            next_text = short_text(last, sources)
            return f"{members}: waits for {next_text}{limit}, with {between} in between"
        case Absence():
            return f"{members}: breaks the silence{limit} of {title(owner, sources)}"
        case Gathered() | Sliding() | Change() if slot == parts.index(owner.part):
            return f"{members}: counts{limit} for {title(owner, sources)}"
        case Gathered(_, AfterWindow()):
            return f"{members}: waits{limit} for {title(owner, sources)}"
        case _:
            others = " and ".join(
                short_text(part, sources) for number, part in enumerate(parts) if number != slot
            )
            if can_quote(parts[slot], sources):
                return f"{members}: is {short_text(parts[slot], sources)}, needs {others}{limit}"
            return f"{members}: as [{slot + 1}] of {title(owner)} waits for {others}{limit}"


def _shared(part: Part) -> Counter[Part]:
    """Return the parts that occur in several places of the plan and are evaluated once."""
    places: Counter[Part] = Counter()
    seen: set[Part] = set()

    def walk(part: Part) -> None:
        places[part] += 1
        if part not in seen:
            seen.add(part)
            for inner in _distinct_parts(part):
                walk(inner)

    walk(part)
    return Counter({each: count for each, count in places.items() if count > 1})


def _distinct_parts(part: Part) -> tuple[Part, ...]:
    """Return the parts inside a part; HOLDS was written with one state, and is lowered to two."""
    if is_holds(part):
        return parts_of(part)[1:]
    return parts_of(part)


_DEFAULT_POLICY = Policy.DEFERRED.value


def plan_lines(plan: Plan, sources: Sources = NO_SOURCES) -> Iterator[str]:
    """Yield the plan as an indented tree, in the source texts of its parts."""
    if isinstance(plan.pattern, Atom):
        yield from atom_lines(plan.pattern)
    else:
        yield from part_lines(plan.pattern, sources)


def summary_lines(plan: Plan, sources: Sources = NO_SOURCES) -> Iterator[str]:
    """Yield the cost of a plan: predicates, order of evaluation, and the bound of its state."""
    pattern = plan.pattern
    if isinstance(pattern, Condition):
        yield f"evaluated as   {selector_text(pattern.expression)} #"
    conditions = [atom for atom in atoms_of(pattern) if isinstance(atom, Condition)]
    predicates = [each for atom in conditions for each in predicates_of(atom.expression)]
    if conditions:
        yield f"predicates     {len(predicates)}, {len(set(predicates))} distinct"
    if isinstance(pattern, Atom):
        yield "state bound    none: an atomic subscription looks at one event and keeps nothing"
        return
    yield f"atoms          {len(list(atoms_of(pattern)))}, {len(set(atoms_of(pattern)))} distinct"
    if policies := _policies(pattern):
        yield f"policy         {', '.join(policies)}"
    yield f"partition key  {_partition_key_text(partition_key_of_plan(plan))}"
    title = "state bound    "
    for line in state_lines(pattern, sources):
        yield title + line
        title = " " * len(title)


def _partition_key_text(key: PartitionKey) -> str:
    """Return the attributes by which a plan can be partitioned, or the reason why it cannot."""
    if not key.by:
        return f"none: {key.why_not}"
    return f"{' and '.join(map(path_text, key.by))} (runs on all shards)"


def _policies(part: Part) -> list[str]:
    """Return the policies of operators in words; the default one is not among them."""
    own = part.policy.value if isinstance(part, Join | Absence | Gathered) else ""
    inner = (each for below in parts_of(part) for each in _policies(below))
    return [each for each in dict.fromkeys((own, *inner)) if each not in ("", _DEFAULT_POLICY)]


def html(plan: Plan) -> str:
    """Return a plan for a notebook."""
    return preformat([*plan_lines(plan), "", *summary_lines(plan)])


_MODES = {
    (False, False): ("forward", "forwarding", "the matched event itself"),
    (False, True): ("trigger", "triggering", "an event that several others bring about"),
    (True, False): ("split", "splitting", "new events out of one"),
    (True, True): ("aggregate", "aggregating", "new events out of several"),
}
"""Modes by two facts: the plan constructs documents, and the plan is about several events."""


def mode_lines(plan: Plan) -> Iterator[str]:
    """Yield the mode with its output, the states of a subscription, and its construction."""
    builds = isinstance(plan.output, Construct)
    name, state, what = _MODES[builds, not isinstance(plan.pattern, Atom)]
    yield f"mode           {name}: {what}"
    yield f"states         detecting, on a detection {state}, then detecting again"
    if isinstance(plan.output, Construct):
        yield f"builds         {construct_text(plan.output)}"


DEFAULT_HORIZON_USED = "DefaultHorizon"


def horizon_warnings(pattern: Part, horizon: Duration) -> Iterator[MeaningProblem]:
    """Yield one warning for every join or absence that only the horizon bounds."""
    for owner, slots in _endless(pattern).items():
        parts = " and ".join(dict.fromkeys(short_text(parts_of(owner)[slot]) for slot in slots))
        until = format_duration(horizon)
        message = f"only the default horizon bounds how long {parts} is waited for or kept: {until}"
        hint = (
            f'give it a window, or write "horizon": "10m" beside the expression; "{until}" says'
            " that it is meant"
        )
        yield MeaningProblem(message, code=DEFAULT_HORIZON_USED, hint=hint)


def _endless(pattern: Part) -> Mapping[Part, list[int]]:
    found: dict[Part, list[int]] = {}
    for bound in bounds_of(pattern):
        if bound.lifetime is None and not _is_about_the_same(bound.owner):
            slots = found.setdefault(bound.owner, [])
            slots += [] if bound.slot in slots else [bound.slot]
    return found


def _is_about_the_same(owner: Part) -> bool:
    """True if a join is of conditions on the same named parts: one of them bounds the wait, or all
    hold at once.
    """
    if not isinstance(owner, Join):
        return False
    names = [
        frozenset(each.name for each in parts_of(part) if isinstance(each, Named))
        for part in owner.parts
    ]
    joined = [
        isinstance(part, Join) and len(parts_of(part)) == len(named)
        for part, named in zip(owner.parts, names, strict=True)
    ]
    return all(joined) and len(set(names)) == 1
