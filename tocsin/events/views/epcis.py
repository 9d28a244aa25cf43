"""The graph of an EPCIS event in normal form, by the JSON-LD context of the standard, which is
never fetched.

Members are properties of the EPCIS vocabulary, identifiers are resources, standard terms are
individuals of the Core Business Vocabulary, times are `xsd:dateTimeStamp`. A place and a business
transaction are vertices with their own names. Home is the eventID, else `_:H`. Extensions keep
their names; their values are literals, or typed by a term of the document's own context. As in
JSON-LD null is ignored, a nested list is flattened, and `@id` and `@type` are texts: anything else
there is an EventProblem. An extension that has the name of a standard field, but not its form, is a
literal or a blank node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

from tocsin.events.views.document import TEXT, scalar_text
from tocsin.events.views.names import invalid_name_problem
from tocsin.values.terms import (
    BOOLEAN,
    DOUBLE,
    HOME,
    RDF_TYPE,
    RDF_VALUE,
    STRING,
    XSD,
    Blank,
    Iri,
    Literal,
    Resource,
    Term,
    Triple,
)

NAMESPACES: Mapping[str, str] = MappingProxyType(
    {
        "cbv": "https://ref.gs1.org/cbv/",
        "cbvmda": "urn:epcglobal:cbv:mda:",
        "dcterms": "http://purl.org/dc/terms/",
        "epcis": "https://ref.gs1.org/epcis/",
        "gs1": "https://gs1.org/voc/",
        "owl": "http://www.w3.org/2002/07/owl#",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
        "xsd": "http://www.w3.org/2001/XMLSchema#",
    }
)
"""The prefixes of the standard context."""

_CBV, _EPCIS, _GS1 = NAMESPACES["cbv"], NAMESPACES["epcis"], NAMESPACES["gs1"]
RENAMED = {
    ("bizTransactionList", "type"): "bizTransactionType",
    ("sourceList", "type"): "sourceOrDestinationType",
    ("sourceList", "source"): "sourceOrDestination",
    ("destinationList", "type"): "sourceOrDestinationType",
    ("destinationList", "destination"): "sourceOrDestination",
    ("sensorReport", "type"): "measurementType",
}
"""Members whose property depends on their parent."""
TERMS: Mapping[str, str] = {
    "bizStep": _CBV + "BizStep-",
    **dict.fromkeys(("disposition", "set", "unset"), _CBV + "Disp-"),
    "bizTransactionType": _CBV + "BTT-",
    "sourceOrDestinationType": _CBV + "SDT-",
    "reason": _CBV + "ER-",
    "component": _CBV + "Comp-",
    **dict.fromkeys(("measurementType", "exception"), _GS1),
}
"""The namespace before the bare word of a standard term, by its property."""
TIMES = ("eventTime", "recordTime", "declarationTime", "time", "startTime", "endTime")
_RESOURCES = (
    "epcList childEPCs inputEPCList outputEPCList parentID epcClass transformationID"
    " sourceOrDestination correctiveEventIDs deviceID deviceMetadata rawData dataProcessingMethod"
    " bizRules microorganism chemicalSubstance coordinateReferenceSystem uriValue"
).split()
_NAMES = {"readPoint": "id", "bizLocation": "id", "bizTransactionList": "bizTransaction"}
"""Objects that are identified by one of their members."""
_KINDS = ("type", "@type")

LISTS = frozenset(
    "epcList childEPCs inputEPCList outputEPCList quantityList childQuantityList inputQuantityList"
    " outputQuantityList bizTransactionList sourceList destinationList sensorElementList".split()
)
"""Fields of the standard that are lists in every event, so that they equal no text and no number.
"""

LISTS_INSIDE = frozenset(
    (
        ("persistentDisposition", "set"),
        ("persistentDisposition", "unset"),
        ("errorDeclaration", "correctiveEventIDs"),
        ("sensorElementList", "sensorReport"),
    )
)
"""Lists inside of objects."""

OBJECTS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(
            (name for name in LISTS if name.lower().endswith("quantitylist")), "epcClass"
        ),
        "bizTransactionList": "bizTransaction",
        "sourceList": "source",
        "destinationList": "destination",
        "sensorElementList": "sensorReport.value",
        "persistentDisposition": "set",
        "errorDeclaration": "reason",
    }
)
"""Fields that are objects without an id, or lists of them; each with a member that can be compared.

