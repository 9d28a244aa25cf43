"""Conversion of XML, EPCIS 1.0 to 2.0, to the JSON binding: events, and parameters of queries.

Unknown parts are kept, to be refused. The `extension` and `baseExtension` elements with which 1.x
made room for later fields are removed. Fields may have any order, with one exception: in 2.0 the
schema derives every kind of event from a base with the times, and the action, which a kind adds,
must not precede them. Text is stripped of surrounding blanks; values of extensions are text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tocsin.events.codecs.epcis.field_readers import boolean_of, number_of, wrong
from tocsin.events.codecs.epcis.json_context import qualify
from tocsin.events.views.document import TEXT, Element, attributes_in

_STANDARD = (
    "",
    "urn:epcglobal:epcis:xsd:1",
    "urn:epcglobal:epcis:xsd:2",
    "urn:epcglobal:epcis-query:xsd:1",
    "urn:epcglobal:epcis-query:xsd:2",
)
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
_NIL = f"{{{_INSTANCE}}}nil"
_WRAPPERS = ("extension", "baseExtension")
_NUMERIC = (
    "quantity",
    "value",
    "minValue",
    "maxValue",
    "meanValue",
    "sDev",
    "percRank",
    "percValue",
)
_TIMES = ("eventTime", "eventTimeZoneOffset")


def raw_event(element: Element, at: str, strict_order: bool) -> dict[str, Any]:
    """Return the event of an element in the JSON binding, unchecked."""
    children = list(fields(element))
    if strict_order:
        _check_order([name for name, _ in children], at)
    return {"type": local(element)} | _members(children, at)


def fields(element: Element) -> Iterator[tuple[str, Element]]:
    """Yield the name and element of each field, including those inside the wrappers of 1.x."""
    for child in element:
        namespace, name = split(child.tag)
        if child.get(_NIL) in ("true", "1"):
            continue
        if namespace in _STANDARD and name in _WRAPPERS:
            yield from fields(child)
        else:
            yield (name if namespace in _STANDARD else qualify(namespace, name)), child


def local(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return split(element.tag)[1]


def split(tag: Any) -> tuple[str, str]:
    """Split a tag into namespace and local name."""
    namespace, _, name = str(tag).rpartition("}")
    return namespace.removeprefix("{"), name


def content(element: Element) -> str:
    """Return the text of an element, stripped."""
    return (element.text or "").strip()


def _members(children: list[tuple[str, Element]], at: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, child in children:
        value = (
            _STRUCTURES[name](child)
            if name in _STRUCTURES
            else _own(child)
            if ":" in name
            else content(child)
        )
        if name not in found:
            found[name] = [value] if name in _REPEATED else value
        elif name in _REPEATED or ":" in name:
            found[name] = [
                *(found[name] if isinstance(found[name], list) else [found[name]]),
                value,
            ]
        else:
            raise wrong(f"{at}.{name}" if at else name, f"{name} is given twice")
    return found


def _check_order(names: list[str], at: str) -> None:
    action = names.index("action") if "action" in names else len(names)
    for name in _TIMES:
        if name in names and names.index(name) > action:
            raise wrong(
                f"{at}.action" if at else "action",
                f"action stands before {name}",
                f"the schema has {name} first",
            )


def _record(element: Element) -> dict[str, Any]:
    """Return an object with fields and attributes as members; numbers as in the schema."""
    found = _attributes(element) | _members(list(fields(element)), "")
    return {name: number_of(value) if name in _NUMERIC else value for name, value in found.items()}


def _attributes(element: Element) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for tag, value in attributes_in(element):
        namespace, name = split(tag)
        if namespace != _INSTANCE:
            found[qualify(namespace, name) if namespace else name] = value.strip()
    return found


def _report(element: Element) -> dict[str, Any]:
    found = _record(element)
    flag = found.get("booleanValue")
    return found | {"booleanValue": boolean_of(flag)} if flag is not None else found


def _typed_text(member: str) -> Callable[[Element], dict[str, Any]]:
    """Return a reader of an element with a type and a text, such as `<source
    type="...">...</source>`.
    """
    return lambda element: _attributes(element) | {member: content(element)}


def _texts(element: Element) -> list[str]:
    return [content(child) for child in element]


def _each(read: Callable[[Element], Any]) -> Callable[[Element], list[Any]]:
    return lambda element: [read(child) for _, child in fields(element)]


def _own(element: Element) -> Any:
    """Return the value of an extension: its text, or its attributes, fields and own text as
    members.
    """
    found = _attributes(element)
    for child in element:
        namespace, name = split(child.tag)
        key, value = qualify(namespace, name) if namespace else name, _own(child)
        if key in found:
            value = [*(found[key] if isinstance(found[key], list) else [found[key]]), value]
        found[key] = value
    words = content(element)
    return found | {TEXT: words} if found and words else found or words


_STRUCTURES: dict[str, Callable[[Element], Any]] = {
    **dict.fromkeys(
        ("epcList", "childEPCs", "inputEPCList", "outputEPCList", "correctiveEventIDs"), _texts
    ),
    **dict.fromkeys(
        ("quantityList", "childQuantityList", "inputQuantityList", "outputQuantityList"),
        _each(_record),
    ),
    **dict.fromkeys(
        ("readPoint", "bizLocation", "ilmd", "errorDeclaration", "sensorMetadata"), _record
    ),
    "persistentDisposition": _record,
    "bizTransactionList": _each(_typed_text("bizTransaction")),
    "sourceList": _each(_typed_text("source")),
    "destinationList": _each(_typed_text("destination")),
    "sensorElementList": _each(_record),
    "sensorReport": _report,
    "quantity": lambda element: number_of(content(element)),
}
_REPEATED = ("sensorReport", "certificationInfo", "set", "unset")


QUERIES = ("Poll", "Subscribe")
SIMPLE_EVENT_QUERY = "SimpleEventQuery"


def parameters_of(query: Element) -> dict[str, Any]:
    """Return values by parameter name: a list if the value has items, else its text."""
    name = next((content(child) for key, child in fields(query) if key == "queryName"), "")
    if name != SIMPLE_EVENT_QUERY:
        reason = f"queryName {name!r} is not served" if name else "queryName is missing"
        raise wrong(
            f"{local(query)}.queryName", reason, f"the query served is {SIMPLE_EVENT_QUERY}"
        )
    found: dict[str, Any] = {}
    for parameter in (element for element in query.iter() if local(element) == "param"):
        parts = dict(fields(parameter))
        if "name" not in parts or not content(parts["name"]):
            raise wrong("params.param.name", "name is missing")
        found[content(parts["name"])] = _value(content(parts["name"]), parts.get("value"))
    return found


def _value(name: str, element: Element | None) -> Any:
    if element is None:
        raise wrong(name, f"the parameter {name} has no value")
    return [content(item) for item in element] if len(element) else content(element)
