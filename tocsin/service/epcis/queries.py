"""Named queries: a simple event query, or a subscription in any language of Tocsin.

A query with a `language` and an `expression` is such a subscription. Its result are the events that
match, or that are part of a matching combination.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.catalog.tenants import Owned
from tocsin.errors import Problem
from tocsin.plan.nodes.composites import Plan
from tocsin.service.epcis.event_search import EventQuery
from tocsin.service.epcis.exceptions import (
    QUERY_PARAMETER,
    QUERY_VALIDATION,
    SUBSCRIPTION_CONTROLS,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.parameters import Controls, ParsedQuery, question_of

SIMPLE = "SimpleEventQuery"
_ID = "query"
_LONGEST_NAME = 200
_OWN = ("language", "expression", "options", "policy", "horizon")
"""Members of a query that is a subscription of Tocsin."""


@dataclass(frozen=True, slots=True)
class NamedQuery:
    """A query and its name, as given."""

    name: str
    query: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object of the definition."""
        return {"name": self.name, "query": self.query}


def read_query(body: Mapping[str, Any]) -> NamedQuery:
    """Return the definition in a request; its query is not checked yet."""
    name, query = body.get("name"), body.get("query")
    if not isinstance(name, str) or not name.strip() or len(name) > _LONGEST_NAME or "/" in name:
        raise _wrong("name", f"a query has a name of up to {_LONGEST_NAME} characters, without /")
    if not isinstance(query, Mapping):
        raise _wrong("query", "a query is a JSON object")
    if unknown := sorted(set(body) - {"name", "query", "@context"}):
        raise _wrong(unknown[0], f"the definition of a query has no member {unknown[0]!r}")
    context = {"@context": body["@context"]} if "@context" in body else {}
    return NamedQuery(name, {**context, **query})


def ask(
    query: Mapping[str, Any], definitions: Iterable[Definition], tenant: str = ""
) -> EventQuery:
    """Return the compiled query of a tenant; raise EpcisException for the first problem."""
    if "language" in query or "expression" in query:
        return _compile_as_subscription(query, definitions, tenant)
    return ask_simply(question_of(query), definitions, tenant)


def ask_simply(
    question: ParsedQuery, definitions: Iterable[Definition], tenant: str = ""
) -> EventQuery:
    """Return the compiled query for the parameters of a simple event query."""
    subscription = Subscription(Owned(tenant, _ID).key, "epcis", question.text)
    plan = _compiled(subscription, definitions)
    return EventQuery(plan, question.controls, question.text, question.parameters.get("@context"))


def require_standing(query: EventQuery) -> None:
    """Raise EpcisException if a query orders or limits its result, which a subscription never has
    as a whole.
    """
    if query.controls != Controls():
        raise EpcisException(
            SUBSCRIPTION_CONTROLS,
            "the query orders or cuts its result (orderBy, eventCountLimit, maxEventCount), so that"
            " nobody can subscribe to it",
            hint="make a query without these parameters",
        )


def _compile_as_subscription(
    query: Mapping[str, Any], definitions: Iterable[Definition], tenant: str
) -> EventQuery:
    controls = question_of({name: query[name] for name in query if name not in _OWN})
    if controls.parameters.keys() - {"@context"}:
        other = sorted(controls.parameters.keys() - {"@context"})[0]
        raise _wrong(other, f"{other} is no member of a query with a language")
    own = {name: query[name] for name in _OWN if name in query}
    try:
        subscription = Subscription.from_json({"id": Owned(tenant, _ID).key, **own})
    except Problem as problem:
        raise exception_of(QUERY_VALIDATION, problem) from None
    text = f"{subscription.language} {subscription.expression} {controls.controls}"
    return EventQuery(_compiled(subscription, definitions), controls.controls, text)


def _compiled(subscription: Subscription, definitions: Iterable[Definition]) -> Plan:
    try:
        return compile_subscription(subscription, tuple(definitions))
    except Problem as problem:
        is_parameter = problem.code == "QueryParameterException"
        kind = QUERY_PARAMETER if is_parameter else QUERY_VALIDATION
        raise exception_of(kind, problem) from None


def _wrong(token: str, detail: str) -> EpcisException:
    return EpcisException(
        QUERY_VALIDATION,
        detail,
        token=token,
        hint='write {"name": "shipped", "query": {"EQ_bizStep": ["shipping"]}}',
    )
