"""The parameters of a query: conditions on events, order and limits of the result, and its pages.

In a URL a list is written with bars (`EQ_bizStep=shipping|receiving`), or by repeating the
parameter. Conditions are passed unchanged to the language `epcis`; this file reads only order,
limits and paging. A token of a page holds the start of the next page and the state of the store:
later captures change none of the pages. Tokens are complete in themselves, so none is stored or
expires.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

from tocsin.service.epcis.exceptions import (
    QUERY_PARAMETER,
    QUERY_VALIDATION,
    URI_TOO_LONG,
    EpcisException,
)

MAX_PER_PAGE = 1000
DEFAULT_PER_PAGE = 30
_ORDERED_FIELDS = ("eventTime", "recordTime")
_DIRECTIONS = ("ASC", "DESC")
_PAGING = ("perPage", "nextPageToken")
_CONTROLS = ("orderBy", "orderDirection", "eventCountLimit", "maxEventCount")
_SCALARS = ("GE_", "GT_", "LE_", "LT_", "EXISTS_", "HASATTR_")
"""Prefixes of parameters that have one value, never a list."""
_LONGEST_URI = 16_384
_ORDER_HINT = "eventTime, recordTime, or the full name of an extension field"


@dataclass(frozen=True, slots=True)
class Page:
    """The size of a page, and its token."""

    per_page: int = DEFAULT_PER_PAGE
    token: str = ""


@dataclass(frozen=True, slots=True)
class Controls:
    """Order and limits of a result. Without `order_by` it is in the order of capture."""

    order_by: str = ""
    descending: bool = False
    event_count_limit: int | None = None
    max_event_count: int | None = None

    @property
    def orders_by_field(self) -> bool:
        """True if the order is by an extension field, for which the index has no column."""
        return bool(self.order_by) and self.order_by not in _ORDERED_FIELDS


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The conditions of a query as a text of the language `epcis`, and its controls."""

    text: str
    parameters: Mapping[str, Any]
    controls: Controls


def read_page(given: Mapping[str, str]) -> Page:
    """Return the page that the parameters of a URL request."""
    per_page = given.get("perPage")
    wanted = DEFAULT_PER_PAGE if per_page is None else _count("perPage", per_page)
    if wanted == 0:
        raise _wrong("perPage", "perPage is 1 or more")
    return Page(min(wanted, MAX_PER_PAGE), given.get("nextPageToken", ""))


def question_of_url(
    pairs: Iterable[tuple[str, str]], excluded: Iterable[str] = (), **fixed: Any
) -> ParsedQuery:
    """Return the query of the parameters of a URL, without those of paging and those in `excluded`.

    `fixed` are conditions from the path of the URL.
    """
    asked: dict[str, Any] = {}
    for name, value in pairs:
        if name in _PAGING or name in excluded:
            continue
        if name in _CONTROLS or name.startswith(_SCALARS):
            if name in asked:
                raise _wrong(name, f"{name} is given twice")
            asked[name] = _read_context(name, value)
        elif name == "@context":
            asked[name] = _read_context(name, value)
        else:
            asked[name] = [*asked.get(name, ()), *filter(None, value.split("|"))]
    for name, value in fixed.items():
        asked[name] = _narrowed(asked.get(name), value)
    return question_of(asked)


def question_of(query: Mapping[str, Any]) -> ParsedQuery:
    """Return the query of a JSON object."""
    if not isinstance(query, Mapping):
        raise EpcisException(
            QUERY_VALIDATION, "a query is a JSON object", hint='as in {"EQ_bizStep": ["shipping"]}'
        )
    asked = {
        name: value
        for name, value in query.items()
        if name not in (*_CONTROLS, *_PAGING) and not _is_switched_off(name, value)
    }
    return ParsedQuery(json.dumps(asked, ensure_ascii=False), asked, _read_controls(query))


def require_short(uri: str) -> None:
    """Raise EpcisException if a URI is too long."""
    if len(uri) > _LONGEST_URI:
        raise EpcisException(
            URI_TOO_LONG,
            f"the URI has more than {_LONGEST_URI:,} characters",
            hint="make it a named query: POST /queries",
        )


def _read_context(name: str, value: str) -> Any:
    """Return the value of a parameter; prefixes are parsed as a JSON object."""
    if name != "@context":
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _narrowed(given: Any, value: Any) -> list[Any]:
    """Return the value that the path requires; empty if the same parameter excludes it."""
    return [value] if given is None or value in given else []


def _is_switched_off(name: str, value: Any) -> bool:
    """True if a parameter has no effect because it is `false`."""
    return name == "EXISTS_errorDeclaration" and value in (False, "false")


