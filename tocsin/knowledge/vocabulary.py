"""Names that every ontology knows: those of RDF, RDF Schema, OWL and its forerunner DAML+OIL.

They are known by IRI and by prefixed name. A bare name, or a member of a JSON or XML event, means
one of them only if the ontology itself uses it: a plain `label` belongs to the publisher.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tocsin.values.terms import ANY_LITERAL, OWL, RDF, RDF_VALUE, RDFS, THING, XSD

DAML = "http://www.daml.org/2001/03/daml+oil#"
DAML_SPACES = (DAML, "http://www.daml.org/2000/12/daml+oil#")
"""DAML+OIL in its two editions."""

PREFIXES: Mapping[str, str] = {"rdf": RDF, "rdfs": RDFS, "owl": OWL, "xsd": XSD, "daml": DAML}
"""Prefixes that every ontology knows, unless it redefines them."""

ALIASES: Mapping[str, str] = {
    RDFS + "Resource": THING,
    RDF + "Literal": ANY_LITERAL,
    **{space + "Thing": THING for space in DAML_SPACES},
    **{space + "Literal": ANY_LITERAL for space in DAML_SPACES},
}
"""Other names of the two most general classes."""

MEMBER = RDFS + "member"
_NUMBERED = RDF + "_"
_NUMBER = re.compile(r"[1-9][0-9]*")

_CONTAINER = RDFS + "Container"
CLASS_PARENTS: Mapping[str, tuple[str, ...]] = {
    **{RDF + kind: (_CONTAINER,) for kind in ("Alt", "Bag", "Seq")},
    **dict.fromkeys(
        (_CONTAINER, RDF + "List", RDF + "Statement", OWL + "NamedIndividual", OWL + "Nothing"), ()
    ),
    **dict.fromkeys(
        (RDFS + "Class", RDF + "Property", RDFS + "Datatype", OWL + "Class", OWL + "Ontology"), ()
    ),
}
"""Classes that every ontology knows, beyond datatypes, owl:Thing and rdfs:Literal."""

PROPERTY_PARENTS: Mapping[str, tuple[str, ...]] = {
    RDF_VALUE: (),
    **dict.fromkeys((RDFS + name for name in ("label", "comment", "seeAlso", "member")), ()),
    RDFS + "isDefinedBy": (RDFS + "seeAlso",),
    **dict.fromkeys(
        (RDF + name for name in ("first", "rest", "subject", "predicate", "object")), ()
    ),
    **dict.fromkeys(
        (OWL + name for name in ("sameAs", "differentFrom", "versionInfo", "deprecated")), ()
    ),
}
"""Properties that every ontology knows; `rdf:_1`, `rdf:_2` and so on are below rdfs:member."""

QUIET = frozenset((*CLASS_PARENTS, *PROPERTY_PARENTS, *ALIASES)) - {RDF_VALUE}
"""Names that a bare name does not mean, unless the ontology uses them."""


def is_membership(iri: str) -> bool:
    """True if the property is `rdf:_1`, `rdf:_2` and so on."""
    return iri.startswith(_NUMBERED) and _NUMBER.fullmatch(iri, len(_NUMBERED)) is not None
