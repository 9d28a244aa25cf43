"""The fourteen queries of LUBM (Guo, Pan and Heflin, 2005) as graph patterns, and a small
university of our own.

An event is a whole university: its home points to everything in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tests.builders import build_event
from tocsin.events.event import Event
from tocsin.knowledge.loading import KnowledgeSource, ontology_of
from tocsin.knowledge.ontology import Ontology
from tocsin.knowledge.rules import inferences
from tocsin.languages import parse_subscription
from tocsin.languages.base.reading import Context
from tocsin.plan.nodes.graphs import GraphPattern
from tocsin.values.rdf import read_rdf
from tocsin.values.terms import RDF_TYPE, Iri, Triple

ALL = ("domain-range", "inverse", "existential")
DEPARTMENT = "<http://www.Department0.University0.edu>"
UNIVERSITY = "<http://www.University0.edu>"
_OF_DEPARTMENT = DEPARTMENT[:-1]
_LITERALS = "?x ub:emailAddress ?e . ?e a rdfs:Literal"

QUERIES = (
    f"?x a ub:GraduateStudent ; ub:takesCourse {_OF_DEPARTMENT}/GraduateCourse0>",
    "?x a ub:GraduateStudent . ?y a ub:University . ?z a ub:Department . ?x ub:memberOf ?z . "
    "?z ub:subOrganizationOf ?y . ?x ub:undergraduateDegreeFrom ?y",
    f"?x a ub:Publication ; ub:publicationAuthor {_OF_DEPARTMENT}/AssistantProfessor0>",
    f"?x a ub:Professor ; ub:worksFor {DEPARTMENT} ; ub:name ?n ; ub:telephone ?t . ?n a rdfs:Literal . "
    f"?t a rdfs:Literal . {_LITERALS}",
    f"?x a ub:Person ; ub:memberOf {DEPARTMENT}",
    "?x a ub:Student",
    f"?x a ub:Student . ?y a ub:Course . ?x ub:takesCourse ?y . {_OF_DEPARTMENT}/AssociateProfessor0> ub:teacherOf ?y",
    f"?x a ub:Student . ?y a ub:Department . ?x ub:memberOf ?y . ?y ub:subOrganizationOf {UNIVERSITY} . {_LITERALS}",
    "?x a ub:Student . ?y a ub:Faculty . ?z a ub:Course . ?x ub:advisor ?y . ?y ub:teacherOf ?z . ?x ub:takesCourse ?z",
    f"?x a ub:Student ; ub:takesCourse {_OF_DEPARTMENT}/GraduateCourse0>",
    f"?x a ub:ResearchGroup ; ub:subOrganizationOf {UNIVERSITY}",
    f"?x a ub:Chair . ?y a ub:Department . ?x ub:worksFor ?y . ?y ub:subOrganizationOf {UNIVERSITY}",
    f"?x a ub:Person . {UNIVERSITY} ub:hasAlumnus ?x",
    "?x a ub:UndergraduateStudent",
)

SPACE = "http://univ.example/"
ONTOLOGY = f"""@prefix : <{SPACE}> . @prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:Student owl:intersectionOf (:Person [ owl:onProperty :takesCourse ; owl:someValuesFrom :Course ]) .
:Chair owl:intersectionOf (:Person [ owl:onProperty :headOf ; owl:someValuesFrom :Department ]) ; rdfs:subClassOf :Professor .
:Employee owl:intersectionOf (:Person [ owl:onProperty :worksFor ; owl:someValuesFrom :Organization ]) .
:TeachingAssistant owl:intersectionOf (:Person [ owl:onProperty :teachingAssistantOf ; owl:someValuesFrom :Course ]) .
:ResearchAssistant rdfs:subClassOf :Person , [ owl:onProperty :worksFor ; owl:someValuesFrom :ResearchGroup ] .
:GraduateStudent rdfs:subClassOf :Person , [ owl:onProperty :takesCourse ; owl:someValuesFrom :GraduateCourse ] .
:UndergraduateStudent rdfs:subClassOf :Student . :GraduateCourse rdfs:subClassOf :Course .
:FullProfessor rdfs:subClassOf :Professor . :AssociateProfessor rdfs:subClassOf :Professor .
:AssistantProfessor rdfs:subClassOf :Professor . :Professor rdfs:subClassOf :Faculty . :Lecturer rdfs:subClassOf :Faculty .
:Faculty rdfs:subClassOf :Employee . :Book rdfs:subClassOf :Publication . :University rdfs:subClassOf :Organization .
:Department rdfs:subClassOf :Organization . :ResearchGroup rdfs:subClassOf :Organization .
:headOf rdfs:subPropertyOf :worksFor . :worksFor rdfs:subPropertyOf :memberOf . :memberOf owl:inverseOf :member .
:member rdfs:domain :Organization ; rdfs:range :Person .
:undergraduateDegreeFrom rdfs:subPropertyOf :degreeFrom . :mastersDegreeFrom rdfs:subPropertyOf :degreeFrom .
:doctoralDegreeFrom rdfs:subPropertyOf :degreeFrom .
:degreeFrom owl:inverseOf :hasAlumnus ; rdfs:domain :Person ; rdfs:range :University .
:subOrganizationOf a owl:TransitiveProperty ; rdfs:domain :Organization ; rdfs:range :Organization .
:advisor rdfs:domain :Person ; rdfs:range :Professor . :teacherOf rdfs:domain :Faculty ; rdfs:range :Course .
:teachingAssistantOf rdfs:domain :TeachingAssistant ; rdfs:range :Course .
:publicationAuthor rdfs:domain :Publication ; rdfs:range :Person .
:name a owl:DatatypeProperty . :telephone a owl:DatatypeProperty ; rdfs:domain :Person .
:emailAddress a owl:DatatypeProperty ; rdfs:domain :Person .
"""
"""The axioms of univ-bench, the ontology of LUBM, that its data and its queries touch."""

DATA = f"""@prefix : <{SPACE}> . @prefix d: <http://www.Department0.University0.edu/> .
{DEPARTMENT} a :Department ; :subOrganizationOf {UNIVERSITY} .
d:Group0 a :ResearchGroup ; :subOrganizationOf {DEPARTMENT} . d:Group1 a :ResearchGroup ; :subOrganizationOf {DEPARTMENT} .
d:FullProfessor0 a :FullProfessor ; :headOf {DEPARTMENT} ; :doctoralDegreeFrom {UNIVERSITY} ;
  :name "F" ; :telephone "1" ; :emailAddress "f@x" .
