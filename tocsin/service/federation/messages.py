"""Messages between servers: interests as subscriptions, and events with the path they have taken.

All conditions are alternatives of few subscriptions, so that an event crosses the wire once however
many it meets. Atoms of other kinds have a subscription each.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.languages.plan import PATHS
from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_to_json
from tocsin.service.federation.covering import EVERYTHING
from tocsin.service.federation.interests import Interest
from tocsin.service.federation.merging import merge_interests

ORIGIN, HOPS = "tocsinorigin", "tocsinhops"
"""Extension attributes of an event from another server: where it was published, and how many
servers it has passed.
"""

PREFIX = "federation."
_WANTS_AT_ONCE = 2_000
"""Conditions that are alternatives of one subscription, at most."""

_MAX_OTHER_ATOMS = 200
"""Atoms of other kinds that are sent one by one, at most; beyond it all events are requested."""

Body = dict[str, Any]


def subscriptions_of(wants: Sequence[Interest], server: str) -> dict[str, Body]:
    """Return the subscriptions that express interests, by id."""
    conditions = [want for want in wants if isinstance(want.atom, Condition)]
    others = [want for want in wants if not isinstance(want.atom, Condition)]
    if len(others) > _MAX_OTHER_ATOMS:
        conditions = merge_interests(
            [*conditions, *(Interest(EVERYTHING, want.path) for want in others)]
        )
        others = []
    found = {
        f"{PREFIX}{server}.{number}": _body(_any_of(chunk), [want.path for want in chunk])
        for number, chunk in enumerate(_chunks(conditions))
    }
    for want in others:
        body = _body(want.atom, [want.path])
        mark = blake2b(json.dumps(body).encode(), digest_size=8).hexdigest()
        found[f"{PREFIX}{server}.{mark}"] = body
    return found


def _chunks(wants: Sequence[Interest]) -> Iterable[Sequence[Interest]]:
    return (wants[start : start + _WANTS_AT_ONCE] for start in range(0, len(wants), _WANTS_AT_ONCE))


def _any_of(wants: Sequence[Interest]) -> Condition:
    operands = tuple(want.atom.expression for want in wants if isinstance(want.atom, Condition))
    return Condition(operands[0] if len(operands) == 1 else AnyOf(operands))


def _body(atom: Atom, paths: Sequence[Sequence[str]]) -> Body:
    return {
        "language": "plan",
        "expression": plan_to_json(Plan(atom)),
        "options": {PATHS: [list(path) for path in paths]},
        "deliver": {"content": "events"},
    }


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event from another server: its identity, where it was published, how many servers it has
    passed, and its text.
    """

    identity: tuple[str, str]
    origin: str
    hops: int
    body: bytes


def read_events(match: Mapping[str, Any], upstream: str) -> list[Arrived]:
    """Return the events of a match from an upstream, with one hop added."""
    members = match.get("members")
    return [_arrived(each, upstream) for each in members or () if isinstance(each, dict)]


def _arrived(event: Mapping[str, Any], upstream: str) -> Arrived:
    hops, origin = event.get(HOPS), event.get(ORIGIN)
    passed = (hops if isinstance(hops, int) and hops > 0 else 0) + 1
    first = origin if isinstance(origin, str) and origin else upstream
    told = {**event, ORIGIN: first, HOPS: passed}
    identity = (str(event.get("source")), str(event.get("id")))
    return Arrived(identity, first, passed, json_text(told).encode())
