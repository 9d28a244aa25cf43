"""The automaton finds what the declarative rules define, on random documents and blocks; and counts
its work.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.xml.worlds import blocks, documents, patterns, xml_event
from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher, automaton
from tocsin.plan.xml.xml_patterns import PatternElement, XmlBlock
from tocsin.reference import blocks as reference


def matcher_of(given_blocks: Sequence[XmlBlock]) -> BlockMatcher:
    matcher = BlockMatcher()
    for number, block in enumerate(given_blocks):
        matcher.add(str(number), block)
    return matcher


def found(matcher: BlockMatcher, xml: str) -> list[str]:
    return matcher.keys_of(matcher.match(Batch([xml_event(xml)])).slots)


@given(st.lists(blocks(), min_size=1, max_size=12), st.lists(documents(), min_size=1, max_size=3))
def test_the_automaton_finds_what_the_rules_define(
    given_blocks: list[XmlBlock], texts: list[str]
) -> None:
    matcher = matcher_of(given_blocks)
    events = [xml_event(text, str(number)) for number, text in enumerate(texts)]
    hits = matcher.match(Batch(events))
    assert list(zip(hits.events.tolist(), matcher.keys_of(hits.slots), strict=True)) == [
        (i, str(number))
        for i, event in enumerate(events)
        for number, block in enumerate(given_blocks)
        if reference.holds(block, event)
    ]
    for event in events:
        for block in given_blocks:
            assert matcher.rows(block, event) == reference.rows(block, event)


@given(
    st.lists(patterns().map(lambda pattern: XmlBlock((pattern,))), min_size=1, max_size=12),
    st.data(),
    documents(),
)
def test_removing_leaves_the_others_and_nothing_of_its_own(
    given_blocks: list[XmlBlock], data: st.DataObject, xml: str
) -> None:
    matcher = matcher_of(given_blocks)
    found(matcher, xml)
    order = data.draw(st.permutations(range(len(given_blocks))))
    kept = set(order)
    for number in order:
        matcher.remove(str(number))
        kept.remove(number)
        expected = [
            str(each)
            for each in sorted(kept)
            if reference.holds(given_blocks[each], xml_event(xml))
        ]
        assert found(matcher, xml) == expected
    assert (
        len(matcher)
        == matcher.distinct_blocks
        == len(matcher._shapes)
        == len(matcher._automaton)
        == 0
    )


def leaf(name: str, text: str) -> PatternElement:
    return PatternElement(name, 1, text=text)


def test_blocks_whose_values_are_not_in_the_document_are_not_looked_at() -> None:
    order = [
        XmlBlock((PatternElement("order", children=(leaf("number", str(n)),)),))
        for n in range(1000)
    ]
    matcher = matcher_of(order)
    assert found(matcher, "<order><number>7</number></order>") == ["7"]
    assert matcher.work.candidates == 1
    assert matcher.work.predicate_evaluations <= 2


def test_identical_blocks_are_one() -> None:
    block = XmlBlock((PatternElement("a", text="1"),))
    matcher = matcher_of([block] * 50)
    assert matcher.distinct_blocks == 1
    assert found(matcher, "<a>1</a>") == [str(number) for number in range(50)]
    assert matcher.work.candidates == 1


def test_a_shape_is_fitted_to_an_element_once_for_all_blocks() -> None:
    line = PatternElement("line", 1, children=(leaf("kind", "x"),))
    wanted = [
        XmlBlock((PatternElement("order", children=(leaf("id", str(n)), line)),)) for n in range(20)
    ]
    ids = "".join(f"<id>{n}</id>" for n in range(20))
    matcher = matcher_of(wanted)
    assert len(found(matcher, f"<order>{ids}<line><kind>x</kind></line></order>")) == 20
    # Each block: its order and its id; together: the line and its kind.
    assert matcher.work.predicate_evaluations == 20 * 2 + 2


def test_deep_search_does_not_go_back() -> None:
    """Twelve equal siblings that never fit: tried by every mapping they would take more than 10^15
    steps.
    """
    siblings = tuple(PatternElement("b", 1) for _ in range(12))
    block = XmlBlock((PatternElement("a", children=(*siblings, PatternElement("c", 1))),))
    matcher = matcher_of([block])
    assert found(matcher, f"<a>{'<b/>' * 60}</a>") == []
    assert matcher.work.predicate_evaluations <= len(siblings) * 62 + 2


def test_an_event_without_a_document_matches_nothing() -> None:
    matcher = matcher_of([XmlBlock((PatternElement(None),))])
    assert found(matcher, "<a") == []
    assert not reference.holds(XmlBlock((PatternElement(None),)), xml_event("<a"))


def test_a_document_with_a_hit_is_laid_out_once_for_its_rows() -> None:
    block = XmlBlock((PatternElement("a", children=(leaf("b", "1"),)),))
    matcher = matcher_of([block])
    events = [xml_event(f"<a><b>{n % 2}</b></a>", str(n)) for n in range(6)]
    matcher.match(Batch(events))
    done = matcher.work.predicate_evaluations
    assert [len(matcher.rows(block, event)) for event in events[1::2]] == [1, 1, 1]
    assert matcher.work.predicate_evaluations == done, "what was decided for the hit is still known"
    assert len(matcher._documents) == 3


def test_what_is_known_of_names_is_forgotten_when_there_are_too_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(automaton, "MAX_STEPS", 50)
    matcher = matcher_of([XmlBlock((PatternElement("a", children=(PatternElement("b", 1),)),))])
    for n in range(40):
        assert found(matcher, f"<x{n}><y{n}/><a><z{n}/><b/></a></x{n}>") == ["0"]
    assert matcher._automaton._steps <= 50


def test_no_more_documents_are_kept_than_there_is_room_for() -> None:
    matcher = matcher_of([XmlBlock((PatternElement("a"),))])
    for n in range(5):
        matcher.match(Batch([xml_event(f"<a>{'<b/>' * 39_999}</a>", str(n))]))
    assert len(matcher._documents) == 2
    matcher.remove("0")
    assert len(matcher._documents) == 0
