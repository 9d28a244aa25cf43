"""Entries of a catalog: subscriptions and definitions in fixed JSON, checked when built."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from tocsin.errors import MeaningProblem, Problem
from tocsin.events.matches.match import MemberContent
from tocsin.knowledge.rules import inferences
from tocsin.lazy_import import LazyModule
from tocsin.values.media_types import TURTLE

if TYPE_CHECKING:
    from tocsin.events.views import document as documents
    from tocsin.languages.rule import building
    from tocsin.languages.rule.building import Rule
else:
    documents = LazyModule("tocsin.events.views.document")
    building = LazyModule("tocsin.languages.rule.building")

_TEXTS = ("id", "language", "expression")
_OPTIONAL_TEXTS = ("policy", "horizon")
_EXAMPLE = '{"id": "cheap", "language": "selector", "expression": "price < 400"}'
_DOCUMENT = "xml"
"""The member that holds a document; `document` is an alias."""


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan in wire form, with hashes of its inputs and the version that made it."""

    origin: str
    wire: str


@dataclass(frozen=True, slots=True)
class Subscription:
    """An expression to match, its language, and its settings.

    `deliver` is an object; its member `content` is the member output of matches. `stored` is the
    plan stored with the text, if there is one; it does not count for equality.
    """

    id: str
    language: str
    expression: str
    subscriber: str = ""
    policy: str | None = None
    horizon: str | None = None
    deliver: Mapping[str, Any] | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    stored: StoredPlan | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if _is_rule(self.expression):
            object.__setattr__(self, "expression", str(self.expression))
        if not isinstance(self.subscriber, str):
            raise _malformed(
                "subscriber must be a string", token="subscriber", hint='a name, as in "stock-team"'
            )
        if self.deliver is None:
            return
        if not isinstance(self.deliver, Mapping):
            raise _malformed(
                "deliver must be an object", token="deliver", hint='as in {"content": "events"}'
            )
        if "content" in self.deliver and self.deliver["content"] not in list(MemberContent):
            raise _malformed(
                f"content {self.deliver['content']!r} is not known",
                token="content",
                hint=f"one of {', '.join(MemberContent)}",
            )

    @property
    def content(self) -> MemberContent | None:
        """The content of members in matches of this subscription; None if not set."""
        return (
            MemberContent(self.deliver["content"])
            if self.deliver and "content" in self.deliver
            else None
        )

    @staticmethod
    def of(rule: Rule, **settings: Any) -> Subscription:
        """Return the subscription of a rule, named by `id` if given, else by the rule; raises
        without a name.
        """
        name = settings.pop("id", None) or rule.id
        if not name:
            raise _malformed(
                f"the rule has no name: {rule}",
                token="id",
                hint='name it at its end: rule.named("missing")',
            )
        return Subscription.from_json(
            {"id": name, "language": building.LANGUAGE, "expression": str(rule), **settings}
        )

    @staticmethod
    def from_json(body: Mapping[str, Any], stored: StoredPlan | None = None) -> Subscription:
        """Return the subscription of a JSON object; every member is checked, none is ignored."""
        if body.keys() == _PLAIN and body["id"] and {str}.issuperset(map(type, body.values())):
            return Subscription(**body, stored=stored)  # fast path: three texts, as in most
        if unknown := sorted(set(body) - _MEMBERS):
            raise _malformed(
                f"unknown member {unknown[0]!r}",
                token=unknown[0],
                hint=_near_member(unknown[0], _MEMBERS),
            )
        if isinstance(body.get("expression"), dict):
            body = {**body, "expression": _as_text(body["expression"])}
        if _is_rule(body.get("expression")):
            body = {**body, "expression": str(body["expression"])}
        for name in _TEXTS:
            if not isinstance(body.get(name), str):
                wrong = f"{name} is missing" if name not in body else f"{name} must be a string"
                raise _malformed(
                    wrong, token=name, hint=f"a subscription is a JSON object like {_EXAMPLE}"
                )
        if not body["id"]:
            raise _malformed(
                "id is empty",
                token="id",
                hint="a match names the subscription by it; give it any name",
            )
        for name in _OPTIONAL_TEXTS:
            if not isinstance(body.get(name), str | None):
                hint = 'write it like "deferred"' if name == "policy" else 'write it like "2h"'
                raise _malformed(f"{name} must be a string", token=name, hint=hint)
        if not isinstance(body.get("options"), dict | None):
            raise _malformed(
                "options must be an object", token="options", hint='as in {"dialect": "jms"}'
            )
        given = {name: value for name, value in body.items() if value is not None}
        return Subscription(**given, stored=stored)

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object, without members that have their default."""
        body = {"id": self.id, "language": self.language, "expression": self.expression}
        rest = {
            name: getattr(self, name)
            for name in ("subscriber", "policy", "horizon", "deliver", "options")
        }
        return body | {name: value for name, value in rest.items() if value not in (None, "", {})}


_PLAIN = frozenset(_TEXTS)
"""The members of a subscription without settings."""

_MEMBERS = frozenset(each.name for each in fields(Subscription) if each.compare)
"""The members that the JSON object of a subscription may have."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A name for a region, a part, an XML document, an ontology or master data, usable in the whole
    catalog.
    """

    name: str
    region: object = None
    language: str = ""
    expression: str = ""
    ontology: str = ""
    media_type: str = ""
    master_data: object = None
    infer: tuple[str, ...] = ()
    document: str = ""

    @staticmethod
    def from_json(body: Mapping[str, Any]) -> Definition:
        """Return the definition of a JSON object: `define` and its content, such as `region` or
        `ontology`.
        """
        name = body.get("define")
        if not isinstance(name, str) or not name:
            raise _malformed("define must be a non-empty name", token="define")
        if isinstance(body.get("expression"), dict):
            body = {**body, "expression": _as_text(body["expression"])}
        if set(body) == {"define", "region"}:
            return Definition(name, region=body["region"])
        if set(body) == {"define", "masterdata"} and isinstance(body["masterdata"], dict | str):
            return Definition(name, master_data=body["masterdata"])
        if set(body) == {"define", "language", "expression"} and all(
            isinstance(v, str) for v in body.values()
        ):
            return Definition(name, language=body["language"], expression=body["expression"])
        if "ontology" in body and set(body) <= {"define", "ontology", "format", "infer"}:
            return _ontology(name, body)
        if set(body) in ({"define", _DOCUMENT}, {"define", "document"}):
            return Definition(
                name, document=_checked_document(name, body.get(_DOCUMENT, body.get("document")))
            )
        raise _malformed(
            f"the definition of {name!r} has the wrong members",
            token=name,
            hint=(
                "beside define it has region, or language and expression, or masterdata, or xml, or"
                " ontology with format and infer"
            ),
        )

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object."""
        if self.region is not None:
            return {"define": self.name, "region": self.region}
        if self.master_data is not None:
            return {"define": self.name, "masterdata": self.master_data}
        if self.ontology:
            infer = {"infer": list(self.infer)} if self.infer else {}
            return {
                "define": self.name,
                "ontology": self.ontology,
                "format": self.media_type,
                **infer,
            }
        if self.document:
            return {"define": self.name, _DOCUMENT: self.document}
        return {"define": self.name, "language": self.language, "expression": self.expression}


