"""Names in EPCIS data: one name per field, one URI or bare word per value, in any spelling.

A namespace that ends in `/`, `#` or `:` precedes the local name of a field directly, any other is
joined with `#`, as EPCIS queries write it. Fields of the namespaces of the standard use its usual
prefix (`cbvmda:`). A value is expanded as in JSON-LD: its namespace precedes it unchanged. Contexts
are never fetched: the standard one is built in, prefixes and typed terms are read from the
document, other addresses are ignored.

The Core Business Vocabulary: every spelling of a standard term is the same individual, its bare
word.

`shipping`, `urn:epcglobal:cbv:bizstep:shipping`, `cbv:BizStep-shipping` and
`https://ref.gs1.org/cbv/BizStep-shipping` all give `shipping`. A bare word that is not in the
vocabulary is refused, because the standard requires a URI for other terms; such a URI stays
unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
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


_WEB = r"(?:https?://(?:ref\.|ns\.|www\.)?gs1\.org/{folder}/|{prefix}:)"


@dataclass(frozen=True, slots=True)
class StandardTerms:
    """One list of standard terms; without words of its own it accepts any bare word."""

    name: str
    words: frozenset[str]
    spelling: re.Pattern[str]
    web: str

    def word(self, text: str) -> str:
        """Return the bare word of a standard term in any spelling; any other text unchanged."""
        found = self.spelling.fullmatch(text)
        return found.group("word") if found else text

    def allows(self, word: str) -> bool:
        """True if the word is a standard term or a URI."""
        return ":" in word or not self.words or word in self.words

    def near(self, word: str) -> str:
        """Return a hint with standard terms that the writer may have meant."""
        found = get_close_matches(word, sorted(self.words), n=3)
        return (
            f"did you mean {' or '.join(found)}?"
            if found
            else "a term of your own is written as a URI"
        )


def _core(name: str, urn: str, web: str, words: str) -> StandardTerms:
    web_form = _WEB.format(folder="cbv", prefix="cbv") + re.escape(web) + "-"
    spelling = re.compile(rf"(?:urn:epcglobal:cbv:{urn}:|{web_form})(?P<word>[\w.-]+)")
    return StandardTerms(name, frozenset(words.split()), spelling, f"{NAMESPACES['cbv']}{web}-")


def _web_only(name: str) -> StandardTerms:
    spelling = re.compile(_WEB.format(folder="voc", prefix="gs1") + r"(?P<word>[\w.-]+)")
    return StandardTerms(name, frozenset(), spelling, NAMESPACES["gs1"])


BIZ_STEP = _core(
    "business step",
    "bizstep",
    "BizStep",
    "accepting arriving assembling collecting commissioning consigning creating_class_instance"
    " cycle_counting decommissioning departing destroying disassembling dispensing encoding"
    " entering_exiting holding inspecting installing killing loading other packing picking"
    " receiving removing repackaging repairing replacing reserving retail_selling sampling"
    " sensor_reporting shipping staging_outbound stock_taking stocking storing transporting"
    " unloading unpacking void_shipping",
)
DISPOSITION = _core(
    "disposition",
    "disp",
    "Disp",
    "active available completeness_inferred completeness_verified conformant container_closed"
    " container_open damaged destroyed dispensed disposed encoded expired in_progress in_transit"
    " inactive mismatch_class mismatch_instance mismatch_quantity needs_replacement"
    " no_pedigree_match non_conformant non_sellable_other partially_dispensed recalled reserved"
    " retail_sold returned sellable_accessible sellable_not_accessible stolen unavailable unknown",
)
TRANSACTION_TYPE = _core(
    "business transaction type",
    "btt",
    "BTT",
    "bol cert desadv inv pedigree po poc prodorder recadv rma testprd testres upevt",
)
PARTY_TYPE = _core(
    "source or destination type", "sdt", "SDT", "location owning_party possessing_party"
)
ERROR_REASON = _core("error reason", "er", "ER", "did_not_occur incorrect_data")
COMPONENT = _core(
    "component",
    "comp",
    "Comp",
    "altitude axial_distance azimuth easting elevation_angle height latitude longitude northing"
    " polar_angle spherical_radius x y z",
)
MEASUREMENT = _web_only("measurement type")
ALERT = _web_only("sensor alert type")

_CORE = (BIZ_STEP, DISPOSITION, TRANSACTION_TYPE, PARTY_TYPE, ERROR_REASON, COMPONENT)


def web_form(text: str) -> str:
    """Return the web address of a standard core term in any full spelling; any other text
    unchanged.
    """
    if "cbv" not in text:
        return text
    for each in _CORE:
        if found := each.spelling.fullmatch(text):
            return each.web + found.group("word")
    return text
