"""Parts of a plan in the subscriber's own words: quoted source texts with words of structure around
them.

A part whose source text is not known, and which has no phrase of parts with one, is described by
its operator. Names that a subscriber did not write, slots and policies are not shown.
"""

from __future__ import annotations

from itertools import chain

from tocsin.plan.explain.atoms import path_text
from tocsin.plan.explain.operators import operator_text, restriction_text
from tocsin.plan.nodes.composites import (
    HIDDEN,
    Absence,
    AfterWindow,
    BeforeWindow,
    BetweenWindow,
    Change,
    Either,
    End,
    EveryWindow,
    FixedWindow,
    Gathered,
    Join,
    Keyed,
    Moment,
    Named,
    NamedCondition,
    Only,
    Part,
    Precedes,
    Sliding,
    Triggered,
    parts_of,
)
from tocsin.plan.nodes.sources import NO_SOURCES, Sources
from tocsin.values.time import format_duration, format_instant

LONGEST_QUOTE = 120
LONGEST_TITLE = 400
"""Characters of a line; a polygon alone may have thousands."""

_ENDS, _STARTS = Moment(0, End.FINISH), Moment(1, End.START)


def title(part: Part, sources: Sources = NO_SOURCES) -> str:
    """Return a part in its source texts, with its key: "`a` then `b` within 8h, per customer".

    Without source texts it is the operator of the part, without the parts inside it.
    """
    if not can_quote(part, sources):
        return operator_text(part)
    return f"{describe(part, sources)}{key_text(part)}"


def describe(part: Part, sources: Sources = NO_SOURCES) -> str:
    """Return a part in its source texts without its key, which a match has values for."""
    if not can_quote(part, sources):
        return operator_text(part)
    text = phrase(part, sources) or quote(part, sources) or operator_text(part)
    return _cut(text, LONGEST_TITLE)


def short_text(part: Part, sources: Sources = NO_SOURCES) -> str:
    """Return a part as an operand of a phrase: its name, its source text, or its own phrase in
    parentheses.
    """
    if isinstance(part, Named) and is_visible(part.name):
        return part.name if not sources else _name_text(part, sources)
    if not can_quote(part, sources):
        return operator_text(part)
    if isinstance(part, Named) and part not in sources:
        return short_text(part.part, sources)
    composed = phrase(part, sources)
    return quote(part, sources) or operator_text(part) if composed is None else f"({composed})"


def quote(part: Part, sources: Sources) -> str | None:
    """Return the source text of a part in backticks, on one line; None if it is not known."""
    text = sources.get(part)
    return None if text is None else f"`{_cut(' '.join(text.split()), LONGEST_QUOTE)}`"


def can_quote(part: Part, sources: Sources) -> bool:
    """True if a part, or every part that it is made of, has a source text."""
    if part in sources:
        return True
    match part:
        case Named(_, inner) | Only(inner):
            return can_quote(inner, sources)
        case Join():
            return is_plain_join(part) and _can_quote_parts(part, sources)
        case Either() | Absence() | Gathered() | Triggered():
            return not is_holds(part) and _can_quote_parts(part, sources)
        case _:
            return False


def phrase(part: Part, sources: Sources) -> str | None:
    """Return the source texts inside a part with words of structure around them.

    None if the source text of the part itself says more: an atom, a change, HOLDS, an aggregate.
    """
    if is_holds(part) or not _can_quote_parts(part, sources):
        return None
    match part:
        case Named():
            return _named_phrase(part, sources)
        case Only(inner, restriction) if part not in sources:
            after = "" if isinstance(restriction, Keyed) else f", {restriction_text(restriction)}"
            return f"{describe(inner, sources)}{after}"
        case Join() if is_sequence(part):
            return _sequence_phrase(part, sources)
        case Join() if _is_in_any_order(part):
            texts = [short_text(each, sources) for each in operands_of(part)]
            return f"{' and '.join(texts)} in any order"
        case Either(parts):
            return " or ".join(short_text(each, sources) for each in parts)
        case Absence(absent):
            return f"no {short_text(absent, sources)} {_window_phrase(part, sources)}"
        case Gathered(counted):
            window = _window_phrase(part, sources)
            return f"{_times(part)} x {short_text(counted, sources)} {window}"
        case Triggered(inner, target, waiting):
            sent = short_text(target, sources)
            return f"{short_text(inner, sources)} sends {sent}, {waiting.value}"
        case _:
            return None


def operands_of(part: Part) -> tuple[Part, ...]:
    """Return the parts of a phrase, those of joins of the same kind in a row as one list."""
    if not isinstance(part, Join):
        return parts_of(part)
    first, *others = part.parts
    is_same = isinstance(first, Join) and (
        (is_sequence(part) and is_sequence(first))
        or (_is_in_any_order(part) and _is_in_any_order(first))
    )
    return (*(operands_of(first) if is_same else (first,)), *others)


