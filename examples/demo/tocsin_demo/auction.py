"""The auction of the story: offers told as graphs, or as plain rows that become graphs, and which
of them are wanted.

A day has the same number of offers however many events it has. Who asks for computers is not told
of laptops, tablets and desktops by the offers, but by the ontology; and whether the maker of a
computer made its hard disk, too, can only be asked of a graph, where the two arcs meet in one
vertex.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tocsin.catalog import Definition, Subscription
from tocsin.values.time import Duration, Instant, parse_duration
from tocsin_demo.happening import Happening, Report

GRAPH_TYPE, ROW_TYPE = "auction.offer.graph", "auction.offer.row"
CHEAP, ONE_MAKER = "cheap-computer", "disk-by-the-same-maker"

_OFFERS = 160
_EVERY_NTH_A_ROW = 5
_FIRST: Duration = parse_duration("6h")
_EVERY: Duration = parse_duration("6m")
_MAKERS = ("Nordlicht", "Kolibri", "Elbtech")
_SELLERS = ("Jinling Wang", "Ada Petersen", "Noor Haddad")
_COMPUTERS = ("Desktop", "Laptop", "Tablet", "Convertible")
_OTHERS = ("HardDisk", "Gift")
_CURRENCIES = ("dollar", "euro")
_TOO_DEAR = 400
_PRICES = (199, 280, 350, 399, 400, 450, 899)
_UNITS = "http://units.example/"

_PREFIXES = f"""@prefix : <http://auction.example/> .
@prefix units: <{_UNITS}> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
"""

ONTOLOGY = (
    _PREFIXES
    + """@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .

:Computer rdfs:subClassOf :Product . :HardDisk rdfs:subClassOf :Product .
:Gift rdfs:subClassOf :Product .
:Desktop rdfs:subClassOf :Computer . :Laptop rdfs:subClassOf :Computer .
:Tablet rdfs:subClassOf :Computer .
:Convertible rdfs:subClassOf :Laptop, :Tablet .

[] sh:targetClass :Selling ; sh:property
    [ sh:path :seller ; sh:class :Customer ], [ sh:path :target ; sh:class :Product ],
    [ sh:path :price ; sh:class :MoneyValue ] .
[] sh:targetClass :MoneyValue ; sh:property
    [ sh:path :currency ; sh:class owl:Thing ], [ sh:path rdf:value ; sh:datatype xsd:decimal ] .
[] sh:targetClass :Product ; sh:property [ sh:path :manufacture ; sh:class :Company ] .
[] sh:targetClass :Computer ; sh:property [ sh:path :hardDisk ; sh:class :HardDisk ] .
[] sh:targetClass :Customer ; sh:property [ sh:path :name ; sh:datatype xsd:string ] .
"""
)

_CHEAP = """(_:H, ?computer, (Selling, target, Computer))
(_:H, ?price, (Selling, price, MoneyValue))
(?price, units:dollar, (MoneyValue, currency, owl:Thing))
(?price, ?value, (MoneyValue, rdf:value, xsd:decimal), ?value < 400.00)
select ?value"""
_ONE_MAKER = """(_:H, ?computer, (Selling, target, Computer))
(?computer, ?disk, (Computer, hardDisk, HardDisk))
(?computer, ?maker, (Product, manufacture, Company))
(?disk, ?maker, (Product, manufacture, Company))
select ?maker"""

AUCTION_TERMS = (Definition("auction", ontology=ONTOLOGY, media_type="text/turtle"),)
AUCTION = (Subscription(CHEAP, "graph", _CHEAP), Subscription(ONE_MAKER, "graph", _ONE_MAKER))


@dataclass(frozen=True, slots=True)
class Offer:
    """Something is for sale; a computer has a hard disk, and both have makers."""

    number: int
    at: Instant
    kind: str
    price: int
    currency: str
    seller: str
    maker: str
    disk_maker: str

    @property
    def name(self) -> str:
        """The id that its event carries."""
        return f"offer-{self.number}"

    @property
    def is_row(self) -> bool:
        """Whether it is told as a row of plain values; a row does not tell of makers."""
        return self.number % _EVERY_NTH_A_ROW == 0

    @property
    def is_computer(self) -> bool:
        """Whether it is one of any kind."""
        return self.kind in _COMPUTERS

    def reports(self) -> Iterator[Report]:
        """The one event of the offer."""
        happening = (
            Happening("/auction", ROW_TYPE, self._row())
            if self.is_row
            else Happening("/auction", GRAPH_TYPE, self._turtle(), media_type="text/turtle")
        )
        yield Report(self.name, self.at, happening)

    def truth(self) -> Iterator[tuple[str, str, str]]:
        """What the offer is, known from its making: (what, name of the offer, value that is told
        with it).
        """
        if self.is_computer and self.currency == "dollar" and self.price < _TOO_DEAR:
            yield CHEAP, self.name, str(self.price)
        if self.is_computer and not self.is_row and self.maker == self.disk_maker:
            yield ONE_MAKER, self.name, f"http://auction.example/{self.maker}"

    def _turtle(self) -> str:
        lines = [
            (
                "_:H a :Selling ; :seller _:s ; :target _:c ; :price _:m . _:s a :Customer ; :name"
                f" {self.seller!r} ."
            ),
            f"_:m a :MoneyValue ; :currency units:{self.currency} ; rdf:value {self.price} .",
            f"_:c a :{self.kind} ; :manufacture :{self.maker} . :{self.maker} a :Company .",
        ]
        if self.is_computer:
            lines.append(f"_:c :hardDisk _:d . _:d a :HardDisk ; :manufacture :{self.disk_maker} .")
            lines.append(f":{self.disk_maker} a :Company .")
        return _PREFIXES + "\n".join(lines)

    def _row(self) -> dict[str, object]:
        price = {"type": "MoneyValue", "currency": _UNITS + self.currency, "value": self.price}
        seller = {"type": "Customer", "name": self.seller}
        return {"type": "Selling", "target": {"type": self.kind}, "price": price, "seller": seller}


def offers_of_the_day(seed: int, midnight: Instant) -> list[Offer]:
    """All offers; the same for the same seed."""
    dice = Random(f"offers {seed}")
    return [
        _offer(dice, number, midnight + _FIRST + number * _EVERY)
        for number in range(1, _OFFERS + 1)
    ]


def _offer(dice: Random, number: int, at: Instant) -> Offer:
    return Offer(
        number,
        at,
        kind=dice.choice((*_COMPUTERS, *_OTHERS)),
        price=dice.choice(_PRICES),
        currency=dice.choice(_CURRENCIES),
        seller=dice.choice(_SELLERS),
        maker=dice.choice(_MAKERS),
        disk_maker=dice.choice(_MAKERS),
    )
