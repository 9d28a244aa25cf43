"""What a case must do: nothing but problems and dead letters, and a canary that rings beside it, on
hub and files.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import tocsin
from tests.fuzz.case import Case
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.errors import Problem
from tocsin.events.dead_letter import DeadLetter
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import match_events, read_events

CANARY = Subscription("canary", "selector", "song = 'tocsin'")
SONG = json.dumps({"id": "song", "source": "/canary", "type": "song", "data": {"song": "tocsin"}})
FAULT = "InternalError"
"""The code of a dead letter for what was raised where nothing may be: contained, and a finding all
the same.
"""


@dataclass(slots=True)
class Verdict:
    """What went wrong, one line each, and how many matches all hosts gave."""

    findings: list[str] = field(default_factory=list)
    matches: int = 0


def findings_of(case: Case) -> list[str]:
    """What went wrong, one line each; empty for a case that is as it should be."""
    return judge(case).findings


def judge(case: Case) -> Verdict:
    """Try the case on the hub and in files."""
    verdict = Verdict()
    for host in (_in_hub, _in_files):
        verdict.findings += _findings(host, case, verdict)
    return verdict


def _findings(
    host: Callable[[Case, Verdict], Iterator[str]], case: Case, verdict: Verdict
) -> Iterator[str]:
    try:
        yield from host(case, verdict)
    except Exception as error:  # whatever it is, it is what was looked for
        place = traceback.extract_tb(error.__traceback__)[-1]
        yield f"{host.__name__}: {type(error).__name__}: {str(error)[:200]} at {place.filename}:{place.lineno}"


def _in_hub(case: Case, verdict: Verdict) -> Iterator[str]:
    with tocsin.Hub(lateness="0s") as hub:
        hub.subscribe(CANARY.expression, id=CANARY.id)
        hub.define(*_definitions(case))
        try:
            body = dict(case.subscription)
            hub.subscribe(body.pop("expression"), **body)
        except Problem:
            pass
        for line in case.input():
            verdict.matches += len(hub.publish(line))
        verdict.matches += len(hub.advance_to("2026-01-02T00:00:00Z"))
        heard = [match.events for match in hub.publish(SONG) if match.subscription == CANARY.id]
        if heard != [("song",)]:
            yield "hub: the canary does not ring"
        yield from _faults("hub", hub.dead_letters)


def _in_files(case: Case, verdict: Verdict) -> Iterator[str]:
    plans: dict[str, Plan] = {CANARY.id: compile_subscription(CANARY)}
    try:
        subscription = Subscription.from_json(case.subscription)
        plans[subscription.id] = compile_subscription(subscription, _definitions(case))
    except Problem:
        pass
    given = read_events([*case.input(), SONG.encode()])
    found = match_events(plans, given)
    verdict.matches += len(found)
    rung = [match for match in found if match.subscription == CANARY.id]
    if [match.events for match in rung] != [("song",)]:
        yield "files: the canary does not ring"
    yield from _faults("files", given.dead_letters)


def _definitions(case: Case) -> list[Definition]:
    return [Definition.from_json(each) for each in case.definitions]


def _faults(where: str, letters: Any) -> Iterator[str]:
    each: DeadLetter
    for each in letters:
        if each.code == FAULT:
            yield f"{where}: {each.reason}"
