"""What a catalog holds: subscriptions and definitions, as the fixed JSON format says. Checked when built."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.views.document import parse_xml

_TEXTS = ("id", "language", "expression")
_OPTIONAL_TEXTS = ("subscriber", "policy", "horizon")
_DOCUMENT = "xml"
"""The member that holds a document; `document` says the same."""


@dataclass(frozen=True, slots=True)
class Subscription:
    """What should ring the bell, in which language, and how it is to be treated."""

    id: str
    language: str
    expression: str
    subscriber: str = ""
    policy: str | None = None
    horizon: str | None = None
    deliver: object = None
    options: Mapping[str, object] = field(default_factory=dict)

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Subscription:
        """The subscription of a JSON object; every member is checked, none is ignored."""
        known = {each.name for each in fields(Subscription)}
        if unknown := sorted(set(body) - known):
            raise _malformed(
                f"unknown member {unknown[0]!r}", token=unknown[0], hint=f"known: {', '.join(sorted(known))}"
            )
        if isinstance(body.get("expression"), dict):
            body = {**body, "expression": _as_text(body["expression"])}
        for name in _TEXTS:
            if not isinstance(body.get(name), str):
                raise _malformed(f"{name} is missing" if name not in body else f"{name} must be a string", token=name)
        if not body["id"]:
            raise _malformed("id is empty", token="id")
        for name in _OPTIONAL_TEXTS:
            if not isinstance(body.get(name), str | None):
                raise _malformed(f"{name} must be a string", token=name)
        if not isinstance(body.get("options") or {}, dict):
            raise _malformed("options must be an object", token="options")
        given = {name: value for name, value in body.items() if value is not None}
        return Subscription(**given)

    def as_json(self) -> dict[str, Any]:
        """The JSON object, without members that have their default."""
        body = {"id": self.id, "language": self.language, "expression": self.expression}
        rest = {name: getattr(self, name) for name in ("subscriber", "policy", "horizon", "deliver", "options")}
        return body | {name: value for name, value in rest.items() if value not in (None, "", {})}


@dataclass(frozen=True, slots=True)
class Definition:
    """A name for a region, a part or an XML document, or an ontology, usable by every subscription of the catalog."""

    name: str
    region: object = None
    language: str = ""
    expression: str = ""
    ontology: str = ""
    media_type: str = ""
    document: str = ""

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Definition:
        """The definition of a JSON object: `define` with `region`, `language` and `expression`, `ontology` or `xml`."""
        name = body.get("define")
        if not isinstance(name, str) or not name:
            raise _malformed("define must be a non-empty name", token="define")
        if isinstance(body.get("expression"), dict):
            body = {**body, "expression": _as_text(body["expression"])}
        if set(body) == {"define", "region"}:
            return Definition(name, region=body["region"])
        if set(body) == {"define", "language", "expression"} and all(isinstance(v, str) for v in body.values()):
            return Definition(name, language=body["language"], expression=body["expression"])
        if set(body) == {"define", "ontology", "format"} and all(isinstance(v, str) for v in body.values()):
            return Definition(name, ontology=body["ontology"], media_type=body["format"])
        if set(body) in ({"define", _DOCUMENT}, {"define", "document"}):
            return Definition(name, document=_checked_document(name, body.get(_DOCUMENT, body.get("document"))))
        raise _malformed(
            f"the definition of {name!r} has the wrong members",
            token=name,
            hint="beside define it has region, or language and expression, or ontology and format, or xml",
        )

    def as_json(self) -> dict[str, Any]:
        """The JSON object."""
        if self.region is not None:
            return {"define": self.name, "region": self.region}
        if self.ontology:
            return {"define": self.name, "ontology": self.ontology, "format": self.media_type}
        if self.document:
            return {"define": self.name, _DOCUMENT: self.document}
        return {"define": self.name, "language": self.language, "expression": self.expression}


def _checked_document(name: str, text: object) -> str:
    """The text of a document that is well-formed and within the limits of one."""
    try:
        parse_xml(text)
    except Problem as problem:
        raise MeaningProblem(
            f"the document {name!r}: {problem.message}", code="MalformedDocument", token=name, hint=problem.hint
        ) from None
    return str(text)


def _as_text(expression: Mapping[str, Any]) -> str:
    """An expression that is a JSON object, as text; equal objects are equal texts."""
    return json.dumps(expression, sort_keys=True, ensure_ascii=False)


def _malformed(message: str, *, token: str, hint: str = "") -> MeaningProblem:
    return MeaningProblem(message, code="SubscriptionFormatError", token=token, hint=hint)
