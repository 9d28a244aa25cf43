"""The engine and the reference find what the plain evaluator finds, on random patterns with regular paths and IN."""

from __future__ import annotations

from hypothesis import given
from lxml import etree

from tests.blocks.plain_patterns import plain_rows, plain_truth
from tests.blocks.test_agreement import matcher_of
from tests.blocks.worlds import blocks, documents, xml_event
from tocsin.engine.batch import Batch
from tocsin.plan.blocks import XmlBlock, XPathPattern, block_variables
from tocsin.plan.row_terms import condition_variables
from tocsin.reference import blocks as reference


def is_plain(block: XmlBlock) -> bool:
    """Whether the plain evaluator knows all that the block says."""
    used = {name for condition in block.conditions for name in condition_variables(condition)}
    return used <= block_variables(block) and not any(isinstance(each, XPathPattern) for each in block.patterns)


@given(blocks().filter(is_plain), documents())
def test_rows_are_those_of_the_plain_evaluator(block: XmlBlock, xml: str) -> None:
    event = xml_event(xml)
    expected = [
        tuple(sorted(row.items()))
        for row in plain_rows(block.patterns, etree.fromstring(xml))
        if all(plain_truth(condition, row) for condition in block.conditions)
    ]
    assert list(reference.rows(block, event)) == expected
    matcher = matcher_of([block])
    assert len(matcher.match(Batch([event]))) == bool(expected)
    assert list(matcher.rows(block, event)) == expected