No two such objects are equal.
"""

PLACES = frozenset(("readPoint", "bizLocation"))
"""Fields that are objects with an `id`."""


_PARAMETERS = {
    "childEPCs": "MATCH_epc",
    "epcList": "MATCH_epc",
    "inputEPCList": "MATCH_inputEPC",
    "outputEPCList": "MATCH_outputEPC",
    "quantityList": "MATCH_epcClass",
    "childQuantityList": "MATCH_epcClass",
    "inputQuantityList": "MATCH_inputEPCClass",
    "outputQuantityList": "MATCH_outputEPCClass",
    "bizTransactionList": "EQ_bizTransaction_po",
    "sourceList": "EQ_source_owning_party",
    "destinationList": "EQ_destination_owning_party",
    "sensorElementList": "GE_value_CEL",
    "persistentDisposition": "EQ_persistentDisposition_set",
    "errorDeclaration": "EQ_correctiveEventID",
}

_ONE_VALUE = (
    "action bizStep disposition epcClass eventID eventTimeZoneOffset ilmd parentID quantity"
    " transformationID".split()
)

FIELDS = frozenset((*_PARAMETERS, *PLACES, *TIMES, *_ONE_VALUE))
"""The fields of an event that the standard names."""


def parameter_for(path: Sequence[str]) -> str:
    """Return the parameter of an EPCIS query that compares the elements of a list."""
    return _PARAMETERS.get(path[0], "MATCH_epc")


def is_list(path: Sequence[str]) -> bool:
    """True if a path leads to or through a list of the standard."""
    return path[0] in LISTS or tuple(path[:2]) in LISTS_INSIDE


def is_without_scalars(path: Sequence[str]) -> bool:
    """True if no value at a path is a text or a number: it is an object, or inside of an
    identifier.
    """
    if path[0] in LISTS - OBJECTS.keys():
        return len(path) > 1
    return (len(path) == 1 and path[0] in {*OBJECTS, *PLACES}) or tuple(path) == (
        "sensorElementList",
        "sensorReport",
    )


CONTEXT = "@context"
"""The member of normal data with the types of its extension fields, in the form of JSON-LD."""
MASTER_DATA = "@masterData"
"""The member of normal data with the master data of its document's header for the things it names.
"""

_Types = Mapping[str, str]


class EpcisData(dict[str, Any]):
    """Data in the normal form of the EPCIS codec; a type that no envelope can claim."""


def epcis_to_triples(data: EpcisData) -> tuple[Resource, list[Triple]]:
    """Return the home vertex and the triples, each once, in the order of the data."""
    home: Resource = Iri(data["eventID"]) if "eventID" in data else HOME
    found: dict[Triple, None] = {
        (home, RDF_TYPE, Iri(_term(data[each], _EPCIS))): None for each in _KINDS if each in data
    }
    apart = (*_KINDS, "eventID", CONTEXT, MASTER_DATA)
    rest = {name: value for name, value in data.items() if name not in apart}
    types = {name: term["@type"] for name, term in data.get(CONTEXT, {}).items()}
    found |= dict.fromkeys(_described(home, rest, "", count(1), types))
    return home, list(found)


def _described(
    subject: Resource, members: Mapping[str, Any], area: str, numbers: Iterator[int], types: _Types
) -> Iterator[Triple]:
    for member, value in members.items():
        name = RENAMED.get((area, member), member)
        for item in _items(value):
            if name == "@type" and not isinstance(item, str):
                raise invalid_name_problem(name, item, "a text or a list of texts")
            if not isinstance(item, dict):
                yield subject, _property(name), _value(name, item, types)
                continue
            known = _name_member(name, item)
            vertex: Resource = Iri(item[known]) if known else Blank(f"b{next(numbers)}")
            yield subject, _property(name), vertex
            inner = {key: each for key, each in item.items() if key != known}
            yield from _described(vertex, inner, name, numbers, types)


def _items(value: Any) -> Iterator[Any]:
    """Yield the items of a list, with nested lists flattened; null is skipped."""
    if isinstance(value, list):
        for item in value:
            yield from _items(item)
    elif value is not None:
        yield value


def _name_member(name: str, item: Mapping[str, Any]) -> str | None:
    """Return the member that identifies an object; None if it has none."""
    known = _NAMES.get(name, "@id")
    if known == "@id" and known in item and not isinstance(item[known], str):
        raise invalid_name_problem(known, item[known], "a text")
    return known if isinstance(item.get(known), str) else None


def _property(name: str) -> str:
    prefix, colon, local = name.partition(":")
    if name == "@type":
        return RDF_TYPE
    if not colon:
        return RDF_VALUE if name == TEXT else _EPCIS + name
    return NAMESPACES[prefix] + local if prefix in NAMESPACES else name


def _value(name: str, value: Any, types: _Types) -> Term:
    if name == "@type":
        return Iri(str(value))
    if name in types:
        kind = types[name]
        return Iri(str(value)) if kind == "@id" else Literal(scalar_text(value), kind)
    if isinstance(value, bool):
        return Literal(scalar_text(value), BOOLEAN)
    if isinstance(value, int | float):
        return Literal(scalar_text(value), DOUBLE)
    if name in _RESOURCES and isinstance(value, str):
        return Iri(value)
    if name in TERMS and isinstance(value, str):
        return Iri(_term(value, TERMS[name]))
    return Literal(scalar_text(value), XSD + "dateTimeStamp" if name in TIMES else STRING)


def _term(word: str, space: str) -> str:
    return word if ":" in word else space + word
