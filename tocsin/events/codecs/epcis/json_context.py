"""Names in EPCIS data: one name per field, one URI per value, for any prefix or term of a document.

A namespace that ends in `/`, `#` or `:` precedes the local name of a field directly, any other is
joined with `#`, as EPCIS queries write it. Fields of the namespaces of the standard use its usual
prefix (`cbvmda:`). A value is expanded as in JSON-LD: its namespace precedes it unchanged. Contexts
are never fetched: the standard one is built in, prefixes and typed terms are read from the
document, other addresses are ignored.
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
"""Characters of the largest context that is cached."""


@dataclass(frozen=True, slots=True)
class NameContext:
    """The names of a context: IRIs by prefix, IRIs by term, and types by the full name of their
    term.
    """

    prefixes: Mapping[str, str]
    terms: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    vocabulary: str = ""


KNOWN = NameContext(NAMESPACES)
"""The names that need no declaration."""


def names_in_xml(namespaces: Mapping[str | None, str]) -> NameContext:
    """Return the names under XML prefixes; those of the standard are the same everywhere."""
    own = {prefix: namespace for prefix, namespace in namespaces.items() if prefix}
    return NameContext({**own, **NAMESPACES})


def qualify(namespace: str, local: str) -> str:
    """Return the name of a field in a namespace."""
    known = _PREFIX_OF.get(namespace.rstrip(_SEPARATORS))
    if known:
        return f"{known}:{local}"
    return namespace + local if namespace.endswith(tuple(_SEPARATORS)) else f"{namespace}#{local}"


def split_name(name: str) -> tuple[str, str]:
    """Split the name of a field into namespace and local name; a plain word has no namespace."""
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


def expand_name(name: str, names: NameContext) -> str:
    """Return the name of a field in JSON: a term, `prefix:local`, a full name, or a plain word."""
    if name in names.terms:
        return _full(names.terms[name])
    prefix, colon, local = name.partition(":")
    if not colon:
        bare = not names.vocabulary or name.startswith(("@", "#"))
        return name if bare else qualify(names.vocabulary, name)
    if local.startswith("//"):
        return _full(name)
    namespace = names.prefixes.get(prefix)
    return qualify(namespace, local) if namespace else _full(name)


def expand_curie(value: str, names: NameContext) -> str:
    """Return the URI of a value: a declared prefix is replaced by its namespace."""
    prefix, colon, local = value.partition(":")
    if not colon or local.startswith("//"):
        return value
    namespace = names.prefixes.get(prefix)
    return namespace + local if namespace else value


def individual(value: str, names: NameContext) -> str:
    """Return the URI of a value that may also be a bare term; an unknown word stays."""
    return expand_curie(value, names) if ":" in value else names.terms.get(value, value)


def names_of(context: Any, inherited: NameContext = KNOWN) -> NameContext:
    """Return the names in force inside a JSON-LD context: an address, an object, or a list of
    these.

    Events of one sender have the same context, each its own copy: short ones are cached.
    """
    if context is None or isinstance(context, str):
        return inherited
    text = repr(context)
    if len(text) > _LONGEST_REMEMBERED:
        return _names_in(context, inherited)
    return _remembered(_Inside(text, id(inherited), context, inherited))


@dataclass(frozen=True, slots=True)
class _Inside:
    """A context as text inside of inherited names, as a cache key.

    Inherited names are compared by identity; the key keeps them alive.
    """

    text: str
    around: int
    context: Any = field(compare=False)
    inherited: NameContext = field(compare=False)


@lru_cache(maxsize=256)
def _remembered(inside: _Inside) -> NameContext:
    return _names_in(inside.context, inside.inherited)


def _names_in(context: Any, inherited: NameContext) -> NameContext:
    found = inherited
    for part in context if isinstance(context, list) else [context]:
        if isinstance(part, dict):
            found = _declared(part, found)
    return found


def _declared(part: Mapping[str, Any], inherited: NameContext) -> NameContext:
    """Return the names after one object of a context; its definitions may use each other, in any
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
    names = NameContext(
        prefixes, terms, vocabulary=vocabulary if isinstance(vocabulary, str) else ""
    )
    full = {name: expand_name(name, names) for name in written}
    kept = {name: kind for name, kind in inherited.types.items() if name not in full.values()}
    typed = {full[name]: kind for name in written if (kind := _type_of(part[name], prefixes))}
    return replace(names, types={**kept, **typed})


def _iri_of(name: str, term: Any) -> str:
    """Return the IRI of a definition as written; a name with a colon may be its own IRI."""
    given = term.get("@id", name if ":" in name else "") if isinstance(term, dict) else term
    return given if isinstance(given, str) else ""


def _type_of(term: Any, iris: Mapping[str, str]) -> str:
    given = term.get("@type") if isinstance(term, dict) else None
    if not isinstance(given, str):
        return ""
    return RESOURCE if given in (RESOURCE, "@vocab") else _whole(given, iris)


def _whole(iri: str, iris: Mapping[str, str], steps: int = _LONGEST_CHAIN) -> str:
    """Expand the prefix of an IRI; a cycle of definitions ends after a fixed number of steps."""
    prefix, colon, local = iri.partition(":")
    namespace = iris.get(prefix, "") if colon and not local.startswith("//") else ""
    return _whole(namespace, iris, steps - 1) + local if namespace and steps else iri


def _full(name: str) -> str:
    """Return a full name in its one form: `namespace#local`, as in EPCIS queries, may have both
    separators.
    """
    namespace, mark, local = name.rpartition("#")
    if mark and ":" in namespace:
        return qualify(namespace, local)
    end = max(name.rfind(separator) for separator in _SEPARATORS) + 1
    known = _PREFIX_OF.get(name[:end].rstrip(_SEPARATORS)) if end else None
    return f"{known}:{name[end:]}" if known else name
