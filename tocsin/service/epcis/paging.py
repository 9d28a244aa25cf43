"""Pages of a result. A token holds the start of the next page and the state of the store: later
captures change none of the pages. Tokens are complete in themselves, so none is stored or expires.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import urlencode

from tocsin.service.epcis.exceptions import QUERY_PARAMETER, EpcisException

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
        raise _wrong("the nextPageToken is none that this server gave")
    if body[1] != _mark(result_key):
        raise _wrong("the nextPageToken was given for another query")
    place = PageCursor(tuple(body[4]), body[2], body[3])
    if place.after and tuple(map(type, place.after)) != kinds:
        raise _wrong("the nextPageToken is none that this server gave")
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


def _wrong(detail: str) -> EpcisException:
    return EpcisException(
        QUERY_PARAMETER,
        detail,
        code="QueryParameterException",
        token="nextPageToken",
        hint="follow the Link header of the page before",
    )
