"""XPATH blocks: any expression costs bounded work, cheap ones are taken, and what is asked is what
was written.
"""

from __future__ import annotations

import math
import warnings

import pytest
from hypothesis import assume, given
from lxml import etree

import tocsin
from tests.engine.xml.worlds import documents, xml_event
from tests.engine.xml.xpaths import EXPRESSIONS
from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher
from tocsin.engine.xml.document_tree import DocumentTree
from tocsin.errors import Problem
from tocsin.events.views.document import XPath, parse_xml, size_of
from tocsin.plan.xml.xml_patterns import BoundTo, VariableBinding, XmlBlock, XPathPattern
from tocsin.plan.xml.xpath.cost_bound import budget_of, is_within_budget, units_of
from tocsin.plan.xml.xpath.read import NESTING, read_xpath
from tocsin.plan.xml.xpath.shape import DocumentOutline, DocumentShape, outlined_shape, rough_shape
from tocsin.plan.xml.xpath.syntax import Expression, shorten, text_of
from tocsin.reference import blocks as reference

LINE = "<line><sku>a</sku><price>3</price><qty>2</qty></line>"
FLAT = "<r>" + "<b/>" * 2000 + "</r>"


def order(lines: int) -> str:
    return f"<order>{LINE * lines}</order>"


def shape(xml: str) -> DocumentShape:
    root = parse_xml(xml)
    tree = DocumentTree([root])
    return outlined_shape(root, DocumentOutline(tree.names, tree.parents, tree.levels))


def is_decided(text: str, xml: str) -> bool:
    return is_within_budget(shorten(read_xpath(text, {})), {}, shape(xml), in_order=False)


def legal(expression: Expression) -> str:
    """The text of an expression that libxml2 takes; others are passed over."""
    text = text_of(expression)
    try:
        read_xpath(text, {})
    except Problem:
        assume(False)
    return text


def accepted(expression: Expression) -> str:
    """The text of an expression that a subscription may have: `position()` alone has no position to
    tell, and is refused.
    """
    text = legal(expression)
    try:
        XPath(text, {})
    except Problem:
        assume(False)
    return text


def value(text: str, root: etree._Element) -> object:
    """What libxml2 says, in a form that compares: nodes by their places."""
    try:
        found = etree.XPath(text, smart_strings=False)(root)
    except etree.XPathError:  # position() where nothing has a position
        return "cannot be evaluated"
    if isinstance(found, float):
        return "NaN" if math.isnan(found) else found
    if isinstance(found, list):
        tree = root.getroottree()
        return [tree.getpath(each) if isinstance(each, etree._Element) else each for each in found]
    return found


@given(EXPRESSIONS, documents())
def test_what_is_written_anew_means_the_same(expression: Expression, xml: str) -> None:
    text, root = legal(expression), parse_xml(xml)
    assert read_xpath(text_of(read_xpath(text, {})), {}) == read_xpath(text, {})
    assert value(text_of(shorten(read_xpath(text, {}))), root) == value(text, root)


@given(EXPRESSIONS, documents())
def test_a_rough_shape_never_promises_too_much(expression: Expression, xml: str) -> None:
    read, root = shorten(read_xpath(legal(expression), {})), parse_xml(xml)
    rough = rough_shape(sum(1 for _ in root.iter()), size_of(root))
    exact = shape(xml)
    assert budget_of(rough) == budget_of(exact)
    if is_within_budget(read, {}, rough):
        assert is_within_budget(read, {}, exact)


@given(EXPRESSIONS, documents(), documents())
def test_a_larger_document_never_costs_less(expression: Expression, one: str, other: str) -> None:
    read = shorten(read_xpath(legal(expression), {}))
    assert units_of(read, {}, shape(f"<a>{one}</a>")) <= units_of(
        read, {}, shape(f"<a>{one}{other}</a>")
    )


@given(EXPRESSIONS, documents())
def test_engine_and_reference_agree(expression: Expression, xml: str) -> None:
    text = accepted(expression)
    binding = (VariableBinding(BoundTo.CONTENT, "$x"),)
    for block in (XmlBlock((XPathPattern(text),)), XmlBlock((XPathPattern(text, (), binding),))):
        matcher, event = BlockMatcher(), xml_event(xml)
        matcher.add("s", block)
        assert bool(len(matcher.match(Batch([event])))) == reference.holds(block, event)
        assert matcher.rows(block, event) == reference.rows(block, event)


BOMBS = [
    ("//*[count(../*[count(../*[count(../*)>0])>0])>0]", "<r>" + "<x><y/></x>" * 130 + "</r>"),
    ("//b/preceding-sibling::b[following-sibling::b/preceding-sibling::b]", FLAT),
    ("//b[preceding::b[preceding::b[preceding::b]]]", FLAT),
    ("//*[.//*[.//*[.//*]]]", "<r>" + "<b>" * 100 + "</b>" * 100 + "<b/>" * 2000 + "</r>"),
    ("//b[contains(/, concat(/, 'x'))]", "<r>" + "<b/>" * 2000 + "a" * 100_000 + "</r>"),
    ("//b[. = //b[. = //b]]", FLAT),
    ("//b[count(//b | //b/..) > 1]", FLAT),
    ("(//b/following::b | //b/preceding::b)[. != //b]", FLAT),
    ("//b[translate(/, /, /) = 'x']", "<r>" + "<b/>" * 500 + "ab" * 5_000 + "</r>"),
    (
        "//b[string-length(concat(/, /, /, /, /, /)) > 1]",
        "<r>" + "<b/>" * 2000 + "a" * 100_000 + "</r>",
    ),
    ("sum(//b[sum(//b[sum(//b) < 1]) < 1]) < 1", FLAT),
    (
        "//b[(//b)[last()] = (//b)[1]][(//b)[last()] = (//b)[1]]" * 1,
        "<r>" + "<b/>" * 20_000 + "</r>",
    ),
]


