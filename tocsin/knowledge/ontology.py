"""An ontology: hierarchies of classes and properties, and the allowed statements.

Identified by its fingerprint. Datatypes are classes here: every datatype is below rdfs:Literal,
every other class below owl:Thing. Meta-statements constrain and infer nothing; an ontology without
any allows every statement. An open ontology knows every name.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol, runtime_checkable
from weakref import WeakValueDictionary

from tocsin.knowledge.hierarchy import Hierarchy
from tocsin.knowledge.rules import NO_RULES, Rules
from tocsin.knowledge.vocabulary import (
    ALIASES,
    CLASS_PARENTS,
    MEMBER,
    PREFIXES,
    PROPERTY_PARENTS,
    QUIET,
    is_membership,
)
from tocsin.values.terms import ANY_LITERAL, DATATYPE_PARENT, RDF_TYPE, THING

_LOCAL = re.compile(r"[^#/:]*$")


class MetaStatement(NamedTuple):
    """A class that may have a property, and the class of its values."""

    subject: str
    property: str
    object: str


@runtime_checkable
class Fingerprinted(Protocol):
    """Knowledge of another kind that an ontology carries along, identified by its fingerprint."""

    @property
    def fingerprint(self) -> str:
        """Equal iff the knowledge is equal."""


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Ontology:
    """Knowledge about names. Two ontologies are equal if their fingerprints are."""

    class_order: Hierarchy
    property_order: Hierarchy
    individuals: frozenset[str] = frozenset()
    meta_statements: tuple[MetaStatement, ...] = ()
    prefixes: Mapping[str, str] = field(default_factory=lambda: dict(PREFIXES))
    open: bool = False
    tbox: object | None = None
    rules: Rules = NO_RULES
    ranges: tuple[tuple[str, str], ...] = ()
    """Properties with the classes and datatypes of their values, as `rdfs:range` gives them."""
    fingerprint: str = field(init=False)
    _by_property: dict[str, list[MetaStatement]] = field(
        default_factory=dict, init=False, repr=False
    )
    _by_local_name: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)
    _ranges_of: dict[str, list[str]] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for each in self.meta_statements:
            self._by_property.setdefault(each.property, []).append(each)
        for prop, value in self.ranges:
            self._ranges_of.setdefault(prop, []).append(value)
        names = self.classes | self.properties | self.individuals
        for name in sorted(names - DATATYPE_PARENT.keys() - (QUIET - self._spoken_of())):
            self._by_local_name.setdefault(local_name(name), []).append(name)
        object.__setattr__(self, "fingerprint", self._computed_fingerprint())

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Ontology) and self.fingerprint == other.fingerprint
        )

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        counts = f"{len(self.classes)} classes, {len(self.properties)} properties"
        return (
            f"Ontology({counts}, {len(self.meta_statements)} meta-statements,"
            f" {self.fingerprint[:12]})"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (
            _unpacked,
            (self.fingerprint, zlib.compress(self._content()), self.tbox, self.rules),
        )

    def _spoken_of(self) -> frozenset[str]:
        """Return the names of the built-in vocabulary that the ontology itself uses."""
        orders = ((self.class_order, CLASS_PARENTS), (self.property_order, PROPERTY_PARENTS))
        above = {
            each
            for order, known in orders
            for child in order.parents.keys() - known
            for each in order.parents[child]
        }
        return frozenset(above.union(*self.meta_statements)) - ALIASES.keys()

    def with_tbox(self, tbox: object | None) -> Ontology:
        """Return the same knowledge with another TBox."""
        return replace(self, tbox=tbox)

    # Names

    @property
    def classes(self) -> frozenset[str]:
        """All classes, datatypes and aliases included."""
        return self.class_order.names()

    @property
    def properties(self) -> frozenset[str]:
        """All properties, aliases included."""
        return self.property_order.names()

    def is_class(self, iri: str) -> bool:
        """True if the ontology knows the class or datatype."""
        return iri in self.class_order or (self.open and iri not in self.property_order)

    def is_property(self, iri: str) -> bool:
        """True if the ontology knows the property; False for rdf:type."""
        return iri != RDF_TYPE and (iri in self.property_order or self.open or is_membership(iri))

    def is_datatype(self, iri: str) -> bool:
        """True if the values of the class are literals."""
        return ANY_LITERAL in self.class_order.above(iri)

    def canonical_class(self, iri: str) -> str:
        """Return the name that stands for a class and its equivalents."""
        return self.class_order.canonical(iri)

    def canonical_property(self, iri: str) -> str:
        """Return the name that stands for a property and its equivalents."""
        return self.property_order.canonical(iri)

    def named(self, local: str) -> tuple[str, ...]:
        """Return the possible meanings of a bare local name.

        The term of the default namespace, else every term with that local name.
        """
        default = self.prefixes.get("")
        found = self._by_local_name.get(local, ())
        if default is not None and default + local in found:
            return (default + local,)
        return tuple(
            dict.fromkeys(self.canonical_property(self.canonical_class(each)) for each in found)
        )

    def class_named(self, name: str) -> str | None:
        """Return the only class that an IRI, a prefixed name or a bare name may mean; None unless
        unique.
        """
        return self._only(name, self.class_order)

    def property_named(self, name: str) -> str | None:
        """Return the only property that an IRI, a prefixed name or a bare name may mean; None
        unless unique.
        """
        return self._only(name, self.property_order)

    def resource_named(self, name: str) -> str | None:
        """Return the IRI of a prefixed or bare name of a resource, resolved as in a pattern; else
        None.
        """
        found = self.resolve(name)
        if found is not None or ":" in name:
            return found
        return (
            self.prefixes[""] + name
            if "" in self.prefixes and _LOCAL_NAME.fullmatch(name)
            else None
        )

    def resolve(self, name: str) -> str | None:
        """Return the IRI of a prefixed name, or of a bare name with one meaning; else None."""
        prefix, colon, local = name.partition(":")
        if colon:
            return None if prefix not in self.prefixes else self.prefixes[prefix] + local
        found = self.named(name)
        return found[0] if len(found) == 1 else None

    def _only(self, name: str, order: Hierarchy) -> str | None:
        if name in order:
            return name
        if ":" in name:
            iri = self.resolve(name)
            return iri if iri is not None and iri in order else None
        found = [each for each in self.named(name) if each in order]
        return found[0] if len(found) == 1 else None

    # Order

    def superclasses(self, iri: str) -> frozenset[str]:
        """Return the class and all above it, by canonical names.

        An unknown class is below owl:Thing only.
        """
        return self.class_order.above(iri) if iri in self.class_order else frozenset((iri, THING))

    def superdatatypes(self, iri: str) -> frozenset[str]:
        """Return the datatype of a literal and all above it.

        An unknown datatype is below rdfs:Literal only. A class that is not a datatype has no
        literals, whatever datatype they give.
        """
        if self.is_datatype(iri):
            return self.class_order.above(iri)
        own = frozenset() if iri in self.class_order else frozenset((iri,))
        return own | {ANY_LITERAL}

    def subclasses(self, iri: str) -> frozenset[str]:
        """Return the class and all below it, with all aliases."""
        return self.class_order.below(iri)

    def superproperties(self, iri: str) -> frozenset[str]:
        """Return the property and all above it, by canonical names."""
        above = self.property_order.above(iri)
        return above | self.property_order.above(MEMBER) if is_membership(iri) else above

    def subproperties(self, iri: str) -> frozenset[str]:
        """Return the property and all below it, with all aliases."""
        return self.property_order.below(iri)

    # Statements

    def allows(self, subject: str, prop: str, value: str) -> bool:
        """True if a statement with these classes and this property is legal.

        Legal is at or below a meta-statement. Terms of RDF Schema and OWL, such as rdfs:label, are
        legal everywhere unless a meta-statement is about them.
        """
        if not self.meta_statements or self._is_free(prop):
            return True
        above, beyond = self.superclasses(subject), self.superclasses(value)
        return any(each.subject in above and each.object in beyond for each in self._said_of(prop))

    def satisfiable(self, subject: str, prop: str, value: str) -> bool:
        """True if a legal statement can be at or below the three; else the pattern never matches.

        Inferred statements need not be legal, so an ontology with rules refuses no pattern.
        """
        if not self.meta_statements or self.rules or self._is_free(prop):
            return True
        low, deep, far = self.subclasses(subject), self.subproperties(prop), self.subclasses(value)
        return any(
            not deep.isdisjoint(self.subproperties(each.property))
            and not low.isdisjoint(self.subclasses(each.subject))
            and not far.isdisjoint(self.subclasses(each.object))
            for each in self.meta_statements
        )

    def value_classes(self, prop: str) -> frozenset[str]:
        """Return the classes and built-in datatypes that meta-statements and ranges give a
        property's values.

        A datatype of the ontology is replaced by those that it is derived from.
        """
        ranges = (self._ranges_of.get(each, ()) for each in self.superproperties(prop))
        given = {each.object for each in self._said_of(prop)}.union(*ranges)
        return frozenset(name for each in given for name in self._built_in(each))

    def _built_in(self, iri: str) -> frozenset[str]:
        """Return a class or built-in datatype as it is; for another datatype the built-in ones
        above it.
        """
        if iri in DATATYPE_PARENT or not self.is_datatype(iri):
            return frozenset((iri,))
        above = self.superclasses(iri) & DATATYPE_PARENT.keys()
        return above or frozenset((ANY_LITERAL,))

    def short(self, iri: str) -> str:
        """Return the IRI with a prefix if one fits, else in angle brackets."""
        for prefix, namespace in sorted(
            self.prefixes.items(), key=lambda each: (-len(each[1]), each[0])
        ):
            if (
                namespace
                and iri.startswith(namespace)
                and _LOCAL_NAME.fullmatch(iri, len(namespace))
            ):
                return f"{prefix}:{iri[len(namespace) :]}"
        return f"<{iri}>"

    def _is_free(self, prop: str) -> bool:
        if prop not in QUIET and not is_membership(prop):
            return False
        return not any(
            each.property in self.subproperties(prop) for each in self.meta_statements
        ) and not any(self._said_of(prop))

    def _said_of(self, prop: str) -> Iterator[MetaStatement]:
        for each in self.superproperties(prop):
            yield from self._by_property.get(each, ())

    # Identity

    def _content(self) -> bytes:
        """Return everything but the TBox and the rules, in one canonical form.

        Without ranges the form is that of versions that did not keep any, and so is the
        fingerprint.
        """
        return json.dumps(
            {
                "classes": _plain(self.class_order),
                "properties": _plain(self.property_order),
                "individuals": sorted(self.individuals),
                "statements": sorted(self.meta_statements),
                "prefixes": dict(sorted(self.prefixes.items())),
                "open": self.open,
                **({"ranges": self.ranges} if self.ranges else {}),
            },
            separators=(",", ":"),
        ).encode()

    def _computed_fingerprint(self) -> str:
        digest = hashlib.sha256(self._content())
        if self.rules:
            digest.update(b"\0" + self.rules.text().encode())
        if self.tbox is not None:
            known = (
                self.tbox.fingerprint if isinstance(self.tbox, Fingerprinted) else repr(self.tbox)
            )
            digest.update(b"\0" + known.encode())
        return digest.hexdigest()


_LOCAL_NAME = re.compile(r"[^\W\d_][\w-]*")


def open_ontology(default_namespace: str | None = None) -> Ontology:
    """Return an open ontology: every IRI is a class or a property of its own."""
    prefixes = dict(PREFIXES) if default_namespace is None else {**PREFIXES, "": default_namespace}
    return Ontology(builtin_classes(), builtin_properties(), prefixes=prefixes, open=True)


def builtin_classes(
    parents: Mapping[str, Iterable[str]] | None = None, aliases: Mapping[str, str] = ALIASES
) -> Hierarchy:
    """Return the built-in classes (owl:Thing, the datatypes of XML Schema) and those given."""
    known: dict[str, frozenset[str]] = {THING: frozenset(), ANY_LITERAL: frozenset()}
    known |= {child: frozenset((parent,)) for child, parent in DATATYPE_PARENT.items()}
    for child, above in _merged(CLASS_PARENTS, parents or {}).items():
        known[child] = above or frozenset((THING,))
    return Hierarchy(known, dict(aliases))


def builtin_properties(
    parents: Mapping[str, Iterable[str]] | None = None, aliases: Mapping[str, str] | None = None
) -> Hierarchy:
    """Return the built-in properties (rdf:value, rdfs:label and so on) and those given."""
    numbered = {child: (MEMBER,) for child in parents or {} if is_membership(child)}
    return Hierarchy(_merged(PROPERTY_PARENTS, parents or {}, numbered), dict(aliases or {}))


def _merged(*tables: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Return the parents that any of the tables gives a name."""
    found: dict[str, frozenset[str]] = {}
    for table in tables:
        for child, above in table.items():
            found[child] = found.get(child, frozenset()).union(above)
    return found


