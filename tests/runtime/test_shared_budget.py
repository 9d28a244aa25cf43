"""All parts of one subscription share what one event may cost, however they are put together; a
canary beside it rings for every event.
"""

from __future__ import annotations

from typing import Any

import pytest

import tocsin
from tests.builders import event_json
from tocsin.engine.detection import base as node
from tocsin.engine.detection import join
from tocsin.plan.xml.row_evaluation import WorkLimitExceeded

LIMIT = 4_000
EVENTS = 40


def event(number: int, kinds: str) -> dict[str, Any]:
    return event_json(f"e{number}", second=number, data={"kind": kinds[number % len(kinds)]})


def all_of(*kinds: str) -> str:
    return " && ".join(f"selector{{ kind = '{kind}' }}" for kind in kinds)


SHAPES = {
    "equal parts": all_of(*"aaaaaaaaaaaa"),
    "product": all_of(*"abcd"),
    "alternatives": " || ".join(f"({all_of(*kinds)})" for kinds in ("abc", "abd", "acd", "bcd")),
    "both sides": f"({all_of(*'abc')}) && ({all_of(*'bcd')})",
    "nested": f"(({all_of(*'ab')}) && ({all_of(*'cd')})) && (({all_of(*'ac')}) && ({all_of(*'bd')}))",
}


@pytest.mark.parametrize("policy", ["globe", "recent", "deferred", "exclusive", "chronicle"])
@pytest.mark.parametrize("shape", SHAPES)
def test_parts_share_what_one_event_may_cost(
    monkeypatch: pytest.MonkeyPatch, shape: str, policy: str
) -> None:
    monkeypatch.setattr(node, "STEP_WORK_LIMIT", LIMIT)
    tried = 0
    original = join.combine  # type: ignore[attr-defined]

    def counting(*given: Any) -> Any:
        nonlocal tried
        tried += 1
        return original(*given)

    monkeypatch.setattr(join, "combine", counting)
    with tocsin.Hub(lateness="0s") as hub:
        hub.subscribe("ce_id <> ''", id="canary")
        hub.subscribe(SHAPES[shape], language="opsl", policy=policy, horizon="1h", id="bomb")
        for number in range(EVENTS):
            tried = 0
            found = hub.publish(event(number, "a" if shape == "equal parts" else "abcd"))
            assert tried <= LIMIT // node.COMBINE_COST
            assert sum(match.subscription == "canary" for match in found) == 1
        undecided = [letter for letter in hub.dead_letters if letter.code == "LIMIT"]
    assert all("undecided: subscription 'bomb'" in letter.reason for letter in undecided)
    if policy == "globe":
        assert undecided


def test_who_shares_a_part_changes_nothing_for_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that a dear subscription has too rings as if it were alone."""
    monkeypatch.setattr(node, "STEP_WORK_LIMIT", LIMIT)
    pair, dear = all_of(*"ab"), SHAPES["both sides"]

    def rung(*others: str) -> tuple[list[tuple[str, ...]], set[str | None]]:
        with tocsin.Hub(lateness="0s") as hub:
            hub.subscribe(f"({pair})", language="opsl", policy="globe", horizon="1h", id="pair")
            for number, other in enumerate(others):
                hub.subscribe(
                    other, language="opsl", policy="globe", horizon="1h", id=f"dear{number}"
                )
            found = [match for n in range(EVENTS) for match in hub.publish(event(n, "abcd"))]
            told = {letter.reason.split("'")[1] for letter in hub.dead_letters}
        return [match.events for match in found if match.subscription == "pair"], told

    alone, beside = rung(), rung(f"({pair}) && ({all_of(*'cd')})", dear)
    assert alone[0] == beside[0]
    assert "pair" not in beside[1]
    assert beside[1] == {"dear0", "dear1"}


def test_a_step_is_paid_by_every_whole_pattern() -> None:
    """Work goes on as long as one can pay."""

    class Step:
        number = 1

    rich, poor, shared = (node.Operator(None, []) for _ in range(3))  # type: ignore[arg-type]
    shared.payers = (rich, poor)
    shared.renew(Step())  # type: ignore[arg-type]
    poor.spend(node.STEP_WORK_LIMIT)
    shared.spend(1)
    assert poor.is_overdrawn_in(Step())  # type: ignore[arg-type]
    assert not rich.is_overdrawn_in(Step())  # type: ignore[arg-type]
    with pytest.raises(WorkLimitExceeded):
        shared.spend(node.STEP_WORK_LIMIT)
