"""Master data: attributes of the things that events name, and their hierarchy (EPCIS 2.0, 7.1.4).

It is in the header of a document or in a document of its own, in JSON or XML. Things are identified
by their common spelling, attributes by the one name of their field. An event carries the master
data of its document's header for the things that it names, so that one event alone can answer a
query about them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.errors import EventProblem
from tocsin.events.codecs.epcis.field_readers import CODE, format_value
from tocsin.events.codecs.epcis.from_xml import content, fields, local
from tocsin.events.codecs.epcis.identifiers import canonical
from tocsin.events.codecs.epcis.json_context import (
    NameContext,
    expand_curie,
    expand_name,
    names_in_xml,
    names_of,
)
from tocsin.events.views.document import Element, parse_xml
from tocsin.events.views.epcis import MASTER_DATA

FIELD, WITHIN = "field", "within"
"""Members of the master data in an event: the field that names a thing, and all that contain it."""

_QUANTITIES = ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList")
PATHS: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "bizStep": (("bizStep",),),
    "disposition": (("disposition",),),
    "readPoint": (("readPoint", "id"),),
    "bizLocation": (("bizLocation", "id"),),
    "bizTransaction": (("bizTransactionList", "bizTransaction"),),
    "source": (("sourceList", "source"),),
    "destination": (("destinationList", "destination"),),
    "epcClass": tuple((name, "epcClass") for name in _QUANTITIES),
}
"""The fields of the standard whose values are things with master data, with their paths."""


@dataclass(frozen=True, slots=True)
class MasterDataRecord:
    """The attributes of one thing, each with its values, and all that contain it, at any depth."""

    attributes: Mapping[str, tuple[str, ...]]
    within: tuple[str, ...] = ()


MasterData = Mapping[str, MasterDataRecord]


def read_master_data(value: object) -> MasterData:
    """Return the master data of a JSON object or an XML text: a vocabulary list, or a document
    around one.

    Raises if it has no master data.
    """
    if isinstance(value, str) and value.lstrip("\ufeff \t\r\n").startswith("<"):
        found = master_data_in_xml(parse_xml(value.lstrip("\ufeff \t\r\n")))
    else:
        found = master_data_in_json(value) if isinstance(value, dict) else {}
    if not found:
        raise EventProblem(
            f"master data has a vocabularyList with elements, got {format_value(value)}",
            code=CODE,
            token="vocabularyList",
            hint=(
                'write {"vocabularyList": [{"type": "...", "vocabularyElementList": [{"id":'
                ' "urn:..."}]}]}'
            ),
        )
    return found


def master_data_in_json(
    document: Mapping[str, Any], names: NameContext | None = None
) -> MasterData:
    """Return the master data in the header, body or list of a JSON document; empty without."""
    names = names or names_of(document.get("@context"))
    for member in ("epcisHeader", "epcisBody", "epcisMasterData", "EPCISMasterData"):
        inner = document.get(member)
        if isinstance(inner, dict) and (found := master_data_in_json(inner, names)):
            return found
    elements = [
        element
        for vocabulary in _objects(document.get("vocabularyList"))
        for element in _objects(vocabulary.get("vocabularyElementList"))
    ]
    return _known(_json_element(element, names) for element in elements)


def master_data_in_xml(root: Element) -> MasterData:
    """Return the master data of an XML document; empty without."""
    elements = (element for element in root.iter() if local(element) == "VocabularyElement")
    return _known(_xml_element(element) for element in elements)


def with_master_data(attributes: dict[str, Any], known: MasterData) -> dict[str, Any]:
    """Return the event with the master data of the things that it names."""
    if not known:
        return attributes
    told = [
        {
            FIELD: field,
            WITHIN: list(thing.within),
            **{name: list(each) for name, each in thing.attributes.items()},
        }
        for field, value in _named(attributes)
        if (thing := known.get(canonical(value))) is not None
    ]
    return attributes | {MASTER_DATA: told} if told else attributes


_Entry = tuple[str, dict[str, tuple[str, ...]], list[str]]
"""A thing, its attributes, and its children."""


def _known(entries: Iterator[_Entry]) -> MasterData:
    """Merge the entries; one thing may have several."""
    attributes: dict[str, dict[str, tuple[str, ...]]] = {}
    outer: dict[str, set[str]] = {}
    for name, told, children in entries:
        attributes.setdefault(name, {}).update(told)
        for child in children:
            attributes.setdefault(child, {})
            outer.setdefault(child, set()).add(name)
    return {
        name: MasterDataRecord(told, tuple(sorted(_above(name, outer))))
        for name, told in attributes.items()
    }


def _above(name: str, outer: Mapping[str, set[str]]) -> set[str]:
    """Return all that contain a thing; a cycle in the hierarchy ends the search."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        more = outer.get(waiting.pop(), set()) - found
        found |= more
        waiting += more
    return found


def _json_element(element: Mapping[str, Any], names: NameContext) -> _Entry:
    told = {
        expand_name(str(each.get("id", "")), names): _values(
            each.get("attribute", each.get("value"))
        )
        for each in _objects(element.get("attributes"))
    }
    children = element.get("children")
    inner = [_thing(str(each), names) for each in children] if isinstance(children, list) else []
    return _thing(str(element.get("id", "")), names), told, inner


def _xml_element(element: Element) -> _Entry:
    names = names_in_xml(element.nsmap)
    told: dict[str, tuple[str, ...]] = {}
    children: list[str] = []
    for name, child in fields(element):
        if name == "attribute":
            key = expand_name(child.get("id") or "", names)
            told[key] = (*told.get(key, ()), content(child))
        elif name == "children":
            children += [_thing(content(each), names) for each in child]
    return _thing(element.get("id") or "", names), told, children


def _thing(name: str, names: NameContext) -> str:
    return canonical(expand_curie(name.strip(), names))


def _values(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else [value]
    return tuple(str(each) for each in listed if isinstance(each, str | int | float))


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _named(attributes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the things that an event names, each with its field, once."""
    paths = {**PATHS, **{name: ((name,),) for name in attributes if ":" in name}}
    found = (
        (field, value)
        for field, each in paths.items()
        for path in each
        for value in _at(attributes, path)
    )
    yield from dict.fromkeys(found)


def _at(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _at(item, path)
    elif path:
        yield from _at(value.get(path[0]), path[1:]) if isinstance(value, dict) else ()
    elif isinstance(value, str):
        yield value
