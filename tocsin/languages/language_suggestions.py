"""Hint for an unknown language: the one that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable

from tocsin.languages.base.texts import nearest

_OTHER_NAMES = {
    **dict.fromkeys(("sql", "filter", "where", "boolean"), "selector"),
    **dict.fromkeys(("sparql", "rdf", "turtle", "ops", "shacl"), "graph"),
    **dict.fromkeys(("owl", "dl", "tbox", "rfid"), "concept"),
    **dict.fromkeys(("xml", "xmlql", "e-xml-ql", "xquery", "xpath"), "exmlql"),
    **dict.fromkeys(("cep", "spatial", "geo", "spatiotemporal"), "opsl"),
    **dict.fromkeys(("rules", "when", "flink", "esper", "epl", "match_recognize"), "rule"),
    **dict.fromkeys(("simpleeventquery", "query", "gs1"), "epcis"),
}
_DIALECTS = ("jms", "amqp", "cesql")


def hint_for_language(name: str, known: Iterable[str]) -> str:
    """Return what to write instead of an unknown language."""
    small, names = name.strip().lower(), sorted(known)
    if small in _DIALECTS:
        return f'{small} is a dialect: "language": "selector", "options": {{"dialect": "{small}"}}'
    meant = nearest(small, names, 0.7) or _OTHER_NAMES.get(small, "")
    listed = f"known languages: {', '.join(names)}"
    return f"did you mean {meant}? {listed}" if meant else listed
