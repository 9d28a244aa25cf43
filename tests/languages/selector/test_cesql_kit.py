"""Every case of the CloudEvents SQL conformance kit holds: value, kind of error, and whether the
event passes.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import SHARED_DATA, shared_data
from tests.languages.asked import SELECTOR
from tests.languages.selector.evaluators import EVALUATORS, Evaluator, condition_of
from tocsin.errors import Problem
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.events.event import Event
from tocsin.plan.nodes.atoms import Computed
from tocsin.plan.semantics.cesql import evaluate

parse, problems = SELECTOR.parse, SELECTOR.problems

KIT = "cesql-tck/cesql_tck"
CESQL = {"dialect": "cesql"}
NUMBER_OF_FILES = 18

EXCEPTIONS: dict[str, str] = {}
"""Cases that do not hold here, as file and name, each with its reason. A listed case that holds
fails.
"""

Case = dict[str, Any]


class _Loader(yaml.SafeLoader):
    """YAML whose times stay text, as CloudEvents has them."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _cases() -> list[Case]:
    return [case for path in sorted((SHARED_DATA / KIT).glob("*.yaml")) for case in _cases_of(path)]


def _cases_of(path: Path) -> list[Case]:
    suite = yaml.load(path.read_text(encoding="utf-8"), Loader=_Loader)
    return [case | {"title": f"{path.stem}: {case['name']}"} for case in suite["tests"]]


ALL_CASES = _cases()
EVALUATED = [case for case in ALL_CASES if case.get("error") != "parse"]
REFUSED = [case for case in ALL_CASES if case.get("error") == "parse"]


def test_the_whole_kit_is_there():
    kit = shared_data(KIT)
    assert len(list(kit.glob("*.yaml"))) == NUMBER_OF_FILES
    titles = {case["title"] for case in ALL_CASES}
    assert EXCEPTIONS.keys() <= titles


@pytest.mark.parametrize("case", EVALUATED, ids=lambda case: case["title"])
def test_case_gives_its_value_and_error(case: Case):
    predicate = condition_of(parse(str(case["expression"]), CESQL)).expression
    assert isinstance(predicate, Computed)
    value, errors = evaluate(predicate.expression, _event(case))
    expected = [case["error"]] if "error" in case else []
    same = [error.value for error in errors] == expected and _same_value(value, case)
    assert same == (case["title"] not in EXCEPTIONS), (value, errors)


@pytest.mark.parametrize("rings", EVALUATORS)
@pytest.mark.parametrize("case", EVALUATED, ids=lambda case: case["title"])
def test_only_true_without_error_passes(case: Case, rings: Evaluator):
    passes = case.get("result") is True and "error" not in case
    assert rings(parse(str(case["expression"]), CESQL), _event(case)) == passes


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["title"])
def test_parse_error_is_refused_with_its_place(case: Case):
    found = problems(str(case["expression"]), CESQL)
    assert [problem.code for problem in found] == ["SelectorSyntaxError"]
    assert found[0].place is not None
    with pytest.raises(Problem):
        parse(str(case["expression"]), CESQL)


def _event(case: Case) -> Event:
    """The event of the case: its own, or any valid one with overrides; an override of null removes
    the attribute.
    """
    body: dict[str, Any] = {
        "specversion": "1.0",
        "id": "1",
        "source": "localhost.localdomain",
        "type": "my.type",
    }
    body = dict(case.get("event") or body) | (case.get("eventOverrides") or {})
    return from_mapping({name: value for name, value in body.items() if value is not None})


def _same_value(value: object, case: Case) -> bool:
    """Equal in type too: true is not 1. A case without a result leaves the value open."""
    return "result" not in case or (type(value) is type(case["result"]) and value == case["result"])
