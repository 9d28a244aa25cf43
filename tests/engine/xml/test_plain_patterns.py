"""The engine and the reference find what the plain evaluator finds, on random patterns with regular
paths and IN.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from lxml import etree

from tests.engine.xml.plain_patterns import plain_rows, plain_truth
from tests.engine.xml.test_agreement import matcher_of
from tests.engine.xml.worlds import blocks, deep_documents, documents, path_patterns, xml_event
from tests.languages.exmlql.asking import block_of
from tocsin.engine.columns.batch import Batch
from tocsin.plan.xml.row_terms import condition_variables
from tocsin.plan.xml.xml_patterns import PatternElement, XmlBlock, XPathPattern, block_variables
from tocsin.reference import blocks as reference


def is_plain(block: XmlBlock) -> bool:
    """Whether the plain evaluator knows all that the block says."""
    used = {name for condition in block.conditions for name in condition_variables(condition)}
    return used <= block_variables(block) and not any(
        isinstance(each, XPathPattern) for each in block.patterns
    )


@given(blocks().filter(is_plain), documents())
def test_rows_are_those_of_the_plain_evaluator(block: XmlBlock, xml: str) -> None:
    check(block, xml)


@settings(max_examples=4 * settings().max_examples)
@given(path_patterns(), deep_documents())
def test_paths_that_cross_and_lie_in_each_other(pattern: PatternElement, xml: str) -> None:
    check(XmlBlock((pattern,)), xml)


@pytest.mark.parametrize(
    ("text", "xml", "rows"),
    [
        # the outer <a> comes first, but only the inner one ends before <b> starts
        ("WHERE <r><$*.a></><$*.b></></>", "<r><a><a/><b/></a></r>", 1),
        ("WHERE <r><$*.a></><$*.b>$x</></>", "<r><a><a/><b>1</b></a></r>", 1),
        ("WHERE <r><$*.a k=$k></><$*.b>$x</></>", '<r><a k="1"><a k="1"/><b>1</b></a></r>', 1),
        # of a row that ends in two places, the later mapping leaves room for what follows
        ("WHERE <r><$*.a k=$k></><c></></>", '<r><a k="1"><a k="1"/></a><c/></r>', 1),
        # a path of no steps stays where it is, be it above the outermost element
        ("WHERE <a*></>", "<c/>", 1),
        ('WHERE <a* k="1"></>', '<c k="1"/>', 1),
        ('WHERE <a* k="1"></>', '<a><a><c k="1"/></a></a>', 1),
        ("WHERE <a*><b>1</></>", "<b>1</b>", 1),
        ("WHERE <a*><b>1</></>", "<a><b>1</b></a>", 1),
        ("WHERE <a?><b>$x</></>", "<b>1</b>", 1),
        ("WHERE <a*>$x</>", "<b>1</b>", 1),
        # and is in no order to its siblings
        ("WHERE <r><a*><b></></><c></></>", "<r><c/><b/></r>", 1),
        ("WHERE <r><a+><b></></><c></></>", "<r><c/><a><b/></a></r>", 0),
        # what repeats may do so more than twice, and starts below its parent
        ("WHERE <r><a*.b>$x</></>", "<r><a><a><a><b>1</b></a></a></a></r>", 1),
        ("WHERE <r><(a.c)*.b>$x</></>", "<r><a><c><a><c><b>1</b></c></a></c></a></r>", 1),
        ("WHERE <r><(a.c)*.b>$x</></>", "<r><a><c><a><b>1</b></a></c></a></r>", 0),
        # the paths of siblings share what is on their way
        ("WHERE <r><a.b></><a.c></></>", "<r><a><b/><c/></a></r>", 1),
        ("WHERE <r><a.c></><a.b></></>", "<r><a><b/><c/></a></r>", 0),
        # XML-QL's own: nested parts, and subparts or components of pieces
        (
            "WHERE <part+.(subpart|component.piece)>$x</>",
            "<part><part><subpart>1</subpart></part></part>",
            1,
        ),
        (
            "WHERE <part+.(subpart|component.piece)>$x</>",
            "<part><component><piece>2</piece></component></part>",
            1,
        ),
        (
            "WHERE <part+.(subpart|component.piece)>$x</>",
            "<part><component><subpart>2</subpart></component></part>",
            0,
        ),
        ("WHERE <$*.brand>Ford</>", "<x><y><brand>Ford</brand></y></x>", 1),
        # here * is exactly one element, as in a tag of its own
        ("WHERE <*.brand>Ford</>", "<brand>Ford</brand>", 0),
        ("WHERE <*.brand>Ford</>", "<x><brand>Ford</brand></x>", 1),
    ],
)
def test_paths(text: str, xml: str, rows: int) -> None:
    assert check(block_of(text), xml) == rows


@pytest.mark.parametrize(
    ("xml", "rows"),
    [
        ("<r><a/><x><b/></x></r>", 1),
        ("<r><a><b/></a></r>", 0),
        ("<r><a><b/></a><x><b/></x></r>", 1),
        ("<r><x><b/></x><a/></r>", 0),
    ],
)
def test_a_sibling_lies_behind_the_one_before_it_and_not_inside(xml: str, rows: int) -> None:
    two_levels_down = PatternElement("b", 2)
    assert (
        check(
            XmlBlock((PatternElement("r", children=(PatternElement("a", 1), two_levels_down)),)),
            xml,
        )
        == rows
    )


def check(block: XmlBlock, xml: str) -> int:
    """How many rows there are, on which all three agree."""
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
    return len(expected)
