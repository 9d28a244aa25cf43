"""Spec 4.3, 4.5, 5.3 and 5.5: what one document matches and what is built from it, on the reference
and the engine.
"""

from __future__ import annotations

import pytest

from tests.engine.xml.worlds import xml_event
from tests.languages.exmlql.asking import block_of, matches, outputs, parsed, rows
from tocsin.events.codecs.base.cloudevents import from_mapping
from tocsin.plan.nodes.composites import Send
from tocsin.plan.xml.construction import skolem_value
from tocsin.plan.xml.xml_patterns import PatternElement, PatternNode, node_table

PAID = "WHERE <orderpay> <pay>finished</> <deliver>ok</> <pn>$pn</> </>"
ADA = "<author><firstname>Ada</firstname><lastname>Lovelace</lastname></author>"
BOOKS = f"<shelf><book>{ADA}<title>A</title></book><book>{ADA}<title>B</title></book>{{}}</shelf>"
FIGURE_4 = """
WHERE <$><author><firstname>$fn</><lastname>$ln</></><title>$t</></>
CONSTRUCT <OutputXML><person ID=PersonID($fn,$ln)><firstname>$fn</><lastname>$ln</><publicationtitle>$t</></></>
"""
PERSON = (
    '<person ID="PersonID-5e34c0f66af40040"><firstname>Ada</firstname><lastname>Lovelace</lastname>'
    "<publicationtitle>A</publicationtitle><publicationtitle>B</publicationtitle></person>"
)


def order(inside: str) -> str:
    return f"<orderpay>{inside}</orderpay>"


CASES = [
    ("figure 5", PAID, order("<pay>finished</pay><deliver>ok</deliver><pn>42</pn>"), True),
    ("figure 5, not paid", PAID, order("<pay>open</pay><deliver>ok</deliver><pn>42</pn>"), False),
    (
        "row 10, siblings out of order",
        PAID,
        order("<deliver>ok</deliver><pay>finished</pay><pn>42</pn>"),
        False,
    ),
    (
        "row 11, another sibling between",
        PAID,
        order("<pay>finished</pay><x/><deliver>ok</deliver><pn>1</pn>"),
        True,
    ),
    (
        "row 12, primary element at level 2",
        PAID,
        f"<batch>{order('<pay>finished</pay><deliver>ok</deliver><pn>42</pn>')}</batch>",
        True,
    ),
    ("row 13, no level between", "WHERE <a><*><b>1</></></>", "<a><b>1</b></a>", False),
    ("row 13, one level between", "WHERE <a><*><b>1</></></>", "<a><x><b>1</b></x></a>", True),
    (
        "row 13, two levels between",
        "WHERE <a><*><b>1</></></>",
        "<a><x><y><b>1</b></y></x></a>",
        False,
    ),
    ("row 14", "WHERE <a><b><c>1</></></>", "<a><b><c>0</c></b><b><c>1</c></b></a>", True),
    (
        "row 17, blanks around",
        PAID,
        order("<pay> finished </pay><deliver>ok</deliver><pn>42</pn>"),
        True,
    ),
    ("row 17, capital", PAID, order("<pay>Finished</pay><deliver>ok</deliver><pn>42</pn>"), False),
    ("M4 for the first element", 'WHERE <a k="1"></>', '<a k="2"/>', False),
    ("M4, attribute", 'WHERE <a k="1"></>', '<b><a k="1"/></b>', True),
    ("M4, attribute missing", "WHERE <a k=$v></>", "<a/>", False),
    ("M6, equal", "WHERE <a><b>$x</><c>$x</></>", "<a><b>1</b><c> 1 </c></a>", True),
    ("M6, unequal", "WHERE <a><b>$x</><c>$x</></>", "<a><b>1</b><c>2</c></a>", False),
    ("M6, attribute and content", "WHERE <a k=$x><b>$x</></>", '<a k="7"><b>7</b></a>', True),
    (
        "M6, elements",
        "WHERE <a><b>$x</><c>$x</></>",
        "<a><b><i k='1' j='2'/></b><c><i j='2' k='1'></i></c></a>",
        True,
    ),
    (
        "M6, unequal elements",
        "WHERE <a><b>$x</><c>$x</></>",
        "<a><b><i/></b><c><j/></c></a>",
        False,
    ),
    ("a star with a test is a node", 'WHERE <a><* k="1"><b></></></>', "<a><x><b/></x></a>", False),
    (
        "a star shared by two",
        "WHERE <a><*><b></><c></></></>",
        "<a><x><b/></x><x><c/></x></a>",
        False,
    ),
    (
        "a star shared by two, one element",
        "WHERE <a><*><b></><c></></></>",
        "<a><x><b/><c/></x></a>",
        True,
    ),
    ("a star as leaf", "WHERE <a><*></></>", "<a>text</a>", False),
    ("own text, not that of children", "WHERE <a>1</>", "<a><b>1</b></a>", False),
    ("own text around children", "WHERE <a>12</>", "<a>1<b>x</b>2</a>", True),
    ("empty content is no constraint", "WHERE <a></>", "<a>text<b/></a>", True),
    (
        "unlabelled patterns are about one event",
        "WHERE <a>$x</> <b>$x</>",
        "<r><b>1</b><a>1</a></r>",
        True,
    ),
    (
        "unlabelled patterns, one missing",
        "WHERE <a>$x</> <b>$x</>",
        "<r><b>2</b><a>1</a></r>",
        False,
    ),
    ("number as number", "WHERE <a>$x</>, $x = 5.0", "<a>5</a>", True),
    ("number in order", "WHERE <a>$x</> $x >= 10", "<a>9</a>", False),
    ("no order of texts", 'WHERE <a>$x</> $x < "b"', "<a>a</a>", False),
    ("texts unequal", 'WHERE <a>$x</> $x != "b"', "<a>a</a>", True),
    (
        "variable with variable",
        "WHERE <a><b>$x</><c>$y</></>, $x < $y",
        "<a><b>9</b><c>10</c></a>",
        True,
    ),
    ("namespace", 'NAMESPACE p = "u:1" WHERE <p:a></>', '<a xmlns="u:1"/>', True),
    ("a bare name is in no namespace", "WHERE <a></>", '<a xmlns="u:1"/>', False),
    (
        "attribute in a namespace",
        'NAMESPACE p = "u:1" WHERE <a p:k="1"></>',
        '<a xmlns:q="u:1" q:k="1"/>',
        True,
    ),
    ("xpath", 'WHERE XPATH "//b[2]"', "<a><b/><b/></a>", True),
    ("xpath, nothing there", 'WHERE XPATH "//b[2]"', "<a><b/></a>", False),
    ("xpath, a truth value", 'WHERE XPATH "count(//b) = 2"', "<a><b/><b/></a>", True),
    ("xpath, a number that is none", 'WHERE XPATH "0 div 0"', "<a/>", False),
    (
        "xpath beside a pattern",
        'WHERE XPATH "//@id" CONTENT_AS $x <ref>$x</>',
        '<a id="7"><ref>7</ref></a>',
        True,
    ),
    ("forward to itself", "WHERE <a></> #A #A => #A", "<a/>", True),
    ("trigger to itself", "WHERE <a></> #A #A ~> #A", "<a/>", True),
]


