"""Documents without an envelope: XML, RDF and EPCIS files. What an event needs comes from
the file.
"""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.connectors.reading import ids, pieces, read, written
from tests.events.epcis.test_inside import LATER, MOVED
from tests.events.epcis.writing import as_document, as_xml
from tocsin.connectors.events import ReadOptions, Split
from tocsin.errors import LimitProblem
from tocsin.events.codecs.columns import Columns
from tocsin.events.codecs.formats import Format
from tocsin.values.time import format_instant

INVOICE = """<?xml version="1.0" encoding="UTF-8"?>
<Invoice xmlns="urn:oasis:invoice" xmlns:cbc="urn:oasis:basic">
  <cbc:ID schemeID="x">7</cbc:ID>
  <cbc:IssueDate>2026-01-31</cbc:IssueDate>
  <cbc:Total>12.50</cbc:Total>
</Invoice>
"""
ORDERS = """<orders xmlns:o="urn:o">
  <o:order no="1"><sum>5</sum></o:order>
  <!-- a remark -->
  <o:order no="2"><sum>6</sum></o:order>
  <note>to all</note>
</orders>"""
CHILDREN = ReadOptions(split=Split.CHILDREN)
TURTLE = "@prefix : <urn:x:> .\n_:H a :Sale ; :price 5 .\n"
SALE = "urn:x:Sale"


@pytest.mark.parametrize("name", ["invoice.xml", "invoice", "invoice.xml.gz", "invoice.jsonl"])
def test_an_invoice_is_an_event(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path, name, gzip.compress(INVOICE.encode()) if name.endswith(".gz") else INVOICE
    )
    (event,), problems = read(path)
    assert problems == []
    assert (event.id, event.source, event.type) == (f"{name}#1", name, "Invoice")
    assert event.interval is None
    assert event.envelope["datacontenttype"] == "application/xml"
    assert event.attributes["ID"] == {"@schemeID": "x", "#text": "7"}
    assert event.document.tag == "{urn:oasis:invoice}Invoice"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_xml_is_read_in_its_encoding(tmp_path: Path, encoding: str) -> None:
    text = f'<?xml version="1.0" encoding="{encoding.removesuffix("-sig")}"?>\n<a>Köln</a>'
    (event,), problems = read(written(tmp_path, "a.xml", text.encode(encoding)))
    assert problems == []
    assert event.attributes == {"#text": "Köln"}


def test_fields_of_a_document_are_where_the_columns_say(tmp_path: Path) -> None:
    columns = Columns.parse("id=ID,time=IssueDate,type='invoice'", "Europe/Berlin")
    (event,), problems = read(written(tmp_path, "a.xml", INVOICE), ReadOptions(columns=columns))
    assert problems == []
    assert (event.id, event.source, event.type) == ("7", "a.xml", "invoice")
    assert event.envelope["time"] == "2026-01-30T23:00:00Z"


def test_the_time_of_documents_may_be_told(tmp_path: Path) -> None:
    path = written(tmp_path, "a.xml", INVOICE)
    os.utime(path, (1_767_225_600, 1_767_225_600))
    (event,), _ = read(path, ReadOptions(time="modified"))
    assert event.envelope["time"] == "2026-01-01T00:00:00Z"
    (event,), _ = read(path, ReadOptions(time="2026-02-01T00:00:00Z"))
    assert event.interval is not None
    assert format_instant(event.interval.end) == "2026-02-01T00:00:00Z"


@pytest.mark.parametrize("name", ["orders.xml", "orders.xml.gz"])
def test_each_child_of_the_root_may_be_an_event(tmp_path: Path, name: str) -> None:
    path = written(
        tmp_path, name, gzip.compress(ORDERS.encode()) if name.endswith(".gz") else ORDERS
    )
    events, problems = read(path, CHILDREN)
    assert problems == []
    assert [(each.id, each.type) for each in events] == [
        (f"{name}#1", "order"),
        (f"{name}#2", "order"),
        (f"{name}#3", "note"),
    ]
    assert events[1].document.tag == "{urn:o}order"
    assert events[1].attributes == {"@no": "2", "sum": "6"}
    assert [piece.line for piece in pieces(path, CHILDREN)] == [2, 4, 5]
    assert ids(read(path)[0]) == [f"{name}#1"]


def test_children_before_a_break_are_served(tmp_path: Path) -> None:
    events, problems = read(written(tmp_path, "o.xml", ORDERS.replace("<note>", "<note")), CHILDREN)
    assert ids(events) == ["o.xml#1", "o.xml#2"]
    assert "malformed XML" in problems[0][1].message


