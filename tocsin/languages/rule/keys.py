"""FOR EACH: paths that all parts have in common, one of which may be of the elements of a list."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from tocsin.events.event import Path
from tocsin.languages.base.texts import ProblemCollector
from tocsin.languages.rule.paths import ENVELOPE_NAMES, path_of
from tocsin.languages.rule.syntax import PathName
from tocsin.plan.explain.conditions import selector_text
from tocsin.plan.nodes.atoms import AllOf, Condition, IsNull, Not
from tocsin.plan.nodes.composites import Change, Key, Part, parts_of
from tocsin.plan.nodes.list_elements import Elements
from tocsin.plan.passes.contradictions import never_holds
from tocsin.plan.semantics.extent import MAX_STEPS

CODE = "ForEachError"


def keys_of(keys: tuple[PathName, ...], problems: ProblemCollector) -> tuple[Key, Elements | None]:
    """Return the paths of the keys, and variable and path of the key of list elements, if any."""
    by = tuple(path_of(key.text) for key in keys if not key.each)
    lists = [key for key in keys if key.each]
    for key in lists[1:]:
        message = f"{key.text}[] is a second list whose elements are keys"
        problems.add(CODE, key.spot, message, "take the elements of one list")
    for key in keys:
        _refuse_unknown_envelope(key, problems)
    for number, path in enumerate(by):
        if path in by[:number]:
            spot = [key for key in keys if not key.each][number].spot
            problems.add(CODE, spot, f"{spot.text} is a key already", "leave it out")
    each = (lists[0].text.replace("`", ""), path_of(lists[0].text)) if lists else None
    return by, each


def _refuse_unknown_envelope(key: PathName, problems: ProblemCollector) -> None:
    prefix, _, rest = key.text.partition("_")
    if prefix != "ce" or rest in ENVELOPE_NAMES or not rest:
        return
    near = get_close_matches(rest, sorted(ENVELOPE_NAMES), n=1)
    known = ", ".join(f"ce_{name}" for name in sorted(ENVELOPE_NAMES))
    hint = f"did you mean ce_{near[0]}? " if near else ""
    message = f"no part can have {key.text}: the envelope has no such field"
    problems.add(CODE, key.spot, message, f"{hint}known are {known}; in data write `{key.text}`")


def refuse_impossible_keys(
    part: Part, keys: tuple[PathName, ...], problems: ProblemCollector
) -> None:
    """Add a problem for a key that a part can never have, because its own condition excludes it."""
    for key in keys:
        path = path_of(key.text)
        if len(path) > MAX_STEPS:
            continue  # refused by the extent of the plan
        for atom in _conditions(part):
            if _excludes(atom, path):
                message = f"no event has {key.text} of which {_shown(atom)} is true"
                hint = "every part needs a value there; choose another key, or mend the condition"
                problems.add(CODE, key.spot, message, hint)
                break


def _conditions(part: Part) -> Iterator[Condition]:
    """Yield the conditions on events, without the states of changes."""
    if isinstance(part, Condition):
        yield part
    inner = parts_of(part)
    for each in inner[1:] if isinstance(part, Change) else inner:
        yield from _conditions(each)


def _excludes(atom: Condition, path: Path) -> bool:
    if never_holds(atom.expression):
        return False  # has a warning of its own
    return never_holds(AllOf((atom.expression, Not(IsNull(path)))))


def _shown(atom: Condition) -> str:
    text = selector_text(atom.expression)
    return text if len(text) <= 60 else text[:57] + "..."
