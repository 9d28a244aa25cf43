"""Business documents of ten kinds, and blocks that ask for customers, articles and states in them,
drawn from a seed.

An article is one of 100,000, a customer one of 20,000, so that few blocks match a document. Each
block is also an XPath expression with the same meaning, for the baseline: siblings in order, texts
as they stand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tocsin.events.event import Event
from tocsin.plan.xml.xml_patterns import (
    AttributeTest,
    BoundTo,
    PatternElement,
    VariableBinding,
    XmlBlock,
)

KINDS = tuple("order invoice despatch receipt quote offer waybill return credit reminder".split())
ARTICLES = 100_000
CUSTOMERS = 20_000
WAREHOUSES = 50
COUNTRIES = tuple("AT BE BR CA CH CN CZ DE DK ES FR GB IN IT JP NL PL PT SE US".split())
STATES = ("new", "checked", "late", "closed")

_HEADER_BYTES, _LINE_BYTES = 190, 115
"""About what the header and one line of a document take."""


@dataclass(frozen=True, slots=True)
class AskedBlock:
    """One block, in E-XML-QL, as the plan has it, and as the XPath expression that is true for the
    same documents.
    """

    text: str
    block: XmlBlock
    xpath: str


@dataclass(frozen=True, slots=True)
class XmlWorkload:
    """So many blocks, and documents of about so many bytes."""

    blocks: int
    document_bytes: int
    seed: int

    def asked(self) -> Iterator[AskedBlock]:
        """The blocks, four forms in turn."""
        random = Random(self.seed)
        for number in range(self.blocks):
            yield _FORMS[number % len(_FORMS)](random)

    def events(self, count: int) -> list[Event]:
        """Documents as events, not yet parsed."""
        random = Random(self.seed + 1)
        return [_event(number, document(random, self.document_bytes)) for number in range(count)]


def document(random: Random, size: int) -> str:
    """The text of a document of about so many bytes."""
    kind = random.choice(KINDS)
    lines = "".join(
        _line(random, number) for number in range(max(1, (size - _HEADER_BYTES) // _LINE_BYTES))
    )
    return (
        f'<{kind} version="2"><header><id>{random.randrange(10**9)}</id>'
        f"<customer>c{random.randrange(CUSTOMERS)}"
        f"</customer><country>{random.choice(COUNTRIES)}</country><currency>EUR</currency>"
        f"<status>{random.choice(STATES)}</status></header><lines>{lines}</lines></{kind}>"
    )


def _line(random: Random, number: int) -> str:
    return (
        f'<line no="{number}"><article>a{random.randrange(ARTICLES)}</article>'
        f"<quantity>{random.randrange(1, 100)}</quantity>"
        f"<price>{random.randrange(100, 99_999) / 100}</price>"
        f"<warehouse>w{random.randrange(WAREHOUSES)}"
        "</warehouse></line>"
    )


def _event(number: int, xml: str) -> Event:
    envelope = {
        "id": f"d{number}",
        "source": "bench",
        "type": "document",
        "datacontenttype": "application/xml",
    }
    return Event(envelope, xml, None)


def _customer(random: Random) -> AskedBlock:
    kind, customer, country = (
        random.choice(KINDS),
        f"c{random.randrange(CUSTOMERS)}",
        random.choice(COUNTRIES),
    )
    return AskedBlock(
        f"WHERE <{kind}><header><customer>{customer}</><country>{country}</></></>",
        _block(
            PatternElement(
                kind,
                children=(
                    _holding("header", _leaf("customer", customer), _leaf("country", country)),
                ),
            )
        ),
        f"boolean(//{kind}/header[customer[.='{customer}']/following-sibling::country[.='{country}']])",
    )


def _article(random: Random) -> AskedBlock:
    article, warehouse = f"a{random.randrange(ARTICLES)}", f"w{random.randrange(WAREHOUSES)}"
    inside = (_leaf("article", article), _bound("quantity", "$q"), _leaf("warehouse", warehouse))
    return AskedBlock(
        f"WHERE <line><article>{article}</><quantity>$q</><warehouse>{warehouse}</></>",
        _block(PatternElement("line", children=inside)),
        f"boolean(//line[article[.='{article}']/following-sibling::quantity"
        f"/following-sibling::warehouse[.='{warehouse}']])",
    )


def _article_of_kind(random: Random) -> AskedBlock:
    kind, article = random.choice(KINDS), f"a{random.randrange(ARTICLES)}"
    line = PatternElement("line", 2, children=(_leaf("article", article),))
    return AskedBlock(
        f"WHERE <{kind}><*><line><article>{article}</></></></>",
        _block(PatternElement(kind, children=(line,))),
        f"boolean(//{kind}/*/line/article[.='{article}'])",
    )


def _article_in_state(random: Random) -> AskedBlock:
    kind, state, article = (
        random.choice(KINDS),
        random.choice(STATES),
        f"a{random.randrange(ARTICLES)}",
    )
    line = _holding("line", _leaf("article", article), _bound("price", "$p"))
    inside = (_holding("header", _leaf("status", state)), _holding("lines", line))
    return AskedBlock(
        f'WHERE <{kind} version="2"><header><status>{state}</></>'
        f"<lines><line><article>{article}</><price>$p</></></></>",
        _block(PatternElement(kind, attributes=(AttributeTest("version", "2"),), children=inside)),
        f"boolean(//{kind}[@version='2']/header[status[.='{state}']]/following-sibling::lines"
        f"[line[article[.='{article}']/following-sibling::price]])",
    )


def _block(pattern: PatternElement) -> XmlBlock:
    return XmlBlock((pattern,))


def _holding(name: str, *children: PatternElement) -> PatternElement:
    return PatternElement(name, 1, children=children)


def _leaf(name: str, text: str) -> PatternElement:
    return PatternElement(name, 1, text=text)


def _bound(name: str, variable: str) -> PatternElement:
    return PatternElement(name, 1, bindings=(VariableBinding(BoundTo.CONTENT, variable),))


_FORMS = (_customer, _article, _article_of_kind, _article_in_state)
