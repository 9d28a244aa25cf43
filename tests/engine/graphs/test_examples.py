"""The worked examples and edge cases of the specification (5.1-5.3), on the reference and on both
strategies.
"""

from __future__ import annotations

import pytest

from tests.engine.graphs.auction import CHEAP, DIAMOND, LETTERS, auction, event, pattern
from tests.engine.graphs.worlds import pairs
from tocsin.engine.graphs.encoding import EncodedGraph
from tocsin.engine.graphs.matcher import GraphMatcher
from tocsin.events.event import Event
from tocsin.papers.graph_matcher import PaperMatcher, tree_of
from tocsin.papers.graph_printing import tree_lines
from tocsin.plan.nodes.graphs import GraphPattern, Injective
from tocsin.reference import graphs as reference

TWO_BIDDERS = pattern("_:H ?1 Selling bidder Customer", "_:H ?2 Selling bidder Customer")
SELLER_OWNER = pattern("_:H ?1 Selling seller Customer", "_:H ?2 Selling owner Customer")
BACK = pattern("_:H ?1 A p1 B", "?1 _:H B p4 A", ontology=LETTERS)
ROUND = pattern("_:H ?1 A p1 B", "?1 ?2 B p3 D", "?2 ?1 D p4 B", ontology=LETTERS)
LATE = pattern("_:H ?1 A p2 C", "?1 ?2 C p4 B", "?2 ?3 B p3 D", ontology=LETTERS)
PHONE = pattern("_:H ?1 Selling seller Customer", "?1 ?2 Customer telephoneNumber string")
CELL_PHONE = pattern("_:H ?1 Selling seller Customer", "?1 ?2 Customer cellPhoneNumber string")
BOTH_TARGETS = pattern("_:H ?1 Selling target Product", "_:H ?1 Selling mainTarget Product")
_MONEY = ("_:H ?2 Selling price MoneyValue", "?2 ?3 MoneyValue value decimal")
TWO_VALUES = pattern(*_MONEY, "?2 ?4 MoneyValue minBid decimal")
ALL_APART = pattern(*_MONEY, "?2 ?4 MoneyValue minBid decimal", injective=Injective.ALL)
ONE_VALUE = pattern(*_MONEY, "?2 ?3 MoneyValue minBid decimal")

LETTER_TYPES = "_:H a :A . _:b a :B1 . _:c a :C . _:d a :D . "


def letters(arcs: str, types: str = LETTER_TYPES) -> Event:
    return event(types + arcs)


def money(value: str, minimum: str) -> Event:
    return event(
        f"_:H a :Selling ; :price _:m . _:m a :MoneyValue ; rdf:value {value} ; :minBid {minimum} ."
    )


EV1 = letters("_:f a :D . _:H :p1 _:b ; :p2 _:c . _:b :p3 _:d . _:c :p3 _:f .")
EV2 = letters("_:f a :D . _:H :p1 _:b ; :p2 _:c . _:b :p3 _:d . _:c :p3 _:f , _:d .")
EV3 = letters("_:H :p1 _:b ; :p2 _:c . _:b :p3 _:d .")
NO_GRAPH = Event(
    {"id": "e", "source": "s", "type": "t", "datacontenttype": "text/turtle"}, "no turtle", None
)
SOLD = "_:H a :Selling ; :target _:c . _:c a :Product . "

CASES = [
    ("5.1 at 450", auction("450.00"), CHEAP, 0),
    ("5.1 at 350", auction(), CHEAP, 1),
    ("5.1 at 400", auction("400.00"), CHEAP, 0),
    ("5.2 EV1", EV1, DIAMOND, 0),
    ("5.2 EV2", EV2, DIAMOND, 1),
    ("5.2 EV3", EV3, DIAMOND, 0),
    ("G1", auction(kind=":Gift , :Desktop"), CHEAP, 1),
    ("G2", auction(kind=":Laptop , :Desktop"), CHEAP, 1),
    ("G3", auction(kind=":Convertible"), CHEAP, 1),
    ("G4", auction(kind=":HardDisk"), CHEAP, 0),
    ("G5", auction("350"), CHEAP, 1),
    ("G6", auction('"350"'), CHEAP, 0),
    ("G7", auction(currency=":euro"), CHEAP, 0),
    ("G8", event("_:H a :Selling ; :bidder _:a . _:a a :Customer ."), TWO_BIDDERS, 0),
    (
        "G9",
        event("_:H a :Selling ; :bidder _:a , _:b . _:a a :Customer . _:b a :Customer ."),
        TWO_BIDDERS,
        2,
    ),
    (
        "G10",
        event("_:H a :Selling ; :seller _:a ; :owner _:a . _:a a :Customer ."),
        SELLER_OWNER,
        0,
    ),
    ("G11", money("350.0", "350.0"), TWO_VALUES, 1),
    ("G11 all apart", money("350.0", "350.0"), ALL_APART, 0),
    ("G11 all apart, by value", money("350.0", "350.00"), ALL_APART, 0),
    ("G12", money("350.0", "400.0"), ONE_VALUE, 0),
    ("G12 equal", money("350.0", "350.00"), ONE_VALUE, 1),
    ("G13", letters("_:H :p1 _:b . _:b :p4 _:H .", "_:H a :A . _:b a :B . "), BACK, 1),
    ("G13 without", letters("_:H :p1 _:b .", "_:H a :A . _:b a :B . "), BACK, 0),
    (
        "G14",
        letters(
            "_:e a :B . _:H :p1 _:b . _:b :p3 _:d . _:d :p4 _:e .",
            LETTER_TYPES.replace("_:c a :C . ", ""),
        ),
        ROUND,
        0,
    ),
    (
        "G14 back",
        letters(
            "_:H :p1 _:b . _:b :p3 _:d . _:d :p4 _:b .", LETTER_TYPES.replace("_:c a :C . ", "")
        ),
        ROUND,
        1,
    ),
    ("G15", letters("_:H :p1 _:b ; :p2 _:c . _:b :p3 _:d . _:c :p4 _:b ."), LATE, 1),
    (
        "G16",
        event('_:H a :Selling ; :seller _:s . _:s a :Customer ; :cellPhoneNumber "1" .'),
        PHONE,
        1,
    ),
    (
        "G16 reversed",
        event('_:H a :Selling ; :seller _:s . _:s a :Customer ; :telephoneNumber "1" .'),
        CELL_PHONE,
        0,
    ),
    ("G17", auction(price=""), CHEAP, 0),
    ("G18", auction(kind=":Gizmo"), CHEAP, 0),
    ("G21", event(SOLD + "_:H :mainTarget _:c ."), BOTH_TARGETS, 1),
    (
        "G21 special alone",
        event("_:H a :Selling ; :mainTarget _:c . _:c a :Product ."),
        BOTH_TARGETS,
        1,
    ),
    ("G21 general alone", event(SOLD), BOTH_TARGETS, 0),
    ("G23", auction('"abc"^^xsd:decimal'), CHEAP, 0),
]


