"""The worked cases of the rule language on the reference and on the network."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from tests.engine.detection.rule_cases import CASES, SECOND, Case, events_of
from tocsin.engine.detection.scheduling.network import Network
from tocsin.plan.semantics.occurrence import OccurrenceView
from tocsin.reference.atoms import holds
from tocsin.reference.declarative_semantics import occurrences
from tocsin.reference.detection import PatternDetection


def told(found: Iterable[OccurrenceView]) -> tuple[str, ...]:
    rung = sorted(found, key=lambda each: (each.end, [int(member.id) for member in each.members]))
    return tuple(
        f"{each.end // SECOND}: {' '.join(member.id for member in each.members)}".rstrip(" ")
        for each in rung
    )


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_by_the_steps_of_the_reference(case: Case) -> None:
    detection = PatternDetection(case.part)
    for event in events_of(case.events):
        detection.event(event)
    detection.advance_to(None)
    assert told(detection.found) == case.rings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_by_the_definitions(case: Case) -> None:
    """In none of them anything is used up twice: trying everything gives the same."""
    assert told(occurrences(case.part, events_of(case.events))) == case.rings


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_on_the_network(case: Case) -> None:
    network = Network()
    network.add("s", case.part)
    found = []
    for event in events_of(case.events):
        found += network.event(event, [atom for atom in network.atoms if holds(atom, event)])
    found += network.advance_to(None)
    assert told(each for _, each in found) == case.rings
