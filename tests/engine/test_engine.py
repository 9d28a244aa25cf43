"""The engine over plans: atoms are matched by either matcher, once for all who ask."""

from __future__ import annotations

import pytest

from tests.engine.worlds import event
from tocsin.engine.batch import Batch
from tocsin.engine.engine import Engine, Matching
from tocsin.plan.atoms import Condition, Equals
from tocsin.plan.composites import Either, Plan
from tocsin.values.scalars import Constant

ATOM = Condition(Equals(("a",), Constant.of(1)))


@pytest.mark.parametrize("matching", [*Matching, "indexed", "scan"])
def test_plans_of_one_atom_ring(matching):
    engine = Engine(matching)
    engine.add("k", Plan(ATOM))
    hits = engine.match(Batch([event({"a": 0}), event({"a": 1})]))
    assert (hits.events.tolist(), engine.keys_of(hits.slots)) == ([1], ["k"])
    assert engine.key_of(int(hits.slots[0])) == "k"
    assert engine.work.hits == 1
    engine.remove("k")
    assert len(engine) == 0


def test_an_atom_that_a_subscription_and_a_composite_share_is_matched_once():
    engine = Engine()
    engine.add("single", Plan(ATOM))
    engine.add("pair", Plan(Either((ATOM, ATOM))))
    matched = engine.match_all(Batch([event({"a": 0}), event({"a": 1})]))
    assert matched.rings == [(1, "single")]
    assert [(each.index, each.atoms) for each in matched.relevant] == [(1, (ATOM,))]
    assert engine.work.predicate_evaluations <= 2
    assert len(engine) == 2
    engine.remove("pair")
    engine.remove("single")
    assert (len(engine), engine.match_all(Batch([event({"a": 1})])).relevant) == (0, [])


def test_an_unknown_way_of_matching_is_refused():
    with pytest.raises(ValueError, match="fastest"):
        Engine("fastest")
