"""The purchases of the story: order, despatch advice and invoice as XML, and the settlement of
those that are complete.

A day has the same number of purchases however many events it has, and every fate at least once. The
documents are small, but named and nested as in UBL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from random import Random

from tocsin.catalog import Subscription
from tocsin.values.time import Duration, Instant, parse_duration
from tocsin_demo.happening import Happening, Report

DOCUMENT_TYPE = "purchase.document"
SETTLED = "settlement"

_PURCHASES = 40
_FIRST: Duration = parse_duration("6h")
_EVERY: Duration = parse_duration("17m")
_MINUTE: Duration = parse_duration("1m")
_BUYERS = ("Alster Books", "Harbour Canteen", "Elbe Cycles", "Dr. Vogt")
_PRODUCTS = (
    ("frozen pizza", 4),
    ("oat milk", 2),
    ("sneakers", 80),
    ("phone", 450),
    ("bicycle", 640),
)
_UBL = "urn:oasis:names:specification:ubl:schema:xsd:"
_BASIC, _PARTS = f"{_UBL}CommonBasicComponents-2", f"{_UBL}CommonAggregateComponents-2"

_SETTLEMENT = f"""NAMESPACE b = "{_BASIC}" NAMESPACE p = "{_PARTS}"
NAMESPACE o = "{_UBL}Order-2" NAMESPACE d = "{_UBL}DespatchAdvice-2" NAMESPACE i = "{_UBL}Invoice-2"
WHERE <o:Order><b:ID>$order</> <p:BuyerCustomerParty><b:Name>$buyer</></></> #O
      <d:DespatchAdvice><b:ID>$despatch</> <p:OrderReference><b:ID>$order</></>
        <p:DespatchLine><b:DeliveredQuantity>$pieces</> <b:Name>$product</></></> #D
      <i:Invoice><b:ID>$invoice</> <p:OrderReference><b:ID>$order</></>
        <p:LegalMonetaryTotal><b:PayableAmount currencyID=$currency>$sum</></></> #I
      #O ; #D ; #I WITHIN 8h
CONSTRUCT <settlement id=Settlement($order)>
  <order>$order</> <buyer>$buyer</> <despatch>$despatch</>
  <delivered pieces=$pieces>$product</>
  <invoice>$invoice</> <to-pay currency=$currency>$sum</>
</>"""

SETTLEMENT = (Subscription(SETTLED, "exmlql", _SETTLEMENT),)


class Fate(Enum):
    """How a purchase goes: as it should; the invoice never comes; it comes before the goods leave;
    it is of another order, which nobody gave.
    """

    COMPLETE = "complete"
    NO_INVOICE = "no invoice"
    TOO_EARLY = "invoice too early"
    WRONG_ORDER = "invoice of another order"


@dataclass(frozen=True, slots=True)
class Item:
    """So many pieces of a product at a price each."""

    product: str
    pieces: int
    price: int


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a buyer orders, and what follows; despatch and invoice come so many minutes after the
    order.
    """

    number: int
    ordered: Instant
    buyer: str
    items: tuple[Item, ...]
    fate: Fate
    despatch_minute: int
    invoice_minute: int

    @property
    def name(self) -> str:
        """What the ids of its events begin with."""
        return f"purchase-{self.number}"

    @property
    def total(self) -> int:
        """What is to be paid, in euros."""
        return sum(item.pieces * item.price for item in self.items)

    def reports(self) -> Iterator[Report]:
        """Its documents."""
        yield self._report("order", 0, self._order())
        yield self._report("despatch", self.despatch_minute, self._despatch_advice())
        if self.fate is not Fate.NO_INVOICE:
            yield self._report("invoice", self.invoice_minute, self._invoice())

    def truth(self) -> Iterator[tuple[str, str]]:
        """What becomes of the purchase, known from its making: (what, name of the purchase)."""
        if self.fate is Fate.COMPLETE:
            yield SETTLED, self.name

    def _report(self, what: str, minute: int, xml: str) -> Report:
        happening = Happening(
            f"/purchases/{what}", DOCUMENT_TYPE, xml, media_type="application/xml"
        )
        return Report(f"{self.name}-{what}", self.ordered + minute * _MINUTE, happening)

    def _order(self) -> str:
        lines = (f"<p:OrderLine>{_quantity('Quantity', item)}</p:OrderLine>" for item in self.items)
        buyer = f"<p:BuyerCustomerParty><b:Name>{self.buyer}</b:Name></p:BuyerCustomerParty>"
        return _document("Order", f"O-{self.number}", buyer + "".join(lines))

    def _despatch_advice(self) -> str:
        lines = (
            f"<p:DespatchLine>{_quantity('DeliveredQuantity', item)}</p:DespatchLine>"
            for item in self.items
        )
        return _document(
            "DespatchAdvice", f"D-{self.number}", _reference(f"O-{self.number}") + "".join(lines)
        )

    def _invoice(self) -> str:
        order = f"X-{self.number}" if self.fate is Fate.WRONG_ORDER else f"O-{self.number}"
        amount = f'<b:PayableAmount currencyID="EUR">{self.total}.00</b:PayableAmount>'
        total = f"<p:LegalMonetaryTotal>{amount}</p:LegalMonetaryTotal>"
        return _document("Invoice", f"I-{self.number}", _reference(order) + total)


def purchases_of_the_day(seed: int, midnight: Instant) -> list[Purchase]:
    """All purchases; the same for the same seed."""
    dice = Random(f"purchases {seed}")
    fates = [*Fate, *dice.choices(list(Fate), (5, 1, 1, 1), k=_PURCHASES - len(Fate))]
    dice.shuffle(fates)
    return [
        _purchase(dice, number, midnight + _FIRST + number * _EVERY, fate)
        for number, fate in enumerate(fates, 1)
    ]


def _purchase(dice: Random, number: int, ordered: Instant, fate: Fate) -> Purchase:
    products = dice.sample(_PRODUCTS, dice.randint(1, 3))
    items = tuple(Item(product, dice.randint(1, 9), price) for product, price in products)
    earlier, later = dice.randrange(30, 120), dice.randrange(130, 240)
    despatch, invoice = (later, earlier) if fate is Fate.TOO_EARLY else (earlier, later)
    return Purchase(number, ordered, dice.choice(_BUYERS), items, fate, despatch, invoice)


def _document(kind: str, id_: str, content: str) -> str:
    names = f'xmlns="{_UBL}{kind}-2" xmlns:b="{_BASIC}" xmlns:p="{_PARTS}"'
    return f"<{kind} {names}><b:ID>{id_}</b:ID>{content}</{kind}>"


def _reference(order: str) -> str:
    return f"<p:OrderReference><b:ID>{order}</b:ID></p:OrderReference>"


def _quantity(name: str, item: Item) -> str:
    return f"<b:{name}>{item.pieces}</b:{name}><b:Name>{item.product}</b:Name>"
