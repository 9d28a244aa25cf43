"""A miss of an XML block names the element, attribute, text or condition that fails, at the nearest
place.
"""

from __future__ import annotations

import pytest

from tests.engine.xml.worlds import xml_event
from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.explain.xml_misses import miss_of
from tocsin.plan.xml.xml_patterns import XmlBlock

RATES = Definition("rates", document="<rates><rate cur='USD'>1.25</rate></rates>")
XML = "<r><a k='1'><b>x</b><c>3</c></a><a k='2'><b>y</b></a></r>"

MISSES = [
    ("WHERE <z></>", "there is no <z>"),
    ("WHERE <r.z></>", "there is no <r.z>"),
    ("WHERE <r>t</>", "/r: its text is '', not 't'"),
    ('WHERE <r k="1"></>', "/r: it has no attribute k with '1'"),
    ("WHERE <r k=$k></>", "/r: it has no attribute k"),
    ('WHERE <a k="3"></>', "/r/a[1]: its attribute k is '1', not '3'"),
    ('WHERE <a $k="3"></>', "/r/a[1]: it has no attribute any name with '3'"),
    ("WHERE <a><z></></>", "/r/a[1]: there is no <z> directly in it"),
    ("WHERE <r><*><z></></></>", "/r: there is no <z> 2 levels below it"),
    # the first <a> is nearer than the second
    ("WHERE <a><b>x</><c>4</></>", "/r/a[1]/c: its text is '3', not '4'"),
    ("WHERE <a><c></><b></></>", "/r/a[1]: not in this order, one behind the other: <c> then <b>"),
    ("WHERE <a><c>$c</></>, $c > 5", "$c > \"5\" is not met: $c is '3'"),
    (
        "WHERE <b>$b</>, number($b) > 5",
        "number($b) > \"5\" is unknown: $b is 'x', nor in 1 other rows",
    ),
    ("WHERE <a k=$x><b>$x</></>", "where a variable stands twice: $x"),
    ("WHERE <a k=$x></> <b>$x</>", "nothing fits <b>$x</> with what is bound before: $x is '1'"),
    (
        'WHERE <a k=$x></>, <rate cur=$x></> IN "rates"',
        "IN \"rates\" with what is bound before: $x is '1'",
    ),
    (
        'WHERE <a></>, <rate cur="EUR"></> IN "rates"',
        "in the document 'rates': /rates/rate: its attribute cur is 'USD'",
    ),
    (
        "WHERE <a>$x</>, <z></> IN $x",
        "nothing fits <z></> IN $x with what is bound before: $x is '<b>x</b>",
    ),
    ('WHERE XPATH "//z"', "XPATH '//z' selects nothing, or is false"),
]


def miss(text: str, xml: str) -> str:
    block: object = compile_subscription(Subscription("s", "exmlql", text), [RATES]).pattern
    assert isinstance(block, XmlBlock)
    return miss_of(block, xml_event(xml))


@pytest.mark.parametrize(("text", "reason"), MISSES, ids=[case[0] for case in MISSES])
def test_a_miss_has_its_reason(text: str, reason: str) -> None:
    assert reason in miss(text, XML)


def test_a_document_that_cannot_be_read() -> None:
    assert miss("WHERE <a></>", "<a") == "it has no XML document that can be read"


SPACES = (
    "<order xmlns='urn:x' xmlns:y='urn:y' y:k='1'><id>7</id><y:id>8</y:id><z xmlns=''>9</z></order>"
)
OTHER_SPACES = [
    (
        "WHERE <order></>",
        "there is a <order> in the namespace 'urn:x', and the pattern asks for one in none: begin",
    ),
    (
        'NAMESPACE p = "urn:z" WHERE <p:order></>',
        "in the namespace 'urn:x', and the pattern asks for one in 'urn:z'",
    ),
    (
        'NAMESPACE p = "urn:x" WHERE <p:order><id>7</></>',
        'begin with NAMESPACE p = "urn:x" and write <p:id>',
    ),
    (
        'NAMESPACE p = "urn:x" WHERE <p:order><p:z>9</></>',
        "there is a <z> in no namespace, and the pattern asks for",
    ),
    ('NAMESPACE p = "urn:x" WHERE <p:order k="1"></>', "there is a <k> in the namespace 'urn:y'"),
    ("WHERE <order.id>7</>", "there is a <order> in the namespace 'urn:x'"),
    ('WHERE XPATH "/order/id"', "there is a <order> in the namespace 'urn:x'"),
]


@pytest.mark.parametrize(("text", "reason"), OTHER_SPACES, ids=[case[0] for case in OTHER_SPACES])
def test_a_miss_that_the_namespace_explains(text: str, reason: str) -> None:
    assert reason in miss(text, SPACES)


@pytest.mark.parametrize(
    "text",
    ["WHERE <a></>", 'NAMESPACE p = "urn:x" WHERE <p:order><p:id>9</></>', 'WHERE XPATH "//q"'],
)
def test_a_miss_that_it_does_not_explain(text: str) -> None:
    assert "namespace" not in miss(text, SPACES)
