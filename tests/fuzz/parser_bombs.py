"""Texts that are small and cost much, by the parser that reads them; a size is drawn for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from tocsin.catalog.files import yaml_values
from tocsin.values.media_types import JSON_LD, RDF_XML, TURTLE
from tocsin.values.rdf import read_rdf
from tocsin.values.space import read_place

_RDF = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://x/"'
_VOCAB = '"@context":{"@vocab":"http://x/"}'


def _xml(inside: str, head: str = "", more: str = "") -> str:
    return f'{head}<rdf:RDF {_RDF} {more}><A rdf:about="urn:a">{inside}</A></rdf:RDF>'


def _json(members: str) -> str:
    return f"{{{_VOCAB},{members}}}"


def _laughs(chance: Random) -> str:
    levels, width = chance.randrange(8, 40), chance.randrange(8, 30)
    entities = [f'<!ENTITY e{level} "{f"&e{level - 1};" * width}">' for level in range(1, levels)]
    head = '<!DOCTYPE r [<!ENTITY e0 "lol">' + "".join(entities) + "]>"
    return _xml(f"<p>&e{levels - 1};</p>", head)


def _blowup(chance: Random) -> str:
    size = chance.randrange(20_000, 40_000)
    head = '<!DOCTYPE r [<!ENTITY e "' + "x" * size + '">]>'
    return _xml("<p>&e;</p>" * size, head)


def _names(kind: str, count: int) -> str:
    return " ".join(f'{kind}{number}="http://n/{number}"' for number in range(count))


def _nested(begin: str, end: str, size: int, inside: str = "") -> str:
    return begin * size + inside + end * size


def _many(chance: Random) -> int:
    return chance.randrange(20_000, 60_000)


def _context(chance: Random) -> str:
    terms = {f"t{number}": f"t{number + 1}:a" for number in range(_many(chance))}
    return json.dumps({"@context": {"@vocab": "http://x/", **terms}, "t0": 1})


def _copied_context(chance: Random) -> str:
    terms = {f"t{number}": "http://x/t" for number in range(chance.randrange(1_000, 4_000))}
    nodes = [{"@context": {"a": "http://y/"}, "a": 1}] * len(terms)
    return json.dumps({"@context": {"@vocab": "http://x/", **terms}, "p": nodes})


def _scoped_context(chance: Random) -> str:
    terms = {f"t{number}": f"http://x/{number}" for number in range(chance.randrange(500, 4_000))}
    inner = {"@id": "http://x/p", "@context": terms}
    return json.dumps({
        "@context": {"@version": 1.1, "@vocab": "http://x/", "p": inner},
        "p": [{"p": {"a": number}} for number in range(4_000)],
    })  # fmt: skip


def _long_vocabulary(chance: Random) -> str:
    members = {f"p{number}": "1" for number in range(_many(chance))}
    return json.dumps({"@context": {"@vocab": "http://x/" + "a" * 50_000}, **members})


def _prefixed(chance: Random) -> str:
    names = " ".join(f"p:a p:b p:c{number} ." for number in range(_many(chance)))
    return f"@prefix p: <http://x/{'a' * 50_000}> . {names}"


def _positions(chance: Random) -> list[list[int]]:
    return [[number, number % 7] for number in range(100_001 + _many(chance))]


def _rdf(kind: str, text: Callable[[Random], str]) -> Callable[[Random], Callable[[], object]]:
    def drawn(chance: Random) -> Callable[[], object]:
        written = text(chance)
        return lambda: read_rdf(written, kind)

    return drawn


def _yaml(text: Callable[[Random], str]) -> Callable[[Random], Callable[[], object]]:
    def drawn(chance: Random) -> Callable[[], object]:
        written = text(chance)
        return lambda: list(yaml_values(written))

    return drawn


def _place(value: Callable[[Random], Any]) -> Callable[[Random], Callable[[], object]]:
    def drawn(chance: Random) -> Callable[[], object]:
        given = value(chance)
        return lambda: read_place(given)

    return drawn


BOMBS: Mapping[str, Callable[[Random], Callable[[], object]]] = {
    "entities in entities": _rdf(RDF_XML, _laughs),
    "one entity many times": _rdf(RDF_XML, _blowup),
    "an entity of a file": _rdf(
        RDF_XML,
        lambda _: _xml("<p>&e;</p>", '<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/hostname">]>'),
    ),
    "nested elements": _rdf(RDF_XML, lambda c: _xml(_nested("<p><A>", "</A></p>", _many(c)))),
    "many namespaces": _rdf(RDF_XML, lambda c: _xml("", more=_names("xmlns:n", _many(c)))),
    "many attributes": _rdf(
        RDF_XML, lambda c: _xml('<p><A xmlns:q="http://q/" ' + _names("q:n", _many(c)) + "/></p>")
    ),
    "long prefix": _rdf(TURTLE, _prefixed),
    "nested members": _rdf(JSON_LD, lambda c: _json(_nested('"p":{', "}", _many(c)))),
    "nested lists": _rdf(
        JSON_LD, lambda c: _json('"p":' + _nested('{"@list":[', "]}", _many(c)))
    ),
    "nested @included": _rdf(
        JSON_LD, lambda c: _json(_nested('"@included":{', "}", _many(c), '"p":1'))
    ),
    "a chain of terms": _rdf(JSON_LD, _context),
    "a context copied": _rdf(JSON_LD, _copied_context),
    "a scoped context": _rdf(JSON_LD, _scoped_context),
    "a long vocabulary": _rdf(JSON_LD, _long_vocabulary),
    "a remote context": _rdf(JSON_LD, lambda _: '{"@context":"http://127.0.0.1:9/","p":1}'),
    "nested WKT": _place(lambda c: _nested("GEOMETRYCOLLECTION(", ")", _many(c), "POINT(1 1)")),
    "many WKT points": _place(
        lambda c: "MULTIPOINT(" + ",".join(f"{x} {y}" for x, y in _positions(c)) + ")"
    ),
    "many GeoJSON points": _place(
        lambda c: {"type": "MultiPoint", "coordinates": _positions(c)}
    ),
    "a huge number": _place(lambda c: f"POINT({'9' * _many(c)} 1)"),
    "a huge exponent": _place(lambda c: f"POINT(1e{_many(c)} 1)"),
    "YAML levels": _yaml(lambda c: "[" * _many(c)),
    "YAML aliases": _yaml(lambda _: "a: &a [x]\nb: [*a, *a]\n"),
    "YAML values": _yaml(lambda c: f"[{'1,' * (100_001 + _many(c))}]"),
    "YAML digits": _yaml(lambda c: "- " + "9" * _many(c)),
}  # fmt: skip
"""By what makes each expensive: draws a text and returns the reading of it, which is refused."""
