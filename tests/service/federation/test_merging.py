"""Merging: fewer wishes that mean the same, and none that is lost on its way."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import boolean_nodes, events
from tocsin.catalog import Subscription, compile_subscription
from tocsin.plan.nodes.atoms import Condition
from tocsin.reference.atoms import holds
from tocsin.service.federation.covering import EVERYTHING
from tocsin.service.federation.interests import (
    Interest,
    alternatives,
    find_atoms,
    interests_for_upstream,
)
from tocsin.service.federation.merging import merge_interests


def plan(text, language="selector"):
    return compile_subscription(Subscription("s", language, text))


def wants(*texts, path=("me",)):
    return [Interest(atom, path) for text in texts for atom in find_atoms(plan(text))]


def test_equal_ones_are_sent_once():
    assert len(merge_interests(wants("a = 1 AND b > 2", "b > 2 AND a = 1"))) == 1


def test_covered_ones_are_not_sent():
    found = merge_interests(
        wants("price < 400", "price < 300", "price < 100 AND kind = 'x'", "size > 1")
    )
    assert found == wants("price < 400", "size > 1") or found == wants("size > 1", "price < 400")


def test_later_ones_that_are_wider_are_seen():
    assert merge_interests(wants("a = 5", "a > 0 AND a < 10")) == wants("a > 0 AND a < 10")


def test_values_of_one_attribute_are_united():
    (found,) = merge_interests(
        wants("kind = 'a' AND n > 1", "kind = 'b' AND n > 1", "kind = 'c' AND n > 1")
    )
    (wide,) = wants("kind IN ('a', 'b', 'c') AND n > 1")
    assert set(found.atom.expression.operands) == set(wide.atom.expression.operands)


def test_alternatives_stand_alone():
    assert len(wants("a = 1 OR b = 2 AND c = 3")) == 2
    assert len(merge_interests(wants("a = 1 OR b = 2", "a = 1", "b = 2"))) == 2


def test_what_no_event_meets_is_not_sent():
    assert wants("a < 1 AND a > 2") == []


def test_atoms_of_composites_and_absences():
    text = "!($a;;2h)$b; WHERE $a;.id = $b;.id, $a; = selector{x = 1}, $b; = selector{y = 2}"
    atoms = list(find_atoms(plan(text, "opsl")))
    assert sorted(map(repr, atoms)) == sorted(repr(each.atom) for each in wants("x = 1", "y = 2"))


def test_everything_covers_all():
    other = next(find_atoms(plan("WHERE <a>$x</>", "exmlql")))
    found = merge_interests(
        [Interest(other, ("me",)), Interest(EVERYTHING, ("me",)), *wants("a = 1")]
    )
    assert found == [Interest(EVERYTHING, ("me",))]


def test_longer_way_covers_no_shorter_one():
    near, far = wants("a = 1", path=("me",)), wants("a > 0", path=("other", "me"))
    assert set(merge_interests([*near, *far])) == {*near, *far}
    assert merge_interests([*wants("a > 0"), *wants("a = 1", path=("other", "me"))]) == wants(
        "a > 0"
    )


def test_wish_is_not_sent_in_a_circle():
    own = [each.atom for each in wants("a = 1")]
    heard = [
        *wants("b = 1", path=("x",)),
        *wants("c = 1", path=("up",)),
        *wants("d = 1", path=("me", "x")),
        *wants("e = 1", path=("x", "y", "z")),
    ]
    found = interests_for_upstream(own, heard, "me", "up", hops=3)
    assert found == [*wants("a = 1"), *wants("b = 1", path=("x", "me"))]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(boolean_nodes(5), st.sampled_from([("a",), ("b", "a")])), max_size=6),
    st.lists(events(), min_size=2, max_size=6),
)
def test_merged_means_the_same(given_nodes, found):
    before = [
        Interest(atom, path) for node, path in given_nodes for atom in alternatives(Condition(node))
    ]
    after = merge_interests(before)
    for event in found:
        for path in (("a",), ("b", "a")):
            wanted = any(
                holds(Condition(node), event) for node, given in given_nodes if given == path
            )
            got = any(holds(want.atom, event) for want in after if set(want.path) <= set(path))
            assert got or not wanted
        anyone = any(holds(Condition(node), event) for node, _ in given_nodes)
        assert any(holds(want.atom, event) for want in after) == anyone