@pytest.mark.parametrize(("expression", "xml"), BOMBS)
def test_what_costs_too_much_is_undecided_and_the_others_are_served(
    expression: str, xml: str
) -> None:
    hub = tocsin.Hub()
    hub.subscribe(f'WHERE XPATH "{expression}"', language="exmlql", id="bomb")
    hub.subscribe(
        f'WHERE XPATH "{expression}" CONTENT_AS $x CONSTRUCT <o>$x</o>',
        language="exmlql",
        id="built",
    )
    hub.subscribe('WHERE XPATH "/r"', language="exmlql", id="other")
    event = {
        "id": "1",
        "source": "s",
        "type": "t",
        "datacontenttype": "application/xml",
        "data": xml,
    }
    assert [match.subscription for match in hub.publish(event)] == ["other"]
    assert [letter.code for letter in hub.dead_letters] == ["LIMIT", "LIMIT"]
    assert "'bomb'" in hub.dead_letters[0].reason
    block = XmlBlock((XPathPattern(expression),))
    assert not reference.holds(block, xml_event(xml))


CHEAP = [
    "/order[//sku and //price]",
    "//line[qty > 1]",
    "//line[2]/sku",
    "count(//line) > 2",
    "//line[sku='a'][price > 2]/qty",
    "//line//sku",
    "//sku/..",
    "//line[.//sku = 'a']",
    "//line[not(preceding-sibling::line)]",
    "/order/line[last()]/sku",
    "//*[local-name() = 'sku']",
    "//*[namespace-uri() = '']",
    "//line[position() mod 2 = 1]",
    "//sku | //price",
    "//line[contains(' a b c d ', concat(' ', normalize-space(sku), ' '))]",
    "sum(//price) = count(//line) * 3",
    "not(//line[not(sku)])",
    "//sku[normalize-space() = 'a']/ancestor::order",
    "string-length(normalize-space(/)) > 5",
    "//line[preceding-sibling::line[1]/sku = sku]",
    "//line[sku][price][qty]",
    "//line[count(*) = 3]",
]


@pytest.mark.parametrize("expression", CHEAP)
def test_what_is_cheap_is_decided_in_large_documents_too(expression: str) -> None:
    assert is_decided(expression, order(500))


@pytest.mark.parametrize(
    "expression",
    [
        "//line",
        "//line[qty > 1]",
        "count(//sku) > 3",
        "/order/line[last()]",
        "//line[sku and price = 3]/qty",
    ],
)
def test_what_is_linear_is_decided_in_the_largest_document(expression: str) -> None:
    assert is_decided(expression, order(20_000))


def test_the_same_bomb_is_decided_where_the_document_is_small() -> None:
    for expression, _ in BOMBS:
        assert is_decided(expression, "<r><b>1</b><b>2</b></r>")


WRONG = [
    ("//a[$v]", "no variables", "CONTENT_AS"),
    ("//p:a", "the prefix p is not declared", "NAMESPACE p"),
    ("matches(., 'a')", "matches() is no function", "known: boolean"),
    ("//a[", "ends too early", "grammar"),
    ("//a]", "']' is not expected", "grammar"),
    ("contains('a')", "takes 2 argument(s), got 1", "functions"),
    ("concat('a')", "takes 2 or more", "functions"),
    ("substring('a')", "takes 2 to 3", "functions"),
    ("count('a')", "needs nodes", "//a"),
    ("'a' | //b", "needs nodes", "//a"),
    ("'a'[1]", "needs nodes", "//a"),
    ("//a/up::b", "up is no axis", "preceding-sibling"),
    ("//a/namespace::*", "namespace is not served", "namespace-uri()"),
    ("//a['x]", "' has no meaning here", "same quote"),
    ("//a#b", "# has no meaning here", "grammar"),
    ("(" * (NESTING + 1) + "1" + ")" * (NESTING + 1), f"deeper than {NESTING}", "less nesting"),
    ("", "ends too early", "grammar"),
]


@pytest.mark.parametrize(("expression", "reason", "hint"), WRONG)
def test_a_wrong_expression_gets_the_hint_that_fits(
    expression: str, reason: str, hint: str
) -> None:
    with pytest.raises(Problem) as caught:
        read_xpath(expression, {})
    assert reason in caught.value.message
    assert hint in caught.value.hint


def test_long_chains_need_no_stack() -> None:
    long = " + ".join(["1"] * 5_000) + " = 5000"
    assert is_decided(long, "<r/>")
    assert reference.holds(
        XmlBlock((XPathPattern(" or ".join(["//b"] * 2_000)),)), xml_event("<r><b/></r>")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_xpath("/".join(["a"] * 5_000), {})
