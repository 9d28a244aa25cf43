"""Real documents: UBL of many kinds and XRechnung invoices in two syntaxes, asked by many blocks at
once.

What must come out is worked out here with XPath and XSLT on trees of our own, in the words of those
languages: nothing of the product takes part in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from lxml import etree

from tests.conftest import shared_data
from tests.engine.xml.worlds import xml_event
from tests.languages.exmlql.asking import block_of, outputs
from tocsin.engine.columns.batch import Batch
from tocsin.engine.xml import BlockMatcher
from tocsin.reference import blocks as reference

SPACES = {
    "cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
    "cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
    "inv": "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
    "rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
    "ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
    "udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
}
PROLOG = " ".join(f'NAMESPACE {prefix} = "{uri}"' for prefix, uri in SPACES.items())


@dataclass(frozen=True)
class Asked:
    """What to ask for, and the XPath expression that is true for the documents that have it."""

    text: str
    expected: str


ASKED = {
    "in euros": Asked(
        "<cbc:DocumentCurrencyCode>EUR</>",
        "boolean(//cbc:DocumentCurrencyCode[normalize-space()='EUR'])",
    ),
    "an invoice": Asked("<inv:Invoice></>", "boolean(/inv:Invoice)"),
    "full rate": Asked(
        "<cac:TaxCategory><cbc:ID>S</><cbc:Percent>$p</></> $p = 19",
        "boolean(//cac:TaxCategory/cbc:ID[normalize-space()='S']/following-sibling::cbc:Percent[number() = 19])",
    ),
    "reached by mail": Asked(
        '<cbc:EndpointID schemeID="EM"></>', "boolean(//cbc:EndpointID[@schemeID='EM'])"
    ),
    "a seller in Germany, one level left out": Asked(
        "<cac:AccountingSupplierParty><cac:Party><*><cac:Country><cbc:IdentificationCode>DE</></></></></>",
        "boolean(//cac:AccountingSupplierParty/cac:Party/*/cac:Country/cbc:IdentificationCode[normalize-space()='DE'])",
    ),
    "any root with number and date": Asked(
        "<$root><cbc:ID>$id</><cbc:IssueDate>$date</></>",
        "boolean(//*/cbc:ID/following-sibling::cbc:IssueDate)",
    ),
    "the date before the number": Asked(
        "<*><cbc:IssueDate>$date</><cbc:ID>$id</></>",
        "boolean(//*/cbc:IssueDate/following-sibling::cbc:ID)",
    ),
    "above a thousand": Asked(
        "<cac:LegalMonetaryTotal><cbc:PayableAmount currencyID=$c>$a</></> $a > 1000",
        "boolean(//cac:LegalMonetaryTotal/cbc:PayableAmount[@currencyID][number() > 1000])",
    ),
    "paid as owed": Asked(
        "<cac:LegalMonetaryTotal><cbc:TaxInclusiveAmount>$a</><cbc:PayableAmount>$b</></> $a != $b",
        "boolean(//cac:LegalMonetaryTotal[cbc:TaxInclusiveAmount/following-sibling::cbc:PayableAmount]"
        "[number(cbc:TaxInclusiveAmount) != number(cbc:PayableAmount)])",
    ),
    "one tax, one subtotal": Asked(
        "<cac:TaxTotal><cbc:TaxAmount>$t</><cac:TaxSubtotal><cbc:TaxAmount>$t</></></>",
        "boolean(//cac:TaxTotal[cbc:TaxAmount = cac:TaxSubtotal/cbc:TaxAmount])",
    ),
    "many lines": Asked('XPATH "count(//cac:InvoiceLine) > 2"', "count(//cac:InvoiceLine) > 2"),
    "many lines in euros": Asked(
        'XPATH "//cac:InvoiceLine[3]" <cbc:DocumentCurrencyCode>EUR</>',
        "boolean(//cac:InvoiceLine[3]) and boolean(//cbc:DocumentCurrencyCode[normalize-space()='EUR'])",
    ),
    "the other syntax": Asked(
        "<rsm:ExchangedDocument><ram:ID>$id</><ram:TypeCode>380</></>",
        "boolean(//rsm:ExchangedDocument/ram:ID/following-sibling::ram:TypeCode[normalize-space()='380'])",
    ),
    "the other syntax, dated": Asked(
        '<ram:IssueDateTime><udt:DateTimeString format="102">20160404</></>',
        "boolean(//ram:IssueDateTime/udt:DateTimeString[@format='102'][normalize-space()='20160404'])",
    ),
    "the other syntax, at a rate": Asked(
        "<ram:ApplicableTradeTax><ram:TypeCode>VAT</><ram:CategoryCode>S</><ram:RateApplicablePercent>$r</></> $r >= 7",
        "boolean(//ram:ApplicableTradeTax/ram:TypeCode[normalize-space()='VAT']/following-sibling::"
        "ram:CategoryCode[normalize-space()='S']/following-sibling::ram:RateApplicablePercent[number() >= 7])",
    ),
    "what nobody has": Asked(
        "<cbc:ID>no such number</>", "boolean(//cbc:ID[normalize-space()='no such number'])"
    ),
}
USUALLY_THERE = set(ASKED) - {"what nobody has", "the date before the number"}


@cache
def documents() -> tuple[tuple[Path, str], ...]:
    folders = (shared_data("xml-ubl"), shared_data("xml-xrechnung"))
    paths = [path for folder in folders for path in sorted(folder.rglob("*.xml"))]
    return tuple((path, path.read_text(encoding="utf-8-sig")) for path in paths)


def tree(text: str) -> etree._Element:
    """The document without comments and processing instructions."""
    return etree.fromstring(text.encode(), etree.XMLParser(remove_comments=True, remove_pis=True))


@cache
def found() -> dict[str, set[str]]:
    """The names of the documents that match each block, all blocks at once."""
    matcher = BlockMatcher()
    for name, asked in ASKED.items():
        matcher.add(name, block_of(f"{PROLOG} WHERE {asked.text}"))
    events = [xml_event(text, path.name) for path, text in documents()]
    hits = matcher.match(Batch(events))
    names: dict[str, set[str]] = {name: set() for name in ASKED}
    for i, key in zip(hits.events, matcher.keys_of(hits.slots), strict=True):
        names[key].add(events[i].id)
    return names


@pytest.mark.parametrize("name", ASKED)
def test_the_same_documents_as_xpath_finds(name: str) -> None:
    path = etree.XPath(ASKED[name].expected, namespaces=SPACES)
    expected = {each.name for each, text in documents() if path(tree(text))}
    assert found()[name] == expected
    assert bool(expected) == (name in USUALLY_THERE), (
        "the question tells nothing about these documents"
    )


@pytest.mark.parametrize(
    "name", sorted(set(ASKED) - {"any root with number and date", "the date before the number"})
)
def test_the_reference_agrees(name: str) -> None:
    block = block_of(f"{PROLOG} WHERE {ASKED[name].text}")
    some = [(path, text) for path, text in documents() if len(text) < 20_000][::4]
    expected = {path.name for path, text in some if reference.holds(block, xml_event(text))}
    assert expected == found()[name] & {path.name for path, _ in some}


LINES = """
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"
    xmlns:cac="{cac}" xmlns:cbc="{cbc}" exclude-result-prefixes="cac cbc">
  <xsl:output omit-xml-declaration="yes"/>
  <xsl:template match="/">
    <list>
      <xsl:for-each select="//cac:InvoiceLine/cbc:ID[following-sibling::cac:Item/cbc:Name]">
        <item no="{{normalize-space(.)}}">
          <name><xsl:value-of select="normalize-space(following-sibling::cac:Item/cbc:Name)"/></name>
          <xsl:copy-of select="following-sibling::cac:Price/cbc:PriceAmount"/>
        </item>
      </xsl:for-each>
    </list>
  </xsl:template>
