"""Bad documents: refused with a code and a reason, the next event is served, and small blocks of
evil stay small.
"""

from __future__ import annotations

import base64
import json

import pytest

from tests.engine.xml.worlds import xml_event
from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher
from tocsin.errors import LimitProblem, Problem
from tocsin.events.views.document import DocumentLimits, parse_xml
from tocsin.plan.xml.xml_patterns import (
    MAX_ROWS,
    BoundTo,
    PatternElement,
    VariableBinding,
    XmlBlock,
)
from tocsin.runtime.finite_run import read_events

LAUGHS = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
MALFORMED, LIMIT = "MalformedEvent", "EventLimitError"


def line(data: str | bytes) -> bytes:
    """A CloudEvent that holds the data as XML: text as it is, bytes in base64."""
    body = (
        {"data": data}
        if isinstance(data, str)
        else {"data_base64": base64.b64encode(data).decode()}
    )
    envelope = {"id": "1", "source": "s", "type": "t", "datacontenttype": "application/xml"}
    return json.dumps(envelope | body).encode()


@pytest.mark.parametrize(
    ("data", "code", "reason"),
    [
        pytest.param(
            f'<!DOCTYPE o [<!ENTITY e0 "lol">{LAUGHS}]><o>&e9;</o>',
            MALFORMED,
            "entities",
            id="billion laughs",
        ),
        pytest.param(
            "<!DOCTYPE o [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><o>&e;</o>",
            MALFORMED,
            "document type",
            id="external entity",
        ),
        pytest.param(
            "<!DOCTYPE o [<!ELEMENT o ANY>]><o/>",
            MALFORMED,
            "document type",
            id="document type alone",
        ),
        pytest.param("<a>" + "x" * 10_000_000 + "</a>", LIMIT, "the limit", id="10 MB in an event"),
        pytest.param("<a>" * 10_000 + "</a>" * 10_000, LIMIT, "deep", id="depth 10,000"),
        pytest.param("<a>" * 129 + "</a>" * 129, LIMIT, "128 levels", id="depth 129"),
        pytest.param(
            "<a>" + "<b/>" * 100_000 + "</a>", LIMIT, "100,000 elements", id="100,001 elements"
        ),
        pytest.param(b"<a>\xff\xfe</a>", MALFORMED, "encoding", id="not in UTF-8"),
        pytest.param(
            b"<?xml version='1.0' encoding='x-none'?><a/>",
            MALFORMED,
            "not served",
            id="no encoding",
        ),
        pytest.param("<p:a/>", MALFORMED, "Namespace prefix p", id="undeclared prefix"),
        pytest.param(
            "<a p:k='1'/>", MALFORMED, "Namespace prefix p", id="undeclared prefix of an attribute"
        ),
        pytest.param("<a><b></a>", MALFORMED, "", id="not well-formed"),
        pytest.param("", MALFORMED, "", id="empty"),
    ],
)
def test_a_bad_document_is_refused_and_the_stream_goes_on(
    data: str | bytes, code: str, reason: str
) -> None:
    found = read_events([line(data), line("<good/>").replace(b'"id": "1"', b'"id": "2"')])
    assert [event.id for event in found.events] == ["2"]
    (letter,) = found.dead_letters
    assert (letter.line, letter.code) == (1, code)
    assert reason in letter.reason
    assert len(letter.input) <= 4096


def test_limits_are_configurable() -> None:
    small = DocumentLimits(characters=100, depth=3, elements=4)
    assert parse_xml("<a><b><c/></b><d/></a>", small).tag == "a"
    for text in ("<a><b><c><d/></c></b></a>", "<a><b/><c/><d/><e/></a>", f"<a>{'x' * 100}</a>"):
        with pytest.raises(LimitProblem):
            parse_xml(text, small)


def leaf(variable: str) -> PatternElement:
    return PatternElement("i", 1, bindings=(VariableBinding(BoundTo.CONTENT, variable),))


def test_rows_without_end_are_cut_off() -> None:
    """Six variables over 100 elements: more than 10^9 rows, of which the first ones count."""
    block = XmlBlock((PatternElement("r", children=tuple(leaf(f"$v{n}") for n in range(6))),))
    event = xml_event("<r>" + "".join(f"<i>{n}</i>" for n in range(100)) + "</r>")
    matcher = BlockMatcher()
    matcher.add("s", block)
    assert len(matcher.match(Batch([event]))) == 1
    rows = matcher.rows(block, event)
    assert len(rows) == MAX_ROWS
    assert rows[0] == tuple((f"$v{n}", str(n)) for n in range(6))


def test_variables_that_never_agree_do_not_take_forever() -> None:
    """Twelve equal values among 300 different ones: by every mapping more than 10^20 tries."""
    block = XmlBlock((PatternElement("r", children=(leaf("$x"),) * 12),))
    event = xml_event("<r>" + "".join(f"<i>{n}</i>" for n in range(300)) + "</r>")
    matcher = BlockMatcher()
    matcher.add("s", block)
    assert len(matcher.match(Batch([event]))) == 0


@pytest.mark.parametrize(
    "prolog",
    [
        "<!DOCTYPE o>",
        "<?xml version='1.0'?>\n<!-- <!DOCTYPE x [ -->\n<?p q?><!DOCTYPE\n o\t>\n<!-- after -->",
        "\n" * 3 + "<!DOCTYPE o >",
    ],
)
def test_a_document_type_that_only_names_the_root_is_harmless(prolog: str) -> None:
    text = prolog.lstrip() if prolog.startswith("\n") else prolog
    assert parse_xml(f"{text}<o><i>1</i></o>").findtext("i") == "1"


def test_many_comments_before_a_document_type_cost_no_more_than_their_length() -> None:
    with pytest.raises(Problem, match="document type"):
        parse_xml("<!-- a -->" * 5_000 + "<!DOCTYPE o [<!ELEMENT o ANY>]><o/>")


def test_a_text_may_be_as_long_as_an_event() -> None:
    size = (4 << 20) - 100
    assert len(str(parse_xml(f"<o>{'x' * size}</o>").text)) == size
    assert len(str(parse_xml(f"<o k='{'x' * size}'/>").get("k"))) == size
    with pytest.raises(Problem, match="EventLimitError"):
        parse_xml(f"<o>{'x' * (4 << 20)}</o>")