def test_a_document_may_be_longer_than_an_event_but_no_child(tmp_path: Path) -> None:
    child = "<item>" + "x" * 500_000 + "</item>"
    events, problems = read(written(tmp_path, "o.xml", f"<all>{child * 12}</all>"), CHILDREN)
    assert (len(events), problems) == (12, [])
    events, problems = read(
        written(tmp_path, "o.xml", f"<all><a/><item>{child * 12}</item></all>"), CHILDREN
    )
    assert ids(events) == ["o.xml#1"]
    assert isinstance(problems[0][1], LimitProblem)
    assert isinstance(
        read(written(tmp_path, "o.xml", f"<all>{child * 12}</all>"))[1][0][1], LimitProblem
    )


@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE a [<!ENTITY e "x">]>',
        '<!DOCTYPE a SYSTEM "file:///etc/hostname">',
        "<!DOCTYPE a [<!ELEMENT a ANY>]>",
    ],
)
def test_declarations_are_refused_in_children_too(tmp_path: Path, declared: str) -> None:
    path = written(tmp_path, "a.xml", f"{declared}<a><b>&e;</b></a>")
    for reading in (CHILDREN, ReadOptions()):
        events, problems = read(path, reading)
        assert events == []
        assert len(problems) == 1
    assert read(written(tmp_path, "a.xml", "<!DOCTYPE a><a><b>c</b></a>"), CHILDREN)[1] == []


@pytest.mark.parametrize("reading", [ReadOptions(), CHILDREN, ReadOptions(format=Format.EPCIS)])
def test_an_epcis_document_has_its_events_deeper(tmp_path: Path, reading: ReadOptions) -> None:
    events, problems = read(
        written(tmp_path, "a.xml", as_xml(MOVED, LATER).replace("><", ">\n<")), reading
    )
    assert problems == []
    assert [each.type for each in events] == ["ObjectEvent"] * 2
    assert events[0].envelope["time"] == MOVED["eventTime"]


def test_documents_in_lines(tmp_path: Path) -> None:
    text = "<o><sum>5</sum></o>\n\n<o><sum></o>\n" + as_xml(MOVED) + "\n<o><sum>6</sum></o>\n"
    events, problems = read(written(tmp_path, "a.xml", text))
    assert [each.type for each in events] == ["o", "ObjectEvent", "o"]
    assert [line for line, _ in problems] == [3]
    assert [each.id for each in events if each.type == "o"] == ["a.xml#1", "a.xml#5"]


def test_wrong_xml_is_one_message(tmp_path: Path) -> None:
    for text in ("<a>\n<b>\n</a>\n", "<a", "< a\n<b/>", "just text\nmore"):
        events, problems = read(written(tmp_path, "a.xml", text))
        assert events == []
        assert len(problems) == 1


RDF = {
    "a.ttl": TURTLE,
    "a.turtle": TURTLE,
    "a": TURTLE,
    "b.ttl": "[] a <urn:x:Sale> ; <urn:x:price> 5 .",
    "a.nt": '_:H <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:x:Sale> .\n_:H <urn:x:price> "5" .\n',
    "b": '<urn:ops:H> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:x:Sale> .\n<urn:ops:H> <urn:x:p> "5" .\n',
    "a.rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:x:">\n<Sale/></rdf:RDF>',
    "a.xml": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="urn:x:">\n<Sale/></rdf:RDF>',
    "a.jsonld": json.dumps({"@type": SALE, "urn:x:price": 5}, indent=2),
    "a.json": json.dumps({"@type": SALE, "urn:x:price": 5}, indent=2),
    "b.jsonld": json.dumps([{"@type": [SALE], "urn:x:price": [{"@value": 5}]}]),
    "c.jsonld": json.dumps(
        {"@context": {"x": "urn:x:"}, "@graph": [{"@type": "x:Sale", "x:price": 5}]}
    ),
}


@pytest.mark.parametrize("name", RDF)
@pytest.mark.parametrize("packed", [False, True])
def test_an_rdf_document_is_an_event(tmp_path: Path, name: str, packed: bool) -> None:
    content = RDF[name].encode()
    name = f"{name}.gz" if packed else name
    (event,), problems = read(
        written(tmp_path, name, gzip.compress(content) if packed else content)
    )
    assert problems == []
    assert (event.id, event.source) == (f"{name}#1", name)
    assert event.graph.types[event.graph.home] == (SALE,)


def test_cloudevents_and_epcis_in_json_ld_keep_what_they_say(tmp_path: Path) -> None:
    enveloped = {"id": "1", "source": "s", "type": "t", "@context": {}, "data": {}}
    events, problems = read(
        written(tmp_path, "a.jsonld", json.dumps([enveloped, as_document(MOVED)]))
    )
    assert problems == []
    assert [each.type for each in events] == ["t", "ObjectEvent"]


def test_broken_rdf_is_one_message(tmp_path: Path) -> None:
    for name in ("a.ttl", "a.nt", "a.rdf"):
        events, problems = read(written(tmp_path, name, "@prefix : <urn:x:>\n:a :b\n"))
        assert events == []
        assert len(problems) == 1