def _checked_document(name: str, text: object) -> str:
    """Return the text of a document; raises unless it is well-formed and within the limits."""
    try:
        documents.parse_xml(text)
    except Problem as problem:
        raise MeaningProblem(
            f"the document {name!r}: {problem.message}",
            code="MalformedDocument",
            token=name,
            hint=problem.hint,
        ) from None
    return str(text)


def _ontology(name: str, body: Mapping[str, Any]) -> Definition:
    """Return an ontology: text, media type, by default Turtle, and conclusions to draw."""
    text, kind = body["ontology"], body.get("format", TURTLE)
    for member, value in (("ontology", text), ("format", kind)):
        if not isinstance(value, str) or not value:
            raise _malformed(f"{member} of {name!r} must be a text", token=member)
    return Definition(name, ontology=text, media_type=kind, infer=inferences(body.get("infer")))


def _as_text(expression: Mapping[str, Any]) -> str:
    """Return an expression that is a JSON object as text; equal objects give equal texts."""
    return json.dumps(expression, sort_keys=True, ensure_ascii=False)


def _near_member(name: str, known: Iterable[str]) -> str:
    listed = f"known: {', '.join(sorted(known))}"
    near = get_close_matches(name.lower(), sorted(known), n=1)
    return f"did you mean {near[0]}? {listed}" if near else listed


def _is_rule(expression: object) -> bool:
    """True if an expression is a rule in Python; for text, without importing the rule builder."""
    return not isinstance(expression, str | None) and isinstance(expression, building.Rule)


def _malformed(message: str, *, token: str, hint: str = "") -> MeaningProblem:
    return MeaningProblem(message, code="SubscriptionFormatError", token=token, hint=hint)
