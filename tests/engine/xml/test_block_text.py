"""A block written out reads as the same block."""

from __future__ import annotations

import re

import pytest
from hypothesis import given

from tests.engine.xml.test_business_documents import ASKED, PROLOG
from tests.engine.xml.worlds import blocks
from tests.languages.asked import EXMLQL
from tests.languages.exmlql.asking import block_of
from tests.languages.exmlql.test_documents import CASES
from tocsin.languages.base.reading import Context
from tocsin.plan.explain.exmlql import block_text, condition_text
from tocsin.plan.xml.row_terms import ValueCondition
from tocsin.plan.xml.xml_patterns import XmlBlock, XPathPattern

problems = EXMLQL.problems
_REPEATED_TWICE = re.compile(r"[*+?]\)*[*+?]")

TEXTS = [case[1] for case in CASES] + [f"{PROLOG} WHERE {asked.text}" for asked in ASKED.values()]


@pytest.mark.parametrize("text", sorted(set(TEXTS)))
def test_a_block_written_out_reads_as_the_same(text: str) -> None:
    block = block_of(text)
    again = block_of(block_text(block))
    assert block_text(again) == block_text(block)
    assert _without_spaces(again) == _without_spaces(block)


def _without_spaces(block: XmlBlock) -> XmlBlock:
    """A prolog may declare what an expression does not use: that is all that may differ."""
    kept = (
        XPathPattern(each.expression, (), each.bindings) if isinstance(each, XPathPattern) else each
        for each in block.patterns
    )
    return XmlBlock(tuple(kept), block.conditions)


@given(blocks().filter(lambda block: not problems(block_text(block), {}, Context())))
def test_any_block_of_the_language_reads_as_the_same(block: XmlBlock) -> None:
    text = block_text(block)
    again = block_text(block_of(text))
    assert block_text(block_of(again)) == again
    if not _REPEATED_TWICE.search(text):  # `a**` is read as `a*`, which means the same
        assert again == text


def test_conditions() -> None:
    assert condition_text(ValueCondition("$x", "<", 'a "b"')) == '$x < "a ""b"""'
    assert condition_text(ValueCondition("$x", "!=", other="$y")) == "$x != $y"
