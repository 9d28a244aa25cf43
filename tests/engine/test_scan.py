"""The paper's algorithm, traced: which predicates it evaluates, in which order, and which it never
looks at.
"""

from __future__ import annotations

from tests.builders import build_unread_event
from tests.engine.worlds import pairs, subscribed
from tocsin.engine.columns.batch import Batch
from tocsin.engine.conditions.scan import ScanMatcher
from tocsin.plan.nodes.atoms import AllOf, AnyOf, Equals, Like, OneOf, Ordered
from tocsin.values.like import LikePattern, Wild
from tocsin.values.scalars import Constant
from tocsin.values.truth import Truth

F, T = Truth.FALSE, Truth.TRUE


def equals(name, value):
    return Equals((name,), Constant.of(value))


def below(name, limit):
    return Ordered((name,), "<", Constant.of(limit))


JMS = Like(("Abstract",), LikePattern.of((Wild.ANY_RUN, "JMS", Wild.ANY_RUN)))
JACK = equals("Author", "Jack")
COMPUTER = equals("Type", "Computer")

LISTED = (
    AnyOf((JACK, AllOf((JMS, equals("Publisher", "QReilly"))))),
    AnyOf((AllOf((JMS, below("Price", 100))), COMPUTER)),
    AnyOf((JACK, AllOf((equals("Publisher", "OReilly"), equals("Type", "PDA"))))),
    AnyOf((JMS, below("Price", 100), equals("Publisher", "GReilly"))),
)
PROCESSED = (
    AnyOf((AllOf((equals("Publisher", "QReilly"), JMS)), JACK)),
    AnyOf((AllOf((below("Price", 200), JMS)), COMPUTER)),
    AnyOf((AllOf((COMPUTER, equals("Publisher", "OReilly"))), JACK)),
    AnyOf((below("Price", 200), JMS, equals("Publisher", "QReilly"))),
)


def book(abstract):
    return build_unread_event(
        {
            "Abstract": abstract,
            "Author": "Jack",
            "Publisher": "OReilly",
            "Price": 100,
            "Type": "PDA",
        }
    )


def rung(matcher, abstract):
    return [f"Sub{int(key) + 1}" for _, key in pairs(matcher, Batch([book(abstract)]))]


def test_the_four_subscriptions_as_listed():
    """Spec 5.2."""
    matcher = subscribed(ScanMatcher(), LISTED)
    assert rung(matcher, "AJSMG") == ["Sub1", "Sub3"]
    assert matcher.props == [
        (equals("Publisher", "QReilly"), F),
        (JACK, T),
        (below("Price", 100), F),
        (COMPUTER, F),
        (equals("Publisher", "OReilly"), T),
        (equals("Type", "PDA"), T),
        (equals("Publisher", "GReilly"), F),
        (JMS, F),
    ]
    assert matcher.work.predicate_evaluations == 8
    assert rung(matcher, "AJMSG") == ["Sub1", "Sub3", "Sub4"]
    assert matcher.props[7] == (JMS, T)


def test_the_processed_forms_as_printed():
    """Spec 5.3: five evaluations, without any reordering."""
    matcher = subscribed(ScanMatcher(reorder=False), PROCESSED)
    assert rung(matcher, "AJMSG") == ["Sub1", "Sub2", "Sub3", "Sub4"]
    assert matcher.props == [
        (equals("Publisher", "QReilly"), F),
        (JACK, T),
        (below("Price", 200), T),
        (JMS, T),
        (COMPUTER, F),
    ]
    assert matcher.work.predicate_evaluations == 5


def test_the_processed_forms_with_the_misspelt_abstract():
    matcher = subscribed(ScanMatcher(reorder=False), PROCESSED)
    assert rung(matcher, "AJSMG") == ["Sub1", "Sub3", "Sub4"]
    assert [row for row in matcher.props if row[0] in (JMS, COMPUTER)] == [(JMS, F), (COMPUTER, F)]
    assert matcher.work.predicate_evaluations == 5


def test_a_settled_disjunction_looks_no_further():
    """Spec 5.5, row 17 and rule R4."""
    groups = [AllOf((equals(left, 1), equals(right, 1))) for left, right in ("ab", "cd")]
    matcher = subscribed(ScanMatcher(), [AnyOf(tuple(groups))])
    assert pairs(matcher, Batch([build_unread_event({"a": 1, "b": 1, "c": 0, "d": 0})])) == [
        (0, "0")
    ]
    assert [predicate.path for predicate, _ in matcher.props] == [("a",), ("b",)]


def test_one_set_written_twice_is_one_predicate():
    """Spec 5.5, row 16."""
    members = [
        OneOf(("s",), frozenset(map(Constant.of, order))) for order in (("x", "y"), ("y", "x"))
    ]
    matcher = subscribed(ScanMatcher(), [AllOf(tuple(members))])
    assert pairs(matcher, Batch([build_unread_event({"s": "y"})])) == [(0, "0")]
    assert matcher.work.predicate_evaluations == 1
