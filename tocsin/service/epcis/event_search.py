"""Queries of events, named or not: the index offers candidates, the engine verifies.

Work for one page is bounded.

A page that would need more work ends early and says where it continues. A query that cannot be
answered in pages (of several events, ordered by a field, or counted to its end) is refused if it
would examine more than `MAX_SCANNED_EVENTS` events.

A named query is a simple event query, or a subscription in any language of Tocsin.

A query with a `language` and an `expression` is such a subscription. Its result are the events that
match, or that are part of a matching combination.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tocsin.catalog import Definition, Subscription, compile_subscription
from tocsin.catalog.tenants import Owned
from tocsin.engine.columns.batch import Batch
from tocsin.engine.engine import Engine
from tocsin.errors import Problem
from tocsin.events.codecs.epcis.json_context import expand_name, names_of
from tocsin.events.event import Event, in_canonical_order
from tocsin.plan.nodes.atoms import Atom
from tocsin.plan.nodes.composites import Plan
from tocsin.runtime.finite_run import Input, match_events
from tocsin.service.base.work import checkpoint
from tocsin.service.epcis.exceptions import (
    QUERY_PARAMETER,
    QUERY_TOO_COMPLEX,
    QUERY_TOO_LARGE,
    QUERY_VALIDATION,
    SUBSCRIPTION_CONTROLS,
    EpcisException,
    exception_of,
)
from tocsin.service.epcis.index import EventIndex, Indexed, SortOrder
from tocsin.service.epcis.index_filters import narrowings_of
from tocsin.service.epcis.parameters import (
    Controls,
    Page,
    PageCursor,
    ParsedQuery,
    place_of,
    question_of,
    token_of,
)

CHUNK = 500
MAX_SCANNED_EVENTS = 50_000
_KEY = "query"


@dataclass(frozen=True, slots=True)
class EventQuery:
    """A query of stored events: its plan, how the result is ordered and cut, and its text, which
    identifies it in page tokens.
    """

    plan: Plan
    controls: Controls
    text: str
    context: Any = None

    @property
    def is_paged(self) -> bool:
        """True if each event is decided alone, in an order that the index has."""
        return isinstance(self.plan.pattern, Atom) and not self.controls.orders_by_field


@dataclass(frozen=True, slots=True)
class QueryPage:
    """Events of a result, and the token of the next page, or ""."""

    events: tuple[Event, ...]
    token: str = ""


def find(
    index: EventIndex, query: EventQuery, page: Page, most: int = MAX_SCANNED_EVENTS
) -> QueryPage:
    """Return one page of the result."""
    place = _begin(index, query, page)
    if not page.token:
        _require_few(index, query, place.until, most)
    if not query.is_paged:
        return _cut(_collected(index, query, place.until, most), query, place, page)
    return _scanned(index, query, place, page, most)


def _begin(index: EventIndex, query: EventQuery, page: Page) -> PageCursor:
    if not page.token:
        return PageCursor((), index.last_number())
    return place_of(page.token, query.text, *([int, int] if query.controls.order_by else [int]))


def find_between(index: EventIndex, query: EventQuery, after: int, until: int) -> list[Event]:
    """Return the results among the events after one number and up to another, in the order of
    capture.

    For a query of several events: the combinations that include one of these events.
    """
    if isinstance(query.plan.pattern, Atom):
        order = SortOrder()
        candidates = _candidates(index, query, order, (after,), until)
        return [found.event for found in _decided(query.plan, candidates)]
    return _members(index, query, until, MAX_SCANNED_EVENTS, after)


def _scanned(
    index: EventIndex, query: EventQuery, place: PageCursor, page: Page, most: int
) -> QueryPage:
    order = SortOrder(query.controls.order_by, query.controls.descending)
    wanted = _wanted(query.controls, place, page)
    hits: list[Indexed] = []
    seen = 0
    last: tuple[int, ...] = ()

    def counted() -> Iterator[Indexed]:
        nonlocal seen, last
        for found in _candidates(index, query, order, _numbers(place.after), place.until):
            seen, last = seen + 1, order.key(found)
            yield found

    for found in _decided(query.plan, counted(), lambda: seen >= most):
        hits.append(found)
        if len(hits) > wanted:
            break
    sent = place.sent + min(len(hits), wanted)
    if len(hits) > wanted:
        limit = query.controls.event_count_limit
        after = order.key(hits[wanted - 1]) if wanted else ()
        more = wanted > 0 and (limit is None or sent < limit)
    else:
        after, more = last, seen >= most
    token = token_of(PageCursor(after, place.until, sent), query.text) if more else ""
    return QueryPage(tuple(found.event for found in hits[:wanted]), token)


def _wanted(controls: Controls, place: PageCursor, page: Page) -> int:
    limit = controls.event_count_limit
    return page.per_page if limit is None else max(0, min(page.per_page, limit - place.sent))


def _require_few(index: EventIndex, query: EventQuery, until: int, most: int) -> None:
    """Raise EpcisException if a result has more events than the query allows."""
    allowed = query.controls.max_event_count
    if allowed is None:
        return
    if query.is_paged:
        candidates = _bounded(_candidates(index, query, SortOrder(), (), until), most)
        count = len(list(islice(_decided(query.plan, candidates), allowed + 1)))
    else:
        count = len(_collected(index, query, until, most))
    if count > allowed:
        raise EpcisException(
            QUERY_TOO_LARGE,
            f"the result has more than {allowed} events, which is the maxEventCount of the query",
            hint="ask for less, or leave maxEventCount out and read page by page",
        )


def _candidates(
    index: EventIndex, query: EventQuery, order: SortOrder, after: tuple[int, ...], until: int
) -> Iterator[Indexed]:
    narrowings = narrowings_of(query.plan.pattern)
    while chunk := index.find(narrowings, order, after, until, CHUNK):
        checkpoint()
        yield from chunk
        if len(chunk) < CHUNK:
            return
        after = order.key(chunk[-1])


def _bounded(found: Iterator[Indexed], most: int) -> Iterator[Indexed]:
    for number, each in enumerate(found, 1):
        if number > most:
            raise EpcisException(
                QUERY_TOO_COMPLEX,
                f"the query would have to look at more than {most:,} events",
                hint="narrow it, for example by GE_eventTime or GE_recordTime",
            )
        yield each


def _decided(
    plan: Plan, found: Iterator[Indexed], enough: Callable[[], bool] = lambda: False
) -> Iterator[Indexed]:
    """Yield the events that match the query, batch by batch; no further batch once `enough` is
    True.
    """
    engine = Engine()
    engine.add(_KEY, plan)
    batch: list[Indexed] = []
    for each in found:
        batch.append(each)
        if len(batch) == CHUNK:
            yield from _select_matches(engine, batch)
            batch = []
            if enough():
                return
    yield from _select_matches(engine, batch)


def _select_matches(engine: Engine, batch: Sequence[Indexed]) -> list[Indexed]:
    if not batch:
        return []
    matched = engine.match(Batch([each.event for each in batch]))
    if matched.undecided:
        raise EpcisException(
            QUERY_TOO_COMPLEX, "an event is too hard to decide for the query", hint="simplify it"
        )
    return [batch[index] for index, _ in matched.atomic_matches]


def _collected(index: EventIndex, query: EventQuery, until: int, most: int) -> list[Event]:
    """Return the whole result in its order."""
    events = _members(index, query, until, most)
    controls = query.controls
    if controls.order_by:
        path = (expand_name(controls.order_by, names_of(query.context)),)
        key = _sort_key(path)
        known = [event for event in events if key(event) is not None]
        unknown = [event for event in events if key(event) is None]
        known.sort(key=lambda event: key(event) or (0, ""), reverse=controls.descending)
        events = [*known, *unknown]
    limit = controls.event_count_limit
    return events if limit is None else events[:limit]


def _members(
    index: EventIndex, query: EventQuery, until: int, most: int, after: int = 0
) -> list[Event]:
    """Return the events of the result: those that match or, for a query of several events, all of
    each combination that includes an event after a number.
    """
    found = list(_bounded(_candidates(index, query, SortOrder(), (), until), most))
    if isinstance(query.plan.pattern, Atom):
        return [each.event for each in _decided(query.plan, iter(found))]
    new = {each.event.identity for each in found if each.number > after}
    events = in_canonical_order([each.event for each in found])
    members: dict[tuple[str, str], Event] = {}
    for match in match_events({_KEY: query.plan}, Input(events)):
        if any(event.identity in new for event in match.members):
            members |= {event.identity: event for event in match.members}
    return list(members.values())


def _sort_key(path: tuple[str, ...]) -> Callable[[Event], tuple[int, Any] | None]:
    """Return a function for the sort key of an event: numbers before texts, None for others."""

    def key(event: Event) -> tuple[int, Any] | None:
        value = event.attribute(path)
        if isinstance(value, bool) or not isinstance(value, int | float | str):
            return None
        return (1, value) if isinstance(value, str) else (0, value)

    return key


def _cut(events: list[Event], query: EventQuery, place: PageCursor, page: Page) -> QueryPage:
    """Return a page of a complete result."""
    start = place.sent
    told = events[start : start + page.per_page]
    end = start + len(told)
    token = token_of(PageCursor((), place.until, end), query.text) if end < len(events) else ""
    return QueryPage(tuple(told), token)


def _numbers(after: tuple[int | str, ...]) -> tuple[int, ...]:
    return tuple(each for each in after if isinstance(each, int))


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
