"""Names of extension fields: one name per field, whatever prefix a document uses for its namespace.

A namespace that ends in `/`, `#` or `:` is put before the local name, any other is joined to it with `#`, as EPCIS
queries write it. Fields of the namespaces that come with the standard go by the prefix everybody knows (`cbvmda:`).
Contexts are never fetched: the standard one is built in, prefixes come from the document, other addresses say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tocsin.events.views.epcis import NAMESPACES

KNOWN = NAMESPACES
"""The prefixes that need no declaration."""

_SEPARATORS = "/#:"
_PREFIX_OF = {namespace.rstrip(_SEPARATORS): prefix for prefix, namespace in KNOWN.items()} | {
    "https://gs1.org/voc": "gs1"
}

Prefixes = Mapping[str, str]


def qualified(namespace: str, local: str) -> str:
    """The name of a field in a namespace."""
    known = _PREFIX_OF.get(namespace.rstrip(_SEPARATORS))
    if known:
        return f"{known}:{local}"
    return namespace + local if namespace.endswith(tuple(_SEPARATORS)) else f"{namespace}#{local}"


def expanded(name: str, prefixes: Prefixes) -> str:
    """The name of a field as JSON writes it: `prefix:local` by the prefixes in force, a full name, or a plain word."""
    prefix, colon, local = name.partition(":")
    if not colon or local.startswith("//"):
        return _full(name)
    namespace = prefixes.get(prefix)
    return qualified(namespace, local) if namespace else _full(name)


def prefixes_of(context: Any, inherited: Prefixes = KNOWN) -> Prefixes:
    """The prefixes in force inside a JSON-LD context: an address, an object, or a list of these."""
    own: dict[str, str] = {}
    for part in context if isinstance(context, list) else [context]:
        if isinstance(part, dict):
            own |= {name: iri for name, iri in part.items() if isinstance(iri, str) and not name.startswith("@")}
    return {**inherited, **own} if own else inherited


def _full(name: str) -> str:
    """A full name in the one way: `namespace#local`, the notation of EPCIS queries, may have both separators."""
    namespace, mark, local = name.rpartition("#")
    return qualified(namespace, local) if mark and ":" in namespace else name
