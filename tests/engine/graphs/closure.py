"""The oracle of conclusions: an ontology and data in one store, closed under rules in SPARQL.

Each rule is a line of the semantics of RDFS or OWL, applied by pyoxigraph until nothing new
follows. It shares no code with the inference of engine and reference.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyoxigraph import NamedNode, QuerySolutions, RdfFormat, Store

_PREFIXES = """PREFIX owl: <http://www.w3.org/2002/07/owl#>
PREFIX rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
"""
HIERARCHY = (
    "INSERT { ?x a ?wide } WHERE { ?narrow rdfs:subClassOf ?wide . ?x a ?narrow }",
    "INSERT { ?x ?wide ?y } WHERE { ?narrow rdfs:subPropertyOf ?wide . ?x ?narrow ?y }",
    "INSERT { ?x a ?part } WHERE { ?whole owl:intersectionOf/rdf:rest*/rdf:first ?part . ?x a ?whole }",
)
RULES = {
    "domain-range": (
        "INSERT { ?x a ?c } WHERE { ?p rdfs:domain ?c . ?x ?p ?y }",
        "INSERT { ?y a ?c } WHERE { ?p rdfs:range ?c . ?x ?p ?y FILTER(!isLiteral(?y)) }",
    ),
    "inverse": (
        "INSERT { ?y ?q ?x } WHERE { ?p owl:inverseOf|^owl:inverseOf ?q . ?x ?p ?y }",
        "INSERT { ?x ?p ?z } WHERE { ?p a owl:TransitiveProperty . ?x ?p ?y . ?y ?p ?z }",
    ),
    "existential": (
        "INSERT { ?x a ?some } WHERE "
        "{ ?some owl:onProperty ?p ; owl:someValuesFrom ?c . ?x ?p ?y . ?y a ?c }",
        # a value that is only known to exist
        "INSERT { ?x ?p _:value . _:value a ?c } WHERE "
        "{ ?some owl:onProperty ?p ; owl:someValuesFrom ?c . ?x a ?some "
        "FILTER NOT EXISTS { ?x ?p ?y . ?y a ?c } }",
        "INSERT { ?x a ?whole } WHERE { ?whole owl:intersectionOf ?list . "
        "?list rdf:first ?one ; rdf:rest ?rest . ?rest rdf:first ?other ; rdf:rest rdf:nil . "
        "?x a ?one , ?other }",
    ),
}
"""Rules by the name that `infer` has for them; a definition has two parts here."""


def closed_store(ontology: str, triples: str, infer: Iterable[str]) -> Store:
    """Return a store of the ontology (Turtle), the triples (N-Triples) and all that follows."""
    store = Store()
    store.load(ontology.encode(), format=RdfFormat.TURTLE)
    store.load(triples.encode(), format=RdfFormat.N_TRIPLES)
    rules = [*HIERARCHY, *(rule for name in infer for rule in RULES[name])]
    before = 0
    while len(store) > before:
        before = len(store)
        for rule in rules:
            store.update(_PREFIXES + rule)
    return store


def select(store: Store, query: str) -> set[tuple[str, ...]]:
    """Return the rows of a SELECT query as addresses.

    A value that is only known to exist has none, and its rows are left out.
    """
    found = store.query(query)
    assert isinstance(found, QuerySolutions)
    return {
        tuple(each.value for each in row)
        for row in map(tuple, found)
        if all(isinstance(each, NamedNode) for each in row)
    }