def _read_controls(query: Mapping[str, Any]) -> Controls:
    order_by = query.get("orderBy", "")
    direction = query.get("orderDirection", "DESC")
    limit, most = (_optional_count(query, name) for name in ("eventCountLimit", "maxEventCount"))
    if not isinstance(order_by, str) or ("orderBy" in query and not order_by):
        raise _wrong("orderBy", "orderBy is the name of one field")
    if order_by and order_by not in _ORDERED_FIELDS and ":" not in order_by:
        raise _wrong("orderBy", f"{order_by!r} is no field to order by", _ORDER_HINT)
    if direction not in _DIRECTIONS:
        raise _wrong("orderDirection", f"orderDirection is ASC or DESC, got {direction!r}")
    if "orderDirection" in query and not order_by:
        raise _wrong("orderDirection", "orderDirection needs orderBy")
    if limit is not None and most is not None:
        raise _wrong("maxEventCount", "eventCountLimit and maxEventCount exclude each other")
    if limit is not None and not order_by:
        raise _wrong("eventCountLimit", "eventCountLimit needs orderBy: which are the first?")
    return Controls(order_by, bool(order_by) and direction == "DESC", limit, most)


def _optional_count(query: Mapping[str, Any], name: str) -> int | None:
    return _count(name, query[name]) if name in query else None


def _count(name: str, given: Any) -> int:
    value = given[0] if isinstance(given, list) and len(given) == 1 else given
    text = value if isinstance(value, str) else str(value)
    is_number = not isinstance(value, bool) and text.isascii() and text.isdigit()
    if not is_number or len(text) > 18:
        raise _wrong(name, f"{name} is a whole number, got {str(given)[:40]!r}")
    return int(text)


def _wrong(token: str, detail: str, hint: str = "") -> EpcisException:
    return EpcisException(
        QUERY_PARAMETER, detail, code="QueryParameterException", token=token, hint=hint
    )


# Pages of a result.

_VERSION = 1
_LONGEST = 4096
_LIMIT = 2**63


@dataclass(frozen=True, slots=True)
class PageCursor:
    """Start of a page: after a key of the order, in the state up to a number, with `sent` results
    before it.
    """

    after: tuple[int | str, ...]
    until: int
    sent: int = 0


def token_of(place: PageCursor, result_key: str) -> str:
    """Return the token of a place in the result of a query."""
    body = [_VERSION, _mark(result_key), place.until, place.sent, list(place.after)]
    return base64.urlsafe_b64encode(json.dumps(body).encode()).decode().rstrip("=")


def place_of(token: str, result_key: str, *kinds: type[int] | type[str]) -> PageCursor:
    """Return the place of a token; raise EpcisException if it belongs to another query.

    `kinds` are the types of the parts of a key; at the beginning of an order the key may be empty.
    """
    body = _read(token)
    if not _is_place(body):
        raise _wrong_token("the nextPageToken is none that this server gave")
    if body[1] != _mark(result_key):
        raise _wrong_token("the nextPageToken was given for another query")
    place = PageCursor(tuple(body[4]), body[2], body[3])
    if place.after and tuple(map(type, place.after)) != kinds:
        raise _wrong_token("the nextPageToken is none that this server gave")
    return place


def name_after(token: str, result_key: str) -> str:
    """Return the name after which a page of names begins."""
    return "".join(str(name) for name in place_of(token, result_key, str).after)


def _is_place(body: Any) -> bool:
    return (
        isinstance(body, list)
        and len(body) == 5
        and body[0] == _VERSION
        and all(_is_count(each) for each in body[2:4])
        and isinstance(body[4], list)
        and all(type(each) is str or _is_integer(each) for each in body[4])
    )


def _is_count(value: Any) -> bool:
    return _is_integer(value) and value >= 0


def _is_integer(value: Any) -> bool:
    """True if a value is an integer that a database can store."""
    return type(value) is int and -_LIMIT <= value < _LIMIT


def link_to(path: str, pairs: list[tuple[str, str]], token: str) -> str:
    """Return the Link header of the next page."""
    kept = [(name, value) for name, value in pairs if name != "nextPageToken"]
    return f'<{path}?{urlencode([*kept, ("nextPageToken", token)])}>; rel="next"'


def _read(token: str) -> Any:
    try:
        padded = token + "=" * (-len(token) % 4)
        return json.loads(base64.urlsafe_b64decode(padded)) if len(token) <= _LONGEST else None
    except (ValueError, binascii.Error, RecursionError):
        return None


def _mark(result_key: str) -> str:
    return blake2b(result_key.encode(), digest_size=8).hexdigest()


def _wrong_token(detail: str) -> EpcisException:
    return EpcisException(
        QUERY_PARAMETER,
        detail,
        code="QueryParameterException",
        token="nextPageToken",
        hint="follow the Link header of the page before",
    )
