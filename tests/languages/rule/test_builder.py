"""Rules in Python: two spellings of one tree, and what cannot be written cannot be built."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given

import tocsin
from tests.builders import event_json
from tests.languages.rule.trees import RULES
from tocsin import rule
from tocsin.errors import Problem
from tocsin.languages.rule import syntax
from tocsin.languages.rule.building import Rule

left, arrived = rule.event("move", "kind = 'left'"), rule.event("move", "kind = 'arrived'")
a, b, c = rule.event("a"), rule.event("b"), rule.event("c")
na, nb = a.named("a"), b.named("b")


@pytest.mark.parametrize(
    ("built", "text"),
    [
        (
            left.then_no(arrived, within="2h").for_each("parcel").named("missing"),
            "WHEN move(kind = 'left') THEN NO move(kind = 'arrived') WITHIN 2h  FOR EACH parcel",
        ),
        (
            rule.count(rule.event("login", "ok = FALSE"), over="5m").at_least(3).for_each("user"),
            "WHEN COUNT(login(ok = FALSE)) >= 3 OVER 5m  FOR EACH user",
        ),
        (
            rule.event("login", "ok = FALSE")
            .times(3)
            .within("5m")
            .then(rule.event("login", "ok = TRUE"), within="10m")
            .for_each("user"),
            "WHEN login(ok = FALSE) x3 WITHIN 5m THEN login(ok = TRUE) WITHIN 10m  FOR EACH user",
        ),
        (
            rule.avg(rule.event("reading"), "temperature", over="10m")
            .more_than(8)
            .for_each("sensor")
            .ring("on change"),
            "WHEN AVG(reading.temperature) > 8 OVER 10m  FOR EACH sensor  RING ON CHANGE",
        ),
        (
            rule.event("reading").becomes("temperature > 8").for_each("sensor"),
            "WHEN reading BECOMES temperature > 8  FOR EACH sensor",
        ),
        (
            rule.event("position").enters("Depot").for_each("truck"),
            "WHEN position ENTERS Depot  FOR EACH truck",
        ),
        (
            rule.event("position").holds(rule.inside("Depot"), lasting="30m").for_each("truck"),
            "WHEN position HOLDS INSIDE Depot FOR 30m  FOR EACH truck",
        ),
        (
            rule.atom("graph", "?x a :Laptop")
            .named("a")
            .then(rule.atom("concept", "Transporting").named("b"), within=timedelta(minutes=5))
            .where("DISTANCE(a, b) < 500", "b.price > a.price"),
            "WHEN a: graph{ ?x a :Laptop } THEN b: concept{ Transporting } WITHIN 5m"
            "  WHERE DISTANCE(a, b) < 500 AND b.price > a.price",
        ),
        (
            rule.all_of(rule.event("order").named("a"), rule.event("payment").named("b"))
            .all_within("1d")
            .for_each("customer")
            .select("a.customer", paid="b.amount"),
            "WHEN a: order AND b: payment  FOR EACH customer  ALL WITHIN 1d"
            "  SELECT a.customer, b.amount AS paid",
        ),
        (na.during(nb).for_each("room"), "WHEN a: a DURING b: b  FOR EACH room"),
        (a.overlapped_by(b, negated=True), "WHEN a NOT OVERLAPPED BY b"),
        (rule.any_of(a, rule.all_of(b, c)), "WHEN a OR b AND c"),
        (rule.all_of(rule.any_of(a, b), c), "WHEN (a OR b) AND c"),
        (a.then(b.then(c)), "WHEN a THEN (b THEN c)"),
        (a.then(b).then(c), "WHEN a THEN b THEN c"),
        (a.then(b.times(2, or_more=True).within("10s")), "WHEN a THEN b x2+ WITHIN 10s"),
        (a.then(b.times(1, 2)).then(c), "WHEN a THEN b x1..2 THEN c"),
        (rule.no(b, within="1h").then(a), "WHEN NO b WITHIN 1h THEN a"),
        (a.then_no(b).then(c, within="1h"), "WHEN a THEN NO b THEN c WITHIN 1h"),
        (a.ceases("v > 8 AND w < 3"), "WHEN a CEASES v > 8 AND w < 3"),
        (a.becomes("policy LIKE 'x'"), "WHEN a BECOMES policy LIKE 'x'"),
        (a.becomes("NOT then"), "WHEN a BECOMES (NOT then)"),
        (a.leaves("E-A"), "WHEN a LEAVES `E-A`"),
        (a.becomes(rule.near("Depot", 500)), "WHEN a BECOMES NEAR Depot 500"),
        (
            rule.count(a, over="1d", every="1h", distinct="user").other_than(3),
            "WHEN COUNT(DISTINCT a.user) <> 3 OVER 1d EVERY 1h",
        ),
        (rule.sum(a, "v", over="1d").at_most(3), "WHEN SUM(a.v) <= 3 OVER 1d"),
        (rule.min(a, "v", over="1d").less_than(-3.5), "WHEN MIN(a.v) < -3.5 OVER 1d"),
        (rule.max(a, "v", over="1d").equal_to(3), "WHEN MAX(a.v) = 3 OVER 1d"),
        (
            a.for_each("x").for_each("y[]", "then").where("a.x > 3").policy("recent").horizon("2d"),
            "WHEN a  FOR EACH x, y[], `then`  WHERE a.x > 3  POLICY recent  HORIZON 2d",
        ),
    ],
    ids=lambda each: str(each) if isinstance(each, Rule) else "",
)
def test_builder_and_text_say_the_same(built: Rule, text: str) -> None:
    assert str(built) == text
    assert rule.parse(text) == built


@given(RULES)
def test_every_tree_is_a_rule(tree: syntax.RuleSyntax) -> None:
    built = Rule(tree)
    assert rule.parse(str(built)) == built


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("WHEN a BECOMES v > 8 SELECT +a.parcel", "v > 8"),
        ("WHEN a BECOMES v > 8 WHERE -a.v < 3", "v > 8"),
        ("WHEN a BECOMES select + 1 > 8", "select + 1 > 8"),
        ("WHEN a BECOMES v > 8 AND where - 1 = 2 SELECT a.v", "v > 8 AND where - 1 = 2"),
    ],
)
def test_a_clause_may_begin_with_a_sign(text: str, condition: str) -> None:
    tree = rule.parse(text).tree
    assert isinstance(tree.when, syntax.StateChangeSyntax)
    assert tree.when.state == syntax.Meets(condition)


def test_a_name_is_the_id_of_what_is_a_whole() -> None:
    assert left.then_no(arrived, "2h").for_each("parcel").named("missing").id == "missing"
    assert a.named("a").id == "a"
    assert a.named("a").then(b).id == ""
    assert a.for_each("k").named("m").where("a.x > 1").id == "m"


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: rule.event("a", "x = 1)"), "not expected"),
        (lambda: rule.event("a", "x = 'a"), "no closing quote"),
        (lambda: rule.event("a`b"), "is no type"),
        (lambda: rule.event(""), "is no type"),
        (lambda: a.then(b.for_each("k")), "a rule with clauses is part of nothing"),
        (lambda: a.then("b"), "a part is a rule, got str"),  # type: ignore[arg-type]
        (lambda: a.then(b, within="soon"), "is not a duration"),
        (lambda: a.then(b, within=5), "number without a unit"),  # type: ignore[arg-type]
        (lambda: a.named("then"), "no name of a part"),
        (lambda: a.named("a b"), "no name of a part"),
        (lambda: a.then(b).becomes("x = 1"), "said of one event"),
        (lambda: a.stands("WITHIN", b), "is no relation"),
        (lambda: a.times(1, 2, or_more=True), "has no more"),
        (lambda: a.ring("twice"), "no way to ring"),  # type: ignore[arg-type]
        (lambda: a.where("x >"), "expected a value"),
        (lambda: a.for_each("a b"), "not expected"),
        (rule.any_of, "nothing is to be joined"),
        (lambda: rule.parse("WHEN"), "expected a part"),
    ],
)
def test_what_cannot_be_written_cannot_be_built(made: object, words: str) -> None:
    with pytest.raises(Problem, match=words):
        made()  # type: ignore[operator]


def test_a_hub_takes_a_rule() -> None:
    heard: list[tocsin.Match] = []
    hub = tocsin.Hub(lateness="0s", ahead=None)
    missing = left.then_no(arrived, within="2h").for_each("parcel").named("missing")
    handle = hub.subscribe(missing, to=heard.append)
    assert handle.id == "missing"
    hub.publish(_move("1", "left", "p", "2026-01-01T00:00:00Z"))
    hub.publish(_move("2", "left", "q", "2026-01-01T00:10:00Z"))
    hub.publish(_move("3", "arrived", "p", "2026-01-01T01:00:00Z"))
    hub.advance_to("2026-01-01T09:00:00Z")
    assert [(each.subscription, each.events) for each in heard] == [("missing", ("2",))]


def test_a_subscription_takes_a_rule() -> None:
    missing = left.then_no(arrived, within="2h").for_each("parcel").named("missing")
    expected = tocsin.Subscription("missing", "rule", str(missing))
    assert tocsin.Subscription.of(missing) == expected
    assert tocsin.Subscription("missing", "rule", missing) == expected  # type: ignore[arg-type]
    assert tocsin.Subscription.of(missing, id="other", horizon="2h").id == "other"
    with pytest.raises(Problem, match="has no name"):
        tocsin.Subscription.of(a.then(b))


def _move(id: str, kind: str, parcel: str, time: str) -> dict[str, object]:
    return event_json(id, "move", time=time, data={"kind": kind, "parcel": parcel})
