"""The auction of spec 5.1 and the diamond of 5.2: models, events and subscriptions, with names
instead of IRIs.
"""

from __future__ import annotations

from tests.engine.graphs.worlds import EX, event_of, ontology_of
from tocsin.events.event import Event
from tocsin.knowledge.ontology import Ontology
from tocsin.plan.nodes.graphs import (
    Comparison,
    Filter,
    GraphPattern,
    Home,
    Injective,
    StatementPattern,
    Variable,
    Vertex,
)
from tocsin.values.terms import DECIMAL, RDF_VALUE, STRING, THING, Iri, Literal

AUCTION = ontology_of(
    {
        EX + child: [EX + parent for parent in parents]
        for child, parents in {
            "Selling": [],
            "Product": [],
            "Computer": ["Product"],
            "Desktop": ["Computer"],
            "Laptop": ["Computer"],
            "Tablet": ["Computer"],
            "Convertible": ["Laptop", "Tablet"],
            "HardDisk": ["Product"],
            "Gift": ["Product"],
            "Customer": [],
            "Company": [],
            "MoneyValue": [],
        }.items()
    },
    {
        **{
            EX + name: []
            for name in "seller owner bidder target price currency minBid manufacture name size".split()
        },
        EX + "telephoneNumber": [],
        EX + "cellPhoneNumber": [EX + "telephoneNumber"],
        EX + "mainTarget": [EX + "target"],
        RDF_VALUE: [],
    },
)
LETTERS = ontology_of(
    {EX + "A": [], EX + "B": [], EX + "B1": [EX + "B"], EX + "C": [], EX + "D": []},
    {EX + f"p{number}": [] for number in range(1, 5)},
)

_DATATYPES = {"decimal": DECIMAL, "string": STRING, "Thing": THING}
_PREFIXES = f"""@prefix : <{EX}> . @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
"""


def event(text: str) -> Event:
    """An event in Turtle; `:` and the usual prefixes are known."""
    return event_of(_PREFIXES + text)


def auction(
    value: str = "350.00", *, kind: str = ":Desktop", currency: str = ":dollar", price: str = "_:m"
) -> Event:
    """AUC of the spec, with what its variants change."""
    sold = f":price {price} ;" if price else ""
    money = f"_:m a :MoneyValue ; :currency {currency} ; rdf:value {value} ." if price else ""
    return event(
        f"""_:H a :Selling ; :seller _:s ; {sold} :target _:c .
        _:s a :Customer ; :name "Jinling Wang" .
        _:c a {kind} ; :manufacture _:i ; :hardDisk _:d .
        _:d a :HardDisk ; :manufacture _:i ; :size "40G" . _:i a :Company . {money}"""
    )


def statement(text: str, condition: Filter | None = None) -> StatementPattern:
    """A statement written as `subject object subject-class property object-class`; `+` behind a
    property repeats it.
    """
    subject, target, above, used, below = text.split()
    name = used.removesuffix("+")
    prop = RDF_VALUE if name == "value" else EX + name
    return StatementPattern(
        _id(subject), _id(target), _class(above), prop, _class(below), condition, used != name
    )


def pattern(
    *lines: str | StatementPattern,
    ontology: Ontology = AUCTION,
    injective: Injective = Injective.RESOURCES,
) -> GraphPattern:
    """A pattern of statements."""
    said = (statement(line) if isinstance(line, str) else line for line in lines)
    return GraphPattern(tuple(said), ontology, injective)


def below(limit: str) -> Comparison:
    """Less than a decimal."""
    return Comparison("<", Literal(limit, DECIMAL))


def _id(text: str) -> Vertex:
    if text == "_:H":
        return Home()
    return Variable(text[1:]) if text.startswith("?") else Iri(EX + text)


def _class(name: str) -> str:
    return _DATATYPES.get(name, EX + name)


CHEAP = pattern(
    "_:H ?1 Selling target Computer",
    "_:H ?2 Selling price MoneyValue",
    "?2 dollar MoneyValue currency Thing",
    statement("?2 ?3 MoneyValue value decimal", below("400.00")),
)
DIAMOND = pattern(
    "_:H ?1 A p1 B", "_:H ?2 A p2 C", "?1 ?3 B p3 D", "?2 ?3 C p3 D", ontology=LETTERS
)
