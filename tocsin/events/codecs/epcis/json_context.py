"""Names in EPCIS data: one name per field, one URI per value, whatever prefix or term a document
uses.

A namespace that ends in `/`, `#` or `:` is put before the local name of a field, any other is
joined to it with `#`, as EPCIS queries write it. Fields of the namespaces that come with the
standard go by the prefix everybody knows (`cbvmda:`). A value is expanded as JSON-LD has it: its
namespace is put before it as it is. Contexts are never fetched: the standard one is built in,
prefixes and typed terms come from the document, other addresses say nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from tocsin.events.views.epcis import NAMESPACES

RESOURCE = "@id"
"""The type of a term whose values are URIs."""

_SEPARATORS = "/#:"
_ALSO = {"https://ref.gs1.org/voc": "gs1", "https://www.gs1.org/voc": "gs1"}
"""Former and other addresses of namespaces of the standard."""
_PREFIX_OF = {
    namespace.rstrip(_SEPARATORS): prefix for prefix, namespace in NAMESPACES.items()
} | _ALSO
_LONGEST_CHAIN = 10
_LONGEST_REMEMBERED = 4_096
"""Characters of a context that is worth remembering."""


@dataclass(frozen=True, slots=True)
class Names:
    """What names mean in a context: IRIs by prefix, IRIs by term, and types by the full name of
    their term.
    """

    prefixes: Mapping[str, str]
    terms: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    vocabulary: str = ""


KNOWN = Names(NAMESPACES)
"""The names that need no declaration."""


def names_in_xml(namespaces: Mapping[str | None, str]) -> Names:
    """The names where XML declares prefixes; those of the standard mean the same wherever they
    stand.
    """
    own = {prefix: namespace for prefix, namespace in namespaces.items() if prefix}
    return Names({**own, **NAMESPACES})


def qualified(namespace: str, local: str) -> str:
    """The name of a field in a namespace."""
    known = _PREFIX_OF.get(namespace.rstrip(_SEPARATORS))
    if known:
        return f"{known}:{local}"
    return namespace + local if namespace.endswith(tuple(_SEPARATORS)) else f"{namespace}#{local}"


def split_name(name: str) -> tuple[str, str]:
    """The namespace and the local name of a field as `qualified` joins them; a plain word has no
    namespace.
    """
    prefix, colon, rest = name.partition(":")
    if not colon:
        return "", name
    if prefix in NAMESPACES:
        return NAMESPACES[prefix], rest
    namespace, mark, local = name.rpartition("#")
    if mark:
        return namespace, local
    end = max(name.rfind(separator) for separator in _SEPARATORS) + 1
    return name[:end], name[end:]


def expanded(name: str, names: Names) -> str:
    """The name of a field as JSON writes it: a term, `prefix:local`, a full name, or a
    plain word.
    """
    if name in names.terms:
        return _full(names.terms[name])
    prefix, colon, local = name.partition(":")
    if not colon:
        bare = not names.vocabulary or name.startswith(("@", "#"))
        return name if bare else qualified(names.vocabulary, name)
    if local.startswith("//"):
        return _full(name)
    namespace = names.prefixes.get(prefix)
    return qualified(namespace, local) if namespace else _full(name)


def resource(value: str, names: Names) -> str:
    """The URI that a value writes: a prefix that is declared stands for its namespace."""
    prefix, colon, local = value.partition(":")
    if not colon or local.startswith("//"):
        return value
    namespace = names.prefixes.get(prefix)
    return namespace + local if namespace else value


def individual(value: str, names: Names) -> str:
    """The URI that a value writes where terms are told by a bare word too; a word that is no term
    stays.
    """
    return resource(value, names) if ":" in value else names.terms.get(value, value)


def names_of(context: Any, inherited: Names = KNOWN) -> Names:
    """The names in force inside a JSON-LD context: an address, an object, or a list of these.

    Events of one sender bear the same context, each its own copy: short ones are remembered.
    """
    if context is None or isinstance(context, str):
        return inherited
    text = repr(context)
    if len(text) > _LONGEST_REMEMBERED:
        return _names_in(context, inherited)
    return _remembered(_Inside(text, id(inherited), context, inherited))


@dataclass(frozen=True, slots=True)
class _Inside:
    """A context as it is written, inside of names that are told by identity; whoever holds it
    keeps these alive.
    """

    text: str
    around: int
    context: Any = field(compare=False)
    inherited: Names = field(compare=False)


@lru_cache(maxsize=256)
def _remembered(inside: _Inside) -> Names:
    return _names_in(inside.context, inside.inherited)


def _names_in(context: Any, inherited: Names) -> Names:
    found = inherited
    for part in context if isinstance(context, list) else [context]:
        if isinstance(part, dict):
            found = _declared(part, found)
    return found


def _declared(part: Mapping[str, Any], inherited: Names) -> Names:
    """The names after one object of a context; its definitions may use one another, in any
    order.
    """
    written = {
        name: iri
        for name, term in part.items()
        if not name.startswith("@") and (iri := _iri_of(name, term))
    }
    iris = {**inherited.prefixes, **written}
    own = {name: _whole(iri, iris) for name, iri in written.items()}
    vocabulary = part.get("@vocab", inherited.vocabulary)
    prefixes, terms = {**inherited.prefixes, **own}, {**inherited.terms, **own}
    names = Names(prefixes, terms, vocabulary=vocabulary if isinstance(vocabulary, str) else "")
    full = {name: expanded(name, names) for name in written}
    kept = {name: kind for name, kind in inherited.types.items() if name not in full.values()}
    typed = {full[name]: kind for name in written if (kind := _type_of(part[name], prefixes))}
    return replace(names, types={**kept, **typed})


def _iri_of(name: str, term: Any) -> str:
    """The IRI of a definition as it is written; a name with a colon may go without."""
    given = term.get("@id", name if ":" in name else "") if isinstance(term, dict) else term
    return given if isinstance(given, str) else ""


def _type_of(term: Any, iris: Mapping[str, str]) -> str:
    given = term.get("@type") if isinstance(term, dict) else None
    if not isinstance(given, str):
        return ""
    return RESOURCE if given in (RESOURCE, "@vocab") else _whole(given, iris)


def _whole(iri: str, iris: Mapping[str, str], steps: int = _LONGEST_CHAIN) -> str:
    """The IRI without a prefix; definitions that go round in circles end somewhere."""
    prefix, colon, local = iri.partition(":")
    namespace = iris.get(prefix, "") if colon and not local.startswith("//") else ""
    return _whole(namespace, iris, steps - 1) + local if namespace and steps else iri


def _full(name: str) -> str:
    """A full name in the one way: `namespace#local`, the notation of EPCIS queries, may have both
    separators.
    """
    namespace, mark, local = name.rpartition("#")
    if mark and ":" in namespace:
        return qualified(namespace, local)
    end = max(name.rfind(separator) for separator in _SEPARATORS) + 1
    known = _PREFIX_OF.get(name[:end].rstrip(_SEPARATORS)) if end else None
    return f"{known}:{name[end:]}" if known else name
