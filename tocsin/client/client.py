"""The client that waits for each answer. May be used by several threads."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from time import monotonic
from types import TracebackType
from typing import Any, Self, TypeVar

from tocsin.client import calls
from tocsin.client.calls import AT_ONCE, AnyEvent, Call, MatchPage, Published
from tocsin.client.http import NOT_SENT, Server, TransportError
from tocsin.client.responses import Attempts, Patience, read_json, unreachable
from tocsin.client.streams import Matches, MatchStream

T = TypeVar("T")

_LOOK = 0.1


class Client:
    """A service at an address, with a key where it asks for one.

    A request that the service was too busy for, or that it may not have got, is sent again as
    `patience` says: what has an id is never counted twice.
    """

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        timeout: float = 30.0,
        patience: Patience | None = None,
    ) -> None:
        self._server = Server(url, key, timeout)
        self._patience = patience or Patience()
        self._http = self._server.client()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def publish(
        self,
        event: AnyEvent | bytes | str,
        content_type: str | None = None,
        source: str | None = None,
    ) -> Published:
        """Publishes an event, or a body of a content type: XML, Turtle, JSON-LD, EPCIS, lines.

        Returns when it is safe with the service. `source` is that of documents which do not say
        theirs.
        """
        return self.call(calls.publish(event, content_type, source))

    def publish_many(self, events: Iterable[AnyEvent | bytes], at_once: int = AT_ONCE) -> Published:
        """Publishes any number of events, in their order, many in a request."""
        done = Published()
        for call in calls.publish_lines(events, at_once):
            done += self.call(call)
        return done

    def subscribe(self, id: str, expression: str, *, language: str, **more: Any) -> dict[str, Any]:
        """Subscribes, or replaces the subscription of the id; `more` are other members of a
        subscription, such as `deliver` and `options`.
        """
        return self.put({"id": id, "language": language, "expression": expression, **more})

    def put(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """Subscribes with an object as it stands in a file of subscriptions."""
        return self.call(calls.put_subscription(subscription))

    def define(self, definition: Mapping[str, Any]) -> dict[str, Any]:
        """Defines a region, a part or whatever else has a name."""
        return self.call(calls.put_definition(definition))

    def subscriptions(self) -> list[dict[str, Any]]:
        """All subscriptions of the caller."""
        return calls.listed(self.call(calls.get("/v1/subscriptions")), "subscriptions")

    def subscription(self, id: str) -> dict[str, Any]:
        """One subscription."""
        found: dict[str, Any] = self.call(calls.get("/v1/subscriptions/{}", id))
        return found

    def pause(self, id: str, paused: bool = True) -> dict[str, Any]:
        """Has a subscription ring no more until `pause(id, False)`."""
        return self.put(calls.with_pause(self.subscription(id), paused))

    def delete(self, id: str) -> None:
        """Ends a subscription."""
        self.call(calls.delete("/v1/subscriptions/{}", id))

    def definition(self, name: str) -> dict[str, Any]:
        """One definition."""
        found: dict[str, Any] = self.call(calls.get("/v1/definitions/{}", name))
        return found

    def delete_definition(self, name: str) -> None:
        """Removes a definition."""
        self.call(calls.delete("/v1/definitions/{}", name))

    def check(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """Problems and warnings of a subscription, without subscribing."""
        found: dict[str, Any] = self.call(calls.post("/v1/check", body=subscription))
        return found

    def explain(self, subscription: Mapping[str, Any]) -> dict[str, Any]:
        """The plan of a subscription, without subscribing."""
        found: dict[str, Any] = self.call(calls.post("/v1/explain", body=subscription))
        return found

    def try_out(self, subscription: Mapping[str, Any], last: str = "24h") -> dict[str, Any]:
        """What a subscription would have rung for, over the stored events of the last while."""
        found: dict[str, Any] = self.call(
            calls.post("/v1/try", body={**subscription, "last": last})
        )
        return found

    def matches(self, subscription: str | None = None, after: int = 0, page: int = 500) -> Matches:
        """The matches behind a position that are there by now, oldest first."""
        return Matches(self.match_page, subscription, after, page)

    def match_page(
        self, subscription: str | None = None, after: int = 0, limit: int = 100
    ) -> MatchPage:
        """Some matches behind a position, and the position to ask behind the next time."""
        return self.call(calls.get_matches(subscription, after, limit))

    def stream(self, subscription: str | None = None, after: int | None = None) -> MatchStream:
        """Matches as they come, without end, over lost connections and restarts of the service:
        from now on, or behind a position.
        """
        return MatchStream(self._http, self._server, self._patience, subscription, after)

    def why(self, match: str) -> dict[str, Any]:
        """What a match is made of."""
        found: dict[str, Any] = self.call(calls.get("/v1/matches/{}/why", match))
        return found

    def dead_letters(self, after: int = 0, limit: int = 100) -> list[dict[str, Any]]:
        """What could not be served."""
        found = self.call(calls.get("/v1/dead-letters", after=after, limit=limit))
        return calls.listed(found, "dead_letters")

    def replay_dead_letter(self, id: int | str) -> Any:
        """Tries a dead letter once more."""
        return self.call(calls.post("/v1/dead-letters/{}/replay", str(id)))

    def delivery(self, id: str) -> dict[str, Any]:
        """How far the matches of a subscription are delivered."""
        found: dict[str, Any] = self.call(calls.get("/v1/subscriptions/{}/delivery", id))
        return found

    def replay(self, id: str, after: int) -> dict[str, Any]:
        """Delivers everything behind a position, again or for the first time."""
        body = {"after": after}
        found: dict[str, Any] = self.call(
            calls.post("/v1/subscriptions/{}/delivery", id, body=body)
        )
        return found

    def resume_delivery(self, id: str) -> dict[str, Any]:
        """Delivers again, now, though the receiver failed or wanted no more."""
        found: dict[str, Any] = self.call(calls.post("/v1/subscriptions/{}/delivery", id))
        return found

    def secret(self, id: str) -> str:
        """What the receiver knows the messages of a subscription by."""
        return str(self.call(calls.get("/v1/subscriptions/{}/secret", id))["secret"])

    def change_secret(self, id: str) -> str:
        """A new secret; the old one is good for a day more."""
        return str(self.call(calls.post("/v1/subscriptions/{}/secret", id))["secret"])

    def is_ready(self) -> bool:
        """Whether the service serves."""
        try:
            return self._http.get("/readyz").status_code == 200
        except TransportError:
            return False

    def wait_until_ready(self, within: float = 60.0) -> None:
        """Returns when the service serves; a problem where that takes more seconds."""
        end = monotonic() + within
        while not self.is_ready():
            if monotonic() > end:
                raise unreachable(self._server.url, TimeoutError(f"not ready within {within:g} s"))
            time.sleep(_LOOK)

    def call(self, call: Call[T]) -> T:
        """Makes a call, as often as it takes and makes sense."""
        attempts = Attempts(self._server.url, self._patience)
        while True:
            try:
                response = self._http.request(
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
            time.sleep(wait)
