"""The engine over plans: atoms are matched by either matcher, once for all who ask."""

from __future__ import annotations

import pytest

from tests.builders import build_unread_event
from tocsin.engine.atoms import AtomMatchers
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.matcher import Matcher
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.engine.engine import Engine
from tocsin.plan.nodes.atoms import Condition, Equals
from tocsin.plan.nodes.composites import Either, Plan
from tocsin.values.scalars import Constant

ATOM = Condition(Equals(("a",), Constant.of(1)))


@pytest.mark.parametrize("matcher", [Matcher, ScanMatcher])
def test_plans_of_one_atom_ring(matcher):
    matchers = AtomMatchers(matcher)
    engine = Engine(matchers)
    engine.add("k", Plan(ATOM))
    matched = engine.match(Batch([build_unread_event({"a": 0}), build_unread_event({"a": 1})]))
    assert (matched.atomic_matches.events.tolist(), list(matched.atomic_matches.keys)) == (
        [1],
        ["k"],
    )
    assert matchers.work.hits == 1
    engine.remove("k")
    assert len(engine) == 0


def test_an_atom_that_a_subscription_and_a_composite_share_is_matched_once():
    matchers = AtomMatchers()
    engine = Engine(matchers)
    engine.add("single", Plan(ATOM))
    engine.add("pair", Plan(Either((ATOM, ATOM))))
    matched = engine.match(Batch([build_unread_event({"a": 0}), build_unread_event({"a": 1})]))
    assert list(matched.atomic_matches) == [(1, "single")]
    assert [(each.index, each.atoms) for each in matched.composite_inputs] == [(1, (ATOM,))]
    assert matchers.work.predicate_evaluations <= 2
    assert len(engine) == 2
    engine.remove("pair")
    engine.remove("single")
    assert (len(engine), engine.match(Batch([build_unread_event({"a": 1})])).composite_inputs) == (
        0,
        [],
    )
