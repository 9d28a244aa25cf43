"""The headers of the interface: versions, extensions, form of identifiers, accepted types. A
request for an unsupported one is answered with 406.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tocsin import __version__
from tocsin.service.epcis.documents import EPC_FORMATS, find_namespaces
from tocsin.service.epcis.exceptions import NOT_ACCEPTABLE, EpcisException

VERSION = "2.0.0"
_CAPTURED = ("1", "1.0", "1.1", "1.2", "2", "2.0", "2.0.0", "2.0.1")
"""Versions of EPCIS and CBV accepted in captured documents."""
_VERSION = re.compile(r"\d+(\.\d+)*", re.ASCII)
_JSON = ("*/*", "application/*", "application/json", "application/ld+json")
_XML = ("application/xml", "text/xml")
_TOCSIN = "tocsin=https://tocsin.example/subscription#"

RESPONSE_HEADERS: Mapping[str, str] = {
    "GS1-EPCIS-Version": VERSION,
    "GS1-CBV-Version": VERSION,
    "GS1-Extensions": _TOCSIN,
}
"""Headers of every response."""

DISCOVERY: Mapping[str, str] = {
    **RESPONSE_HEADERS,
    "GS1-EPCIS-Min": VERSION,
    "GS1-EPCIS-Max": VERSION,
    "GS1-CBV-Min": VERSION,
    "GS1-CBV-Max": VERSION,
    "GS1-EPC-Format": "No_Preference",
    "GS1-CBV-XML-Format": "No_Preference",
    "GS1-Vendor-Version": __version__,
}
"""Headers of a response to OPTIONS."""


def check_headers(given: Mapping[str, str], *, xml: bool = False) -> None:
    """Raise EpcisException if the headers request an unsupported version or type; `xml` is True if
    XML is supported too.
    """
    for name in ("EPCIS", "CBV"):
        _require_between(given, f"GS1-{name}-Min", f"GS1-{name}-Max")
        stated = given.get(f"GS1-{name}-Version")
        if stated is not None and stated.strip() not in _CAPTURED:
            raise _refused(f"GS1-{name}-Version", f"the version {stated[:20]!r} is not served")
    accepted = given.get("Accept", "*/*")
    if not _is_accepted(accepted, (*_JSON, *(_XML if xml else ()))):
        forms = "application/json or application/xml" if xml else "application/json"
        raise _refused("Accept", f"answers are in {forms}, not in {accepted[:80]}")


def wants_xml(given: Mapping[str, str]) -> bool:
    """True if a client names XML before JSON."""
    served = [kind for kind in _kinds(given.get("Accept", "")) if kind in (*_JSON, *_XML)]
    return bool(served) and served[0] in _XML


def epc_format_of(given: Mapping[str, str]) -> str:
    """Return the requested form of identifiers."""
    wanted = given.get("GS1-EPC-Format", EPC_FORMATS[0])
    if wanted not in EPC_FORMATS:
        raise _refused("GS1-EPC-Format", f"it is one of {', '.join(EPC_FORMATS)}")
    return wanted


def extensions_in(events: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the header with the namespaces used in the events of a response."""
    used = (f"{prefix}={namespace}" for namespace, prefix in find_namespaces(events).items())
    safe = [each for each in used if each.isascii() and each.isprintable()]
    return {"GS1-Extensions": ",".join([_TOCSIN, *safe])[:4000]}


def allow(methods: Iterable[str], **more: str) -> dict[str, str]:
    """Return the headers of a response to OPTIONS."""
    return {**DISCOVERY, "Allow": ", ".join(("OPTIONS", *methods)), **more}


def _require_between(given: Mapping[str, str], low: str, high: str) -> None:
    served = _parts(VERSION)
    lowest, highest = _version(given, low), _version(given, high)
    if (lowest is not None and lowest > served) or (highest is not None and highest < served):
        name = low if lowest is not None and lowest > served else high
        raise _refused(name, f"the version {VERSION} is served, asked for is {given[name]}")


def _version(given: Mapping[str, str], name: str) -> tuple[int, ...] | None:
    asked = given.get(name)
    if asked is None:
        return None
    if _VERSION.fullmatch(asked.strip()) is None or len(asked) > 20:
        raise _refused(name, f"{asked[:20]!r} is no version")
    return _padded(asked.strip())


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in version.split("."))


def _padded(version: str) -> tuple[int, ...]:
    """Return the parts of a version, with zeros for missing ones."""
    return (*_parts(version), 0, 0)[: max(3, len(_parts(version)))]


def _is_accepted(header: str, supported: Sequence[str]) -> bool:
    kinds = _kinds(header)
    return not any(kinds) or any(kind in supported for kind in kinds)


def _kinds(header: str) -> list[str]:
    return [each.partition(";")[0].strip().lower() for each in header.split(",")]


def _refused(name: str, detail: str) -> EpcisException:
    return EpcisException(NOT_ACCEPTABLE, f"{name}: {detail}", token=name)