d:AssociateProfessor0 a :AssociateProfessor ; :worksFor {DEPARTMENT} ; :teacherOf d:Course1 ;
  :name "A" ; :telephone "2" ; :emailAddress "a@x" .
d:AssistantProfessor0 a :AssistantProfessor ; :worksFor {DEPARTMENT} ; :teacherOf d:GraduateCourse0 ; :name "B" .
d:Course0 a :Course . d:Course1 a :Course . d:GraduateCourse0 a :GraduateCourse .
d:UndergraduateStudent0 a :UndergraduateStudent ; :memberOf {DEPARTMENT} ; :takesCourse d:Course1 ;
  :advisor d:AssociateProfessor0 ; :emailAddress "u@x" .
d:UndergraduateStudent1 a :UndergraduateStudent ; :memberOf {DEPARTMENT} ; :takesCourse d:Course0 .
d:GraduateStudent0 a :GraduateStudent ; :memberOf {DEPARTMENT} ; :takesCourse d:GraduateCourse0 , d:Course1 ;
  :advisor d:AssistantProfessor0 ; :undergraduateDegreeFrom {UNIVERSITY} ; :emailAddress "g@x" .
d:GraduateStudent1 a :GraduateStudent ; :memberOf {DEPARTMENT} .
d:Publication0 a :Publication ; :publicationAuthor d:AssistantProfessor0 .
d:Publication1 a :Book ; :publicationAuthor d:AssistantProfessor0 .
d:Publication2 a :Publication ; :publicationAuthor d:FullProfessor0 .
"""
ANSWERS = (1, 1, 2, 2, 7, 4, 2, 2, 2, 1, 2, 1, 2, 2)
"""Counted by hand: GraduateStudent1 takes no course that the event tells of, and is a student all
the same; nobody says that the university is one but the range of degreeFrom; the head of the
department is its chair and one of its members.
"""
UNINFERRED = (1, 0, 2, 2, 7, 2, 1, 1, 1, 0, 0, 0, 0, 2)
"""The same without any conclusion."""


def event_of(triples: Iterable[Triple]) -> Event:
    """An event whose home points to every resource."""
    said = list(triples)
    things = dict.fromkeys(
        end
        for subject, prop, value in said
        for end in (subject, value if prop != RDF_TYPE else subject)
    )
    lines = [f"{subject} <{prop}> {value} .\n" for subject, prop, value in said]
    lines += [f"<urn:ops:H> <{SPACE}has> {each} .\n" for each in things if isinstance(each, Iri)]
    return build_event("1", content_type="application/n-triples", data="".join(lines))


def small_university() -> Event:
    """The university of `DATA`."""
    return event_of(read_rdf(DATA, "text/turtle").triples)


def knowledge(*texts: tuple[str, str], infer: Iterable[str] = ALL) -> Ontology:
    """An ontology of texts with their media types, and the property of home."""
    sources = [KnowledgeSource(text, kind, infer=inferences(list(infer))) for text, kind in texts]
    return ontology_of(
        [
            *sources,
            KnowledgeSource(
                f"<{SPACE}has> a <http://www.w3.org/1999/02/22-rdf-syntax-ns#Property> ."
            ),
        ]
    )


def patterns(ontology: Ontology) -> Iterator[GraphPattern]:
    """Yield the queries as patterns that select x, y and z."""
    for query in QUERIES:
        starts = _starts(query)
        home = " ".join(f"_:H <{SPACE}has> {each} ." for each in starts)
        text = f"PREFIX ub: <{SPACE}> ASK {{ {home} {query} . }} select {_selected(starts)}"
        found = parse_subscription(
            "graph", text, {"injective": "none"}, Context(ontology=ontology)
        ).pattern
        assert isinstance(found, GraphPattern)
        yield found


def sparql_queries() -> Iterator[str]:
    """Yield the queries in SPARQL, with the same variables in the same order."""
    for query in QUERIES:
        # a store has no rule that literals are of the class of literals
        text = re.sub(r"(\?\w) a rdfs:Literal", r"FILTER(isLiteral(\1))", query)
        yield f"PREFIX ub: <{SPACE}> SELECT DISTINCT {_selected(_starts(query))} {{ {text} }}"


def _starts(query: str) -> list[str]:
    """Return the resources that a query has something to say about."""
    return list(dict.fromkeys(re.findall(r"(\?[xyz]|<http[^>]*>)(?= a ub:| ub:)", query)))


def _selected(starts: list[str]) -> str:
    return " ".join(each for each in starts if each.startswith("?"))
