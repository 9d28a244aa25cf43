"""The client for asyncio: the methods of `Client`, awaited."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

from tocsin.client import calls
from tocsin.client.calls import AT_ONCE, AnyEvent, ApiCall, MatchPage, Published
from tocsin.client.http import (
    NOT_SENT,
    Attempts,
    RetryPolicy,
    ServerConnection,
    TransportError,
    read_json,
    unreachable,
)
from tocsin.client.streams import AsyncMatches, AsyncMatchStream

T = TypeVar("T")

_LOOK = 0.1


class AsyncClient:
    """A service at a URL, with an optional key; for one event loop.

    A request that the service was too busy for, or may not have received, is retried by `patience`:
    events with an id are never counted twice.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        patience: RetryPolicy | None = None,
    ) -> None:
        self._server = ServerConnection(url, key, timeout)
        self._patience = patience or RetryPolicy()
        self._http = self._server.async_client()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def publish(
        self,
        event: AnyEvent | bytes | str,
        content_type: str | None = None,
        source: str | None = None,
    ) -> Published:
        """Publish an event, or a body of a content type: XML, Turtle, JSON-LD, EPCIS, lines.

        Returns when the service has stored it. `source` is the source of documents without one.
        """
        return await self.call(calls.publish(event, content_type, source))

    async def publish_many(
        self, events: Iterable[AnyEvent | bytes], at_once: int = AT_ONCE
    ) -> Published:
        """Publish any number of events, in order, `at_once` per request."""
        done = Published()
        for call in calls.publish_lines(events, at_once):
            done += await self.call(call)
        return done

    async def subscribe(
        self, id: str, expression: str, *, language: str, **more: Any
    ) -> dict[str, Any]:
        """Add or replace the subscription with this id.

        `more` are other members of a subscription, such as `deliver` and `options`.
        """
        return await self.put({"id": id, "language": language, "expression": expression, **more})

    async def put(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """Add or replace a subscription, given as an object as in a file of subscriptions."""
        return await self.call(calls.put_subscription(subscription))

    async def define(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """Add or replace a definition: a region, a part, an ontology and so on."""
        return await self.call(calls.put_definition(definition))

    async def subscriptions(self) -> list[dict[str, Any]]:
        """Return all subscriptions of the caller."""
        return calls.read_list(await self.call(calls.get("/v1/subscriptions")), "subscriptions")

    async def subscription(self, id: str) -> dict[str, Any]:
        """Return one subscription."""
        found: dict[str, Any] = await self.call(calls.get("/v1/subscriptions/{}", id))
        return found

    async def pause(self, id: str, paused: bool = True) -> dict[str, Any]:
        """Suspend matching of a subscription until `pause(id, False)`."""
        return await self.put(calls.with_pause(await self.subscription(id), paused))

    async def delete(self, id: str) -> None:
        """Delete a subscription."""
        await self.call(calls.delete("/v1/subscriptions/{}", id))

    async def definition(self, name: str) -> dict[str, Any]:
        """Return one definition."""
        found: dict[str, Any] = await self.call(calls.get("/v1/definitions/{}", name))
        return found

    async def delete_definition(self, name: str) -> None:
        """Delete a definition."""
        await self.call(calls.delete("/v1/definitions/{}", name))

    async def check(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """Return the problems and warnings of a subscription, without saving it."""
        found: dict[str, Any] = await self.call(calls.post("/v1/check", body=subscription))
        return found

    async def explain(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """Return the plan of a subscription, without saving it."""
        found: dict[str, Any] = await self.call(calls.post("/v1/explain", body=subscription))
        return found

    async def try_out(self, subscription: Mapping[str, Any], last: str = "24h") -> dict[str, Any]:
        """Return the matches that a subscription would have had over the stored events of the
        `last` period.
        """
        found: dict[str, Any] = await self.call(
            calls.post("/v1/try", body={**subscription, "last": last})
        )
        return found

    def matches(
        self, subscription: str | None = None, after: int = 0, page: int = 500
    ) -> AsyncMatches:
        """Iterate over the stored matches after a position, oldest first."""
        return AsyncMatches(self.match_page, subscription, after, page)

    async def match_page(
        self, subscription: str | None = None, after: int = 0, limit: int = 100
    ) -> MatchPage:
        """Return a page of matches after a position, and the position for the next page."""
        return await self.call(calls.get_matches(subscription, after, limit))

    def stream(self, subscription: str | None = None, after: int | None = None) -> AsyncMatchStream:
        """Iterate over new matches, without end, across lost connections and restarts of the
        service.

        It starts after a position, by default from now on.
        """
        return AsyncMatchStream(self._http, self._server, self._patience, subscription, after)

    async def why(self, match: str) -> dict[str, Any]:
        """Return the explanation of a match."""
        found: dict[str, Any] = await self.call(calls.get("/v1/matches/{}/why", match))
        return found

    async def dead_letters(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """Return a page of dead letters."""
        found = await self.call(calls.get("/v1/dead-letters", after=after, limit=limit))
        return calls.read_list(found, "dead_letters")

    async def replay_dead_letter(self, id: int | str) -> Any:
        """Process a dead letter again."""
        return await self.call(calls.post("/v1/dead-letters/{}/replay", str(id)))

    async def delivery(self, id: str) -> dict[str, Any]:
        """Return the delivery status of a subscription."""
        found: dict[str, Any] = await self.call(calls.get("/v1/subscriptions/{}/delivery", id))
        return found

    async def replay(self, id: str, after: int) -> dict[str, Any]:
        """Deliver all matches after a position, again or for the first time."""
        body = {"after": after}
        found: dict[str, Any] = await self.call(
            calls.post("/v1/subscriptions/{}/delivery", id, body=body)
        )
        return found

    async def resume_delivery(self, id: str) -> dict[str, Any]:
        """Resume delivery now, after the receiver has failed or refused."""
        found: dict[str, Any] = await self.call(calls.post("/v1/subscriptions/{}/delivery", id))
        return found

    async def secret(self, id: str) -> str:
        """Return the secret that signs the messages of a subscription."""
        return str((await self.call(calls.get("/v1/subscriptions/{}/secret", id)))["secret"])

    async def change_secret(self, id: str) -> str:
        """Create and return a new secret; the old one is valid for one more day."""
        return str((await self.call(calls.post("/v1/subscriptions/{}/secret", id)))["secret"])

    async def is_ready(self) -> bool:
        """True if the service is ready; False also if it does not respond."""
        try:
            return (await self._http.get("/readyz")).status_code == 200
        except TransportError:
            return False

    async def wait_until_ready(self, within: float = 60.0) -> None:
        """Wait until the service is ready; raises after `within` seconds."""
        end = monotonic() + within
        while not await self.is_ready():
            if monotonic() > end:
                raise unreachable(self._server.url, TimeoutError(f"not ready within {within:g} s"))
            await asyncio.sleep(_LOOK)

    async def call(self, call: ApiCall[T]) -> T:
        """Make a call, with retries as far as `patience` and the call allow."""
        attempts = Attempts(self._server.url, self._patience)
        while True:
            try:
                response = await self._http.request(
                    call.method,
                    call.path,
                    params=call.params or None,
                    headers=call.headers,
                    content=call.content,
                )
            except TransportError as error:
                sure = call.is_repeatable or isinstance(error, NOT_SENT)
                wait = attempts.after_silence(error, is_repeatable=sure)
            else:
                if response.is_success:
                    return call.read(read_json(response.status_code, response.content))
                asked = response.headers.get("retry-after")
                wait = attempts.after_refusal(
                    response.status_code,
                    response.content,
                    asked,
                    is_repeatable=call.is_repeatable,
                )
            await asyncio.sleep(wait)