</xsl:stylesheet>
"""
PRICED = """
WHERE <cac:InvoiceLine><cbc:ID>$no</><cac:Item><cbc:Name>$name</></>
        <cac:Price><cbc:PriceAmount></> ELEMENT_AS $price</></>
CONSTRUCT <list><item no=$no key=Key($no,$name)><name>$name</>$price</></>
"""


def canonical(xml: str) -> str:
    return str(etree.canonicalize(xml, strip_text=True, exclude_attrs=["key"]))


def test_lists_of_lines_are_those_of_an_xslt_stylesheet() -> None:
    """Documents whose lines all have a number, a single-spaced name and a price once, so that both
    say the same.
    """
    transform = etree.XSLT(etree.fromstring(LINES.format(**SPACES)))
    plain = etree.XPath(
        "boolean(//cac:InvoiceLine) and not(//cac:InvoiceLine[not(cac:Item/cbc:Name) or not(cac:Price/cbc:PriceAmount)"
        " or cac:Item/cbc:Name != normalize-space(cac:Item/cbc:Name)])",
        namespaces=SPACES,
    )
    compared = 0
    for path, text in documents():
        root = tree(text)
        if not plain(root):
            continue
        (built,) = outputs(f"{PROLOG} {PRICED}", text)
        assert canonical(built) == canonical(str(transform(root))), path.name
        compared += 1
    assert compared > 40


def test_rows_are_the_lines_in_document_order() -> None:
    block = block_of(
        f"{PROLOG} WHERE <cac:InvoiceLine><cbc:ID>$no</><cac:Item><cbc:Name>$name</></></>"
    )
    for path, text in documents():
        expected = dict.fromkeys(
            (str(number.text).strip(), str(name.text).strip())
            for number in tree(text).iterfind(".//cac:InvoiceLine/cbc:ID", SPACES)
            for item in number.itersiblings(f"{{{SPACES['cac']}}}Item")
            for name in item.iterfind("cbc:Name", SPACES)
        )
        matcher = BlockMatcher()
        matcher.add("s", block)
        rows = [dict(row) for row in matcher.rows(block, xml_event(text))]
        assert [(row["$no"], row["$name"]) for row in rows] == list(expected), path.name


RULES = [
    "//cac:TaxTotal[sum(cac:TaxSubtotal/cbc:TaxAmount) = cbc:TaxAmount]",
    "count(//cac:TaxCategory[cbc:ID = 'S']) >= count(//cac:InvoiceLine[.//cac:ClassifiedTaxCategory/cbc:ID = 'S'])",
    "not(//cac:InvoiceLine[not(cac:Item/cbc:Name)])",
    "/inv:Invoice[//cac:PaymentMeans and //cbc:PayableAmount]",
    "//cbc:ID[contains(' 0002 0007 0009 0037 0060 0088 ', concat(' ', normalize-space(@schemeID), ' '))]",
    "//cac:InvoiceLine[cbc:ID = preceding-sibling::cac:InvoiceLine/cbc:ID]",
    "//cac:TaxCategory[cbc:Percent = //cac:ClassifiedTaxCategory/cbc:Percent]",
    "//cac:AllowanceCharge[cbc:ChargeIndicator = 'true'][cbc:Amount > 0]",
    "//cac:LegalMonetaryTotal[round((cbc:TaxExclusiveAmount + ../cac:TaxTotal/cbc:TaxAmount) * 100) div 100"
    " = cbc:TaxInclusiveAmount]",
    "//cac:Party[cac:PartyTaxScheme[cac:TaxScheme/cbc:ID = 'VAT']/cbc:CompanyID]",
    "//*[local-name() = 'EndpointID'][@schemeID = 'EM']",
    "string-length(substring-after(//cbc:PayableAmount, '.')) <= 2",
    "//*[namespace-uri() = 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2'][@currencyID]",
    "//ram:ApplicableTradeTax[ram:CategoryCode = 'S' and ram:RateApplicablePercent > 0]",
    "count(//ram:IncludedSupplyChainTradeLineItem[not(ram:AssociatedDocumentLineDocument/ram:LineID)]) = 0",
    "//cac:InvoiceLine[last()]/following-sibling::*",
    "//cac:InvoiceLine/ancestor::*[self::inv:Invoice]",
]


@pytest.mark.parametrize("rule", RULES)
def test_rules_like_those_of_invoice_standards_are_all_decided(rule: str) -> None:
    """Against libxml2 itself, which is given the rule as it is written."""
    matcher = BlockMatcher()
    matcher.add("rule", block_of(f'{PROLOG} WHERE XPATH "{rule}"'))
    path = etree.XPath(rule, namespaces=SPACES)
    events = [xml_event(text, path.name) for path, text in documents()]
    hits = matcher.match(Batch(events))
    assert matcher.undecided == []
    expected = [number for number, (_, text) in enumerate(documents()) if path(tree(text))]
    assert hits.events.tolist() == expected
