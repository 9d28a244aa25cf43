"""RDF texts become triples, each once and in order, the same in every process; nothing is
fetched.
"""

from __future__ import annotations

import pytest

from tocsin.errors import LimitProblem, SyntaxProblem
from tocsin.values.media_types import JSON_LD, N_QUADS, N_TRIPLES, RDF_XML, TURTLE
from tocsin.values.rdf import read_rdf
from tocsin.values.terms import DECIMAL, LANG_STRING, Blank, Iri, Literal

P = "http://x/p"
A, B = Iri("http://x/a"), Iri("http://x/b")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.50", Literal("1.50", DECIMAL)),
        ("'x'@EN-GB", Literal("x", LANG_STRING, "en-gb")),
        ("'x'", Literal("x")),
        ("<http://x/b>", B),
        ("_:H", Blank("H")),
        ("[]", Blank("b1")),
    ],
)
def test_terms(text: str, value: object) -> None:
    assert read_rdf(f"<http://x/a> <{P}> {text} .", TURTLE).triples == ((A, P, value),)


def test_triples_count_once_and_keep_their_order() -> None:
    text = f"<http://x/b> <{P}> 1 . <http://x/a> <{P}> 1 . <http://x/b> <{P}> 1 ."
    assert [subject for subject, _, _ in read_rdf(text, TURTLE).triples] == [B, A]


def test_labels_of_the_author_stay_and_others_avoid_them() -> None:
    triples = read_rdf(f"_:b1 <{P}> [ <{P}> [] ] .", TURTLE).triples
    assert {subject for subject, _, _ in triples} | {value for _, _, value in triples} == {
        Blank("b1"),
        Blank("b2"),
        Blank("b3"),
    }


def test_prefixes() -> None:
    assert read_rdf(
        "@prefix : <http://x/> . @prefix y: <http://y/> . :a :p y:b .", TURTLE
    ).prefixes == {
        "": "http://x/",
        "y": "http://y/",
    }


def test_named_graphs_are_refused_or_merged() -> None:
    text = f"<http://x/a> <{P}> <http://x/b> <http://x/g> .\n<http://x/a> <{P}> <http://x/b> <http://x/h> ."
    with pytest.raises(SyntaxProblem):
        read_rdf(text, N_QUADS)
    assert read_rdf(text, N_QUADS, merge_graphs=True).triples == ((A, P, B),)


def test_the_limit_counts_triples() -> None:
    text = f"<http://x/a> <{P}> 1, 2, 3 ."
    assert len(read_rdf(text, TURTLE, limit=3).triples) == 3
    with pytest.raises(LimitProblem):
        read_rdf(text, TURTLE, limit=2)


@pytest.mark.parametrize("media_type", [TURTLE, N_TRIPLES, N_QUADS, RDF_XML, JSON_LD])
@pytest.mark.parametrize("text", ["<", "{", "\ud800"])
def test_malformed_texts(text: str, media_type: str) -> None:
    with pytest.raises(SyntaxProblem, match="malformed"):
        read_rdf(text, media_type)


def test_a_remote_context_is_refused() -> None:
    with pytest.raises(SyntaxProblem, match="never fetched"):
        read_rdf('{"@context": "http://127.0.0.1:9/", "@id": "http://x/a"}', JSON_LD)


@pytest.mark.parametrize(
    "text",
    [f"<< <http://x/a> <{P}> 1 >> <{P}> 1 .", f"<http://x/a> <{P}> <<( <http://x/a> <{P}> 1 )>> ."],
)
def test_statements_about_statements_are_refused(text: str) -> None:
    with pytest.raises(SyntaxProblem, match="about statements"):
        read_rdf(text, TURTLE)


def test_prefixes_of_rdf_xml_are_those_of_its_outermost_element() -> None:
    text = """<?xml version="1.0"?>
    <!DOCTYPE rdf:RDF [<!ENTITY shop "http://shop.example/#">]>
    <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:shop="&shop;" xmlns="http://own.example/#">
      <rdf:Description xmlns:inner="http://inner.example/" rdf:about="http://own.example/#a"><shop:b>1</shop:b></rdf:Description>
    </rdf:RDF>"""
    prefixes = read_rdf(text, "application/rdf+xml").prefixes
    assert (prefixes["shop"], prefixes[""]) == ("http://shop.example/#", "http://own.example/#")
    assert "inner" not in prefixes