@pytest.mark.parametrize(
    ("given", "wanted", "maps"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_an_example_of_the_specification(given: Event, wanted: GraphPattern, maps: int) -> None:
    assert len(list(reference.maps(wanted, given))) == maps
    for matcher in (GraphMatcher(), PaperMatcher()):
        matcher.add("s", wanted)
        assert pairs(matcher, [given]) == ([(0, "s")] if maps else [])


def test_equal_subscriptions_ring_each_and_every_time() -> None:
    """G22 and G24."""
    for matcher in (GraphMatcher(), PaperMatcher()):
        matcher.add("one", CHEAP)
        matcher.add("other", CHEAP)
        expected = [(0, "one"), (0, "other"), (1, "one"), (1, "other")]
        assert pairs(matcher, [auction(), auction()]) == expected


@pytest.mark.parametrize(
    ("given", "wanted", "circles", "squares", "checked"),
    [
        (auction("450.00"), CHEAP, 4, 4, False),
        (auction(), CHEAP, 5, 4, True),
        (auction(kind=":Laptop , :Desktop"), CHEAP, 5, 4, True),
        (EV1, DIAMOND, 5, 4, True),
        (EV2, DIAMOND, 6, 4, True),
        (EV3, DIAMOND, 4, 4, False),
    ],
    ids=["450", "350", "G2", "EV1", "EV2", "EV3"],
)
def test_the_trees_have_the_nodes_of_the_worked_examples(
    given: Event, wanted: GraphPattern, circles: int, squares: int, checked: bool
) -> None:
    tree = tree_of(wanted, EncodedGraph(given.graph))
    assert tree is not None
    assert (tree.circles, tree.squares, tree.root.checked) == (circles, squares, checked)


@pytest.mark.parametrize(
    ("given", "wanted", "verdict"),
    [
        (auction(), CHEAP, "match"),
        (
            auction("450.00"),
            CHEAP,
            "no match: nothing in the event is accepted by (?2, ?3, (<http://example.org/MoneyValue>, ",
        ),
        (EV1, DIAMOND, "no match: every pattern is accepted, but the branches do not agree"),
        (event("_:H a :Gift ."), CHEAP, "no match: no pattern that starts at _:H accepts"),
        (NO_GRAPH, CHEAP, "no match: EVENT_PARSE"),
    ],
    ids=["match", "nothing accepted", "branches", "no tree", "no graph"],
)
def test_a_printed_tree_ends_with_the_reason(
    given: Event, wanted: GraphPattern, verdict: str
) -> None:
    assert list(tree_lines(wanted, given))[-1].startswith(verdict)


def test_a_printed_tree_shows_what_each_pattern_accepted() -> None:
    lines = [
        line.replace("<http://example.org/", "").replace(">", "")
        for line in tree_lines(DIAMOND, EV3)
    ]
    assert lines == [
        "o _:H = _:H  [unchecked]",
        "  # (_:H, ?1, (A, p1, B))  [checked]",
        "    o ?1 = _:b  [checked]",
        "      # (?1, ?3, (B, p3, D))  [checked]",
        "        o ?3 = _:d  [checked]",
        "  # (_:H, ?2, (A, p2, C))  [unchecked]",
        "    o ?2 = _:c  [unchecked]",
        "      # (?2, ?3, (C, p3, D))  [unchecked]",
        "4 circles, 4 squares",
        "no match: nothing in the event is accepted by (?2, ?3, (C, p3, D))",
    ]


def test_an_event_without_a_proper_graph_does_not_match_and_does_not_stop_the_others() -> None:
    assert not reference.holds(CHEAP, NO_GRAPH)
    for matcher in (GraphMatcher(), PaperMatcher()):
        matcher.add("s", CHEAP)
        assert pairs(matcher, [NO_GRAPH, auction(), NO_GRAPH]) == [(1, "s")]
