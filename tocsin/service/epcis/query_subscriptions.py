"""Subscriptions of queries: receiver, times and start, and their JSON."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from tocsin.errors import MeaningProblem
from tocsin.service.epcis.documents import EPC_FORMATS
from tocsin.service.epcis.exceptions import SUBSCRIPTION_CONTROLS, EpcisException
from tocsin.service.epcis.schedule import FIELDS, read_schedule
from tocsin.values.time import Instant, format_instant, parse_instant

_MEMBERS = ("dest", "signatureToken", "stream", "schedule", "initialRecordTime", "reportIfEmpty")
_TRUTH = {"true": True, "false": False, True: True, False: False}


@dataclass(frozen=True, slots=True)
class ReportSchedule:
    """Times at which a query runs again: after each capture, or by a schedule."""

    schedule: Mapping[str, Any] | None = None
    initial: Instant | None = None
    report_if_empty: bool = False
    epc_format: str = EPC_FORMATS[0]

    @property
    def is_stream(self) -> bool:
        """True if it reports new events at once."""
        return self.schedule is None

    def next_after(self, now: Instant) -> Instant | None:
        """Return the next time of the schedule; None for a stream."""
        return None if self.schedule is None else read_schedule(self.schedule).next_after(now)


@dataclass(frozen=True, slots=True)
class QuerySubscription:
    """A receiver of a query's results, with its cursor."""

    id: str
    tenant: str
    query: str
    terms: ReportSchedule
    dest: str
    created: Instant
    token: str = ""
    cursor: int = 0
    due: Instant | None = None
    notified: Instant | None = None
    minimum: Instant | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON object for the API, without the secret."""
        terms = self.terms
        told: dict[str, Any] = {
            "subscriptionID": self.id,
            "queryName": self.query,
            "dest": self.dest,
            "createdAt": format_instant(self.created),
        }
        told |= {"stream": True} if terms.is_stream else {"schedule": terms.schedule}
        if not terms.is_stream:
            told["reportIfEmpty"] = terms.report_if_empty
        times = {
            "initialRecordTime": terms.initial,
            "lastNotifiedAt": self.notified,
            "minRecordTime": self.minimum,
        }
        told |= {name: format_instant(time) for name, time in times.items() if time is not None}
        return told | {"epcFormat": terms.epc_format}

    def stored(self) -> dict[str, Any]:
        """Return the part that is stored as JSON; the rest are columns."""
        return {
            "dest": self.dest,
            "token": self.token,
            "created": self.created,
            "minimum": self.minimum,
            "schedule": self.terms.schedule,
            "initial": self.terms.initial,
            "report": self.terms.report_if_empty,
            "format": self.terms.epc_format,
        }

    def moved(self, cursor: int, now: Instant, *, was_notified: bool) -> QuerySubscription:
        """Return the subscription after a run of its query."""
        return replace(
            self,
            cursor=cursor,
            due=self.terms.next_after(now),
            notified=now if was_notified else self.notified,
            minimum=now,
        )


def read_terms(body: Mapping[str, Any], epc_format: str) -> ReportSchedule:
    """Return the terms of a subscription; raise EpcisException unless it has either a schedule or a
    stream.
    """
    stream = _flag(body, "stream", default=False)
    schedule = body.get("schedule")
    if stream == (schedule is not None):
        raise _wrong("stream", "a subscription has either stream: true or a schedule")
    if schedule is not None:
        read_schedule(schedule)
    if stream and "reportIfEmpty" in body and _flag(body, "reportIfEmpty", default=False):
        raise _wrong("reportIfEmpty", "a stream reports when there is something: never if empty")
    return ReportSchedule(
        schedule,
        _time(body, "initialRecordTime"),
        _flag(body, "reportIfEmpty", default=False),
        epc_format,
    )


def terms_of_url(given: Mapping[str, str], epc_format: str) -> ReportSchedule:
    """Return the terms in the URL of a WebSocket."""
    body: dict[str, Any] = {
        name: given[name]
        for name in ("stream", "initialRecordTime", "reportIfEmpty")
        if name in given
    }
    if schedule := {name: given[name] for name in FIELDS if name in given}:
        body["schedule"] = schedule
    return read_terms(body, epc_format)


def read_receiver(body: Mapping[str, Any]) -> tuple[str, str]:
    """Return the URL and the secret of a receiver; it is not checked if the URL may be reached."""
    if unknown := sorted(set(body) - set(_MEMBERS)):
        raise _wrong(unknown[0], f"a subscription has no member {unknown[0]!r}")
    dest, token = body.get("dest"), body.get("signatureToken", "")
    if not isinstance(dest, str) or not dest:
        raise _wrong("dest", "dest is the address of the receiver")
    if not isinstance(token, str) or len(token) > 1000:
        raise _wrong("signatureToken", "signatureToken is a text of up to 1000 characters")
    return dest, token


def signature(token: str, body: bytes) -> str:
    """Return the value of GS1-Signature: the HMAC-SHA256 of the body, keyed by the token."""
    return "sha256=" + hmac.new(token.encode(), body, sha256).hexdigest()


def _flag(body: Mapping[str, Any], name: str, *, default: bool) -> bool:
    given = body.get(name, default)
    if not isinstance(given, str | bool) or given not in _TRUTH:
        raise _wrong(name, f"{name} is true or false")
    return _TRUTH[given]


def _time(body: Mapping[str, Any], name: str) -> Instant | None:
    given = body.get(name)
    if given is None:
        return None
    try:
        return parse_instant(given if isinstance(given, str) else "")
    except MeaningProblem as problem:
        raise _wrong(name, f"{name}: {problem.message}", problem.hint) from None


def _wrong(token: str, detail: str, hint: str = "") -> EpcisException:
    return EpcisException(
        SUBSCRIPTION_CONTROLS,
        detail,
        token=token,
        hint=hint or 'write {"dest": "https://example.org/hook", "stream": true}',
    )
