"""Every recorded fact about JMS selectors holds: selector text, message properties, outcome in the
brokers' own tests.

A broker answers only whether a message is selected, so five facts say `false` where the value is
UNKNOWN. They are listed; every other fact is taken at its word, FALSE and UNKNOWN apart.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.conftest import SHARED_DATA, shared_data
from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, condition_of, event_with
from tocsin.errors import Problem
from tocsin.reference import truth_of
from tocsin.values.truth import Truth

parse, problems = SELECTOR.parse, SELECTOR.problems

FACTS = "jms-selectors/facts.jsonl"
JMS = {"dialect": "jms"}
NUMBER_OF_FACTS = 381

UNKNOWN_TOLD_AS_FALSE = {
    "activemq-0061",
    "activemq-0066",
    "activemq-0097",
    "activemq-0100",
    "activemq-unknown-0160",
}

EXCEPTIONS: dict[str, str] = {}
"""Facts that do not hold here, each with its reason. A listed fact that holds fails."""

Fact = dict[str, Any]


def _facts() -> list[Fact]:
    path = SHARED_DATA / FACTS
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        if path.exists()
        else []
    )


ALL_FACTS = _facts()
MEANINGFUL = [fact for fact in ALL_FACTS if fact["expect"] != "invalid"]
INVALID = [fact for fact in ALL_FACTS if fact["expect"] == "invalid"]


def test_all_facts_are_there():
    shared_data(FACTS)
    assert len(ALL_FACTS) == NUMBER_OF_FACTS
    listed = UNKNOWN_TOLD_AS_FALSE | EXCEPTIONS.keys()
    assert listed <= {fact["id"] for fact in ALL_FACTS}


@pytest.mark.parametrize("fact", MEANINGFUL, ids=lambda fact: fact["id"])
def test_fact_gives_the_recorded_truth(fact: Fact):
    condition = condition_of(parse(fact["selector"], JMS))
    truth = truth_of(condition.expression, event_with(fact["props"]))
    assert (truth is _expected_truth(fact)) == (fact["id"] not in EXCEPTIONS)


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize("fact", MEANINGFUL, ids=lambda fact: fact["id"])
def test_message_is_selected_as_recorded(fact: Fact, rings: Evaluator):
    selected = rings(parse(fact["selector"], JMS), event_with(fact["props"]))
    assert (selected == (fact["expect"] is True)) == (fact["id"] not in EXCEPTIONS)


@pytest.mark.parametrize("fact", INVALID, ids=lambda fact: fact["id"])
def test_invalid_selector_is_refused_with_its_place(fact: Fact):
    found = problems(fact["selector"], JMS)
    assert [problem.code for problem in found] == ["SelectorSyntaxError"]
    assert found[0].place is not None
    assert found[0].hint
    with pytest.raises(Problem):
        parse(fact["selector"], JMS)


def _expected_truth(fact: Fact) -> Truth:
    if fact["id"] in UNKNOWN_TOLD_AS_FALSE:
        return Truth.UNKNOWN
    return {True: Truth.TRUE, False: Truth.FALSE, "unknown": Truth.UNKNOWN}[fact["expect"]]