def conditions_of_phrase(part: Part) -> tuple[NamedCondition, ...]:
    """Return the conditions on named parts that the phrase of a part leaves out."""
    if not isinstance(part, Join | Absence | Gathered):
        return ()
    own = tuple(each for each in part.conditions if isinstance(each, NamedCondition))
    if not isinstance(part, Join) or part.parts[0] in operands_of(part):
        return own
    return tuple(dict.fromkeys(chain(conditions_of_phrase(part.parts[0]), own)))


def is_holds(part: Part) -> bool:
    """True if a part is the absence that HOLDS is lowered to: no end of a state for a time after
    its start.
    """
    if not isinstance(part, Absence) or not isinstance(part.window, AfterWindow):
        return False
    ends, begins = part.part, part.window.part
    return (
        isinstance(begins, Named)
        and isinstance(begins.part, Change)
        and isinstance(ends, Change)
        and begins.part.becomes
        and not ends.becomes
        and (begins.part.part, begins.part.state) == (ends.part, ends.state)
    )


def is_visible(name: str) -> bool:
    """True if a subscriber wrote the name of a part."""
    return not name.startswith(HIDDEN)


def key_text(part: Part) -> str:
    """Return the key of a part: ", per truck"; "" without one."""
    keys = key_of(part)
    return f", per {' and '.join(keys)}" if keys else ""


def key_of(part: Part) -> tuple[str, ...]:
    """Return the key of a part as names: of its outermost operator that has one."""
    match part:
        case Only(_, Keyed(by)):
            return tuple(map(path_text, by))
        case Named(_, inner) | Only(inner):
            return key_of(inner)
        case Sliding() | Change():
            each = (f"{part.each}[]",) if part.each else ()
            return (*map(path_text, part.by), *each)
        case Join() | Absence() | Gathered():
            return tuple(map(path_text, part.by))
        case _:
            return ()


def _can_quote_parts(part: Part, sources: Sources) -> bool:
    return all(can_quote(each, sources) for each in parts_of(part))


def _named_phrase(part: Named, sources: Sources) -> str | None:
    """Return a name with what it stands for; None if the source text has both."""
    if not is_visible(part.name):
        return None if part in sources else describe(part.part, sources)
    if _has_label(part, sources):
        return None
    return f"{_name_text(part, sources)}: {describe(part.part, sources)}"


def _name_text(part: Named, sources: Sources) -> str:
    written = None if _has_label(part, sources) else quote(part, sources)
    return written or f"`{part.name}`"


def _has_label(part: Named, sources: Sources) -> bool:
    """True if the source text is the name with what it stands for: `a: order`."""
    return sources.get(part, "").startswith(f"{part.name}:")


def _sequence_phrase(part: Join, sources: Sources) -> str:
    first, last = part.parts
    if isinstance(first, Join) and is_sequence(first):
        before = _sequence_phrase(first, sources)
    else:
        before = short_text(first, sources)
    limits = [
        -each.gap for each in part.conditions if isinstance(each, Precedes) and _is_limit(each)
    ]
    within = f" within {format_duration(min(limits))}" if limits else ""
    return f"{before} then {short_text(last, sources)}{within}"


def _window_phrase(part: Absence | Gathered, sources: Sources) -> str:
    window = part.window
    match window:
        case FixedWindow(start, length):
            return f"from {format_instant(start)} to {format_instant(start + length)}"
        case EveryWindow(length):
            return f"in each {format_duration(length)} window"
        case AfterWindow(around, length):
            return f"within {format_duration(length)} after {short_text(around, sources)}"
        case BeforeWindow(around, length):
            return f"in the {format_duration(length)} before {short_text(around, sources)}"
        case BetweenWindow(first, last):
            return f"between {short_text(first, sources)} and {short_text(last, sources)}"


def _times(part: Gathered) -> str:
    if part.most is None:
        return f"{part.least} or more"
    return f"{part.least}" if part.least == part.most else f"{part.least} to {part.most}"


def is_plain_join(part: Join) -> bool:
    """True if a phrase says all that a join requires: a sequence, or parts in any order."""
    return is_sequence(part) or _is_in_any_order(part)


def _is_in_any_order(part: Join) -> bool:
    return all(isinstance(each, NamedCondition) for each in part.conditions)


def is_sequence(part: Join) -> bool:
    """True if the second of two parts starts after the first ends, perhaps within a time."""
    order = [each for each in part.conditions if not isinstance(each, NamedCondition)]
    follows = Precedes(_ENDS, _STARTS)
    return (
        len(part.parts) == 2
        and follows in order
        and all(each == follows or _is_limit(each) for each in order)
    )


def _is_limit(condition: object) -> bool:
    return (
        isinstance(condition, Precedes)
        and condition.earlier == Moment(1, End.FINISH)
        and condition.later == _ENDS
        and condition.or_equal
        and condition.gap <= 0
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
