"""Webhooks: a match, or a batch of them, posted as CloudEvents and signed.

A 2xx status is a success; 410 ends the deliveries; everything else, redirects included, is retried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from time import time

from tocsin import __version__
from tocsin.errors import Problem
from tocsin.service.delivery.message import (
    BATCH_CONTENT,
    EVENT_CONTENT,
    DeliveryMessage,
    batch_body,
    batch_id,
    single_body,
)
from tocsin.service.delivery.outcomes import Delivered, Failed, Gone, Outcome
from tocsin.service.delivery.signing import signature_headers
from tocsin.service.outbound.backoff import read_retry_after
from tocsin.service.outbound.http_sender import HttpSender, ReceiverResponse
from tocsin.service.outbound.webhook_url import WebhookUrl

_SHOWN = 200
_AGENT = f"tocsin/{__version__}"


@dataclass(frozen=True, slots=True)
class Webhook:
    """A receiver behind a URL, which verifies messages by the secrets they are signed with."""

    url: WebhookUrl
    secrets: Sequence[str]
    sender: HttpSender
    origin: str = ""
    batch: int = 1
    clock: Callable[[], float] = time

    @property
    def receiver(self) -> str:
        """Scheme, host and port."""
        return self.url.origin

    async def send(self, notices: Sequence[DeliveryMessage]) -> Outcome:
        """Send one message with all matches."""
        now = self.clock()
        single = self.batch == 1
        body = single_body(notices[0], self.origin) if single else batch_body(notices, self.origin)
        headers = {
            "content-type": f"{EVENT_CONTENT if single else BATCH_CONTENT}; charset=utf-8",
            "user-agent": _AGENT,
            **signature_headers(self.secrets, batch_id(notices), int(now), body),
        }
        try:
            answer = await self.sender.post(self.url, headers, body.encode())
        except Problem as problem:
            return Failed(problem.message, code=problem.code)
        return outcome_of(answer, now)


def outcome_of(answer: ReceiverResponse, now: float) -> Outcome:
    """Return the outcome of a response."""
    if 200 <= answer.status < 300:
        return Delivered()
    if answer.status == 410:
        return Gone("the receiver answered 410 Gone")
    asked = read_retry_after(answer.headers.get("retry-after"), datetime.fromtimestamp(now, UTC))
    return Failed(_describe_answer(answer), asked)


def _describe_answer(answer: ReceiverResponse) -> str:
    if 300 <= answer.status < 400:
        return f"the receiver answered {answer.status}: redirects are not followed"
    said = " ".join(answer.text[:_SHOWN].split())
    return f"the receiver answered {answer.status}{f': {said}' if said else ''}"