@pytest.mark.parametrize(
    ("text", "xml", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_a_document_matches(text: str, xml: str, expected: bool) -> None:
    assert matches(text, xml) is expected


def test_row_15_one_output_for_each_row() -> None:
    assert outputs(
        "WHERE <a><b>$x</></> CONSTRUCT <o>$x</>", "<a><b>1</b><b>2</b><b>1</b></a>"
    ) == [
        "<o>1</o>",
        "<o>2</o>",
    ]


def test_row_16_a_forwarded_document_goes_once() -> None:
    plan = parsed("WHERE <a><b>$x</></>")
    assert plan.output == Send()


def test_figure_4_groups_by_skolem_term() -> None:
    assert outputs(FIGURE_4, BOOKS.format("")) == [f"<OutputXML>{PERSON}</OutputXML>"]


def test_figure_4_a_second_author_is_a_second_person() -> None:
    other = "<book><author><firstname>Alan</firstname><lastname>Turing</lastname></author><title>C</title></book>"
    turing = skolem_value("PersonID", ["Alan", "Turing"])
    assert outputs(FIGURE_4, BOOKS.format(other)) == [
        f'<OutputXML>{PERSON}<person ID="{turing}"><firstname>Alan</firstname><lastname>Turing</lastname>'
        "<publicationtitle>C</publicationtitle></person></OutputXML>"
    ]


def test_skolem_values_of_the_spec() -> None:
    assert skolem_value("PersonID", ["Ada", "Lovelace"]) == "PersonID-5e34c0f66af40040"
    assert skolem_value("PersonID", ["AdaL", "ovelace"]) != "PersonID-5e34c0f66af40040"


def test_figure_5_builds_a_result_from_the_joined_rows() -> None:
    """One document that holds both, so that the rows are those of the join."""
    text = """
    WHERE <person> <name></> ELEMENT_AS $n <personnumber>$pn</> </>
          <orderpay> <pay>finished</> <deliver>ok</> <pn>$pn</> </>
    CONSTRUCT <result><pn>$pn</>$n</>
    """
    paid = order("<pay>finished</pay><deliver>ok</deliver><pn>42</pn>")
    person = "<person><name>Li</name><personnumber>42</personnumber></person>"
    assert outputs(text, f"<both>{paid}{person}</both>") == [
        "<result><pn>42</pn><name>Li</name></result>"
    ]


def test_values_are_copied_with_their_markup_and_escaped_without() -> None:
    text = 'WHERE <a k=$k><b>$c</> ELEMENT_AS $e <$n></></> CONSTRUCT <o k=$k c=$c n="&">$n" & "$c$e</>'
    xml = '<a k="&lt;&quot;"><b i="1">x<i>&amp;</i></b><tail/></a>'
    assert outputs(text, xml) == [
        '<o k="&lt;&quot;" c="x&amp;" n="&amp;">tail &amp; x<i>&amp;</i><b i="1">x<i>&amp;</i></b></o>'
    ]


def test_several_templates_are_several_events() -> None:
    text = "WHERE <a><b>$x</></> CONSTRUCT <one>$x</> <all><each>$x</></> <none>text</>"
    assert outputs(text, "<a><b>1</b><b>2</b></a>") == [
        "<one>1</one>",
        "<one>2</one>",
        "<all><each>1</each></all>",
        "<all><each>2</each></all>",
        "<none>text</none>",
    ]


def test_prefixes_of_a_template_are_declared_where_it_begins() -> None:
    text = 'NAMESPACE p = "u:1" WHERE <p:a>$x</> CONSTRUCT <p:o><i p:k=$x></></p:o>'
    assert outputs(text, '<a xmlns="u:1">1</a>') == ['<p:o xmlns:p="u:1"><i p:k="1"></i></p:o>']


def test_copied_elements_keep_their_namespaces() -> None:
    text = 'NAMESPACE p = "u:1" WHERE <p:a><p:b></> ELEMENT_AS $x</> CONSTRUCT <o>$x</>'
    assert outputs(text, '<q:a xmlns:q="u:1" xmlns:r="u:2"><q:b r:k="1"/></q:a>') == [
        '<o><q:b xmlns:q="u:1" xmlns:r="u:2" r:k="1"></q:b></o>'
    ]


def test_the_node_table_of_figure_5() -> None:
    pattern = block_of(PAID).patterns[0]
    assert isinstance(pattern, PatternElement)
    assert node_table(pattern) == (
        PatternNode("orderpay", 0, 0, 0, 1),
        PatternNode("pay", 1, 0, 1, 2),
        PatternNode("deliver", 1, 0, 1, 3),
        PatternNode("pn", 1, 0, 0, None),
    )


def test_a_star_raises_the_relative_position() -> None:
    pattern = block_of("WHERE <a><*><*><b>1</></></><c></></>").patterns[0]
    assert isinstance(pattern, PatternElement)
    assert [(node.name, node.rel, node.level) for node in node_table(pattern)] == [
        ("a", 0, 0),
        ("b", 3, 1),
        ("c", 1, 0),
    ]


def test_rows_are_in_document_order() -> None:
    block = block_of("WHERE <r><a>$x</><b>$y</></>")
    found = rows(block, xml_event("<r><a>1</a><a>2</a><b>3</b><a>1</a><b>4</b></r>"))
    assert [tuple(value for _, value in row) for row in found] == [
        ("1", "3"),
        ("1", "4"),
        ("2", "3"),
        ("2", "4"),
    ]


def test_json_is_asked_through_its_document() -> None:
    event = from_mapping(
        {"id": "1", "source": "s", "type": "t", "data": {"order": {"id": 5, "line": ["x", "y"]}}}
    )
    assert rows(block_of("WHERE <order><id>5</></> <line>$l</>"), event) == (
        (("$l", "x"),),
        (("$l", "y"),),
    )


def test_texts_and_numbers_of_an_xpath_expression_are_bound() -> None:
    event = xml_event("<a><b>x</b><b>y</b></a>")
    assert rows(block_of('WHERE XPATH "count(//b)" CONTENT_AS $n'), event) == ((("$n", "2"),),)
    assert rows(block_of('WHERE XPATH "count(//b) div 4" CONTENT_AS $n'), event) == (
        (("$n", "0.5"),),
    )
    assert rows(block_of('WHERE XPATH "string(//b[2])" CONTENT_AS $s'), event) == ((("$s", "y"),),)
    assert rows(block_of('WHERE XPATH "string(//b[3])" CONTENT_AS $s'), event) == ()
    assert rows(block_of('WHERE XPATH "count(//c)"'), event) == ()


def test_variables_of_tags_bind_local_names() -> None:
    assert rows(
        block_of("WHERE <a><$n>1</></>"), xml_event('<a><p:b xmlns:p="u:1">1</p:b><c>2</c></a>')
    ) == ((("$n", "b"),),)