def local_name(iri: str) -> str:
    """Return the part after the last `#`, `/` or `:`."""
    found = _LOCAL.search(iri)
    return found[0] if found else iri


def _plain(order: Hierarchy) -> list[object]:
    return [
        {name: sorted(order.parents[name]) for name in sorted(order.parents)},
        dict(sorted(order.aliases.items())),
    ]


_LIVING: WeakValueDictionary[str, Ontology] = WeakValueDictionary()


def _unpacked(fingerprint: str, packed: bytes, tbox: object | None, rules: Rules) -> Ontology:
    """Return the ontology that was pickled; one shared instance per process."""
    living = _LIVING.get(fingerprint)
    if living is None:
        living = _LIVING[fingerprint] = _built(packed, tbox, rules)
    return living


def _built(packed: bytes, tbox: object | None, rules: Rules) -> Ontology:
    body = json.loads(zlib.decompress(packed))
    classes, properties = (
        Hierarchy({name: frozenset(above) for name, above in parents.items()}, aliases)
        for parents, aliases in (body["classes"], body["properties"])
    )
    statements = tuple(MetaStatement(*each) for each in body["statements"])
    return Ontology(
        classes,
        properties,
        frozenset(body["individuals"]),
        statements,
        body["prefixes"],
        body["open"],
        tbox,
        rules,
        tuple((prop, value) for prop, value in body.get("ranges", ())),
    )
