"""A composite plan in words: its tree with every condition, buffered occurrences with their
lifetimes, and shared parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

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
    Sliding,
    Triggered,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.plan.semantics.bounds import bounds_of
from tocsin.values.time import format_duration, format_instant


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
