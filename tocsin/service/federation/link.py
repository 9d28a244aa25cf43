"""A link to one upstream: receives its events, and advertises interests.

It continues from the stored position, and restarts both after a lost connection.

The stream is opened before the subscriptions are made, so that no event falls between. A position
is stored when the events up to it are in the log; an event received twice has the same identity.

Interests are sent as subscriptions, and events with the path they have taken.

All conditions are alternatives of few subscriptions, so that an event crosses the wire once however
many it meets. Atoms of other kinds have a subscription each.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from time import monotonic
from typing import Any
from urllib.parse import quote

import httpx
from httpx_sse import ServerSentEvent, SSEError, aconnect_sse

from tocsin.client.http import ServerConnection
from tocsin.errors import LimitProblem, Problem, StateProblem
from tocsin.events.codecs.base.cloudevents import json_text
from tocsin.languages.plan import PATHS
from tocsin.plan.nodes.atoms import AnyOf, Atom, Condition
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import plan_to_json
from tocsin.service.federation.covering import EVERYTHING
from tocsin.service.federation.interests import Interest, InterestSource, interests_for_upstream
from tocsin.service.federation.merging import merge_interests
from tocsin.service.federation.store import LinkStore, SeenEvents
from tocsin.service.outbound.pace import Backoff
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.rows import NewRow

ORIGIN, HOPS = "tocsinorigin", "tocsinhops"
"""Extension attributes of an event from another server: where it was published, and how many
servers it has passed.
"""

PREFIX = "federation."
_WANTS_AT_ONCE = 2_000
"""Conditions that are alternatives of one subscription, at most."""

_MAX_OTHER_ATOMS = 200
"""Atoms of other kinds that are sent one by one, at most; beyond it all events are requested."""

Body = dict[str, Any]


def subscriptions_of(wants: Sequence[Interest], server: str) -> dict[str, Body]:
    """Return the subscriptions that express interests, by id."""
    conditions = [want for want in wants if isinstance(want.atom, Condition)]
    others = [want for want in wants if not isinstance(want.atom, Condition)]
    if len(others) > _MAX_OTHER_ATOMS:
        conditions = merge_interests(
            [*conditions, *(Interest(EVERYTHING, want.path) for want in others)]
        )
        others = []
    found = {
        f"{PREFIX}{server}.{number}": _body(_any_of(chunk), [want.path for want in chunk])
        for number, chunk in enumerate(_chunks(conditions))
    }
    for want in others:
        body = _body(want.atom, [want.path])
        mark = blake2b(json.dumps(body).encode(), digest_size=8).hexdigest()
        found[f"{PREFIX}{server}.{mark}"] = body
    return found


def _chunks(wants: Sequence[Interest]) -> Iterable[Sequence[Interest]]:
    return (wants[start : start + _WANTS_AT_ONCE] for start in range(0, len(wants), _WANTS_AT_ONCE))


def _any_of(wants: Sequence[Interest]) -> Condition:
    operands = tuple(want.atom.expression for want in wants if isinstance(want.atom, Condition))
    return Condition(operands[0] if len(operands) == 1 else AnyOf(operands))


def _body(atom: Atom, paths: Sequence[Sequence[str]]) -> Body:
    return {
        "language": "plan",
        "expression": plan_to_json(Plan(atom)),
        "options": {PATHS: [list(path) for path in paths]},
        "deliver": {"content": "events"},
    }


@dataclass(frozen=True, slots=True)
class Arrived:
    """An event from another server: its identity, where it was published, how many servers it has
    passed, and its text.
    """

    identity: tuple[str, str]
    origin: str
    hops: int
    body: bytes


def read_events(match: Mapping[str, Any], upstream: str) -> list[Arrived]:
    """Return the events of a match from an upstream, with one hop added."""
    members = match.get("members")
    return [_arrived(each, upstream) for each in members or () if isinstance(each, dict)]


def _arrived(event: Mapping[str, Any], upstream: str) -> Arrived:
    hops, origin = event.get(HOPS), event.get(ORIGIN)
    passed = (hops if isinstance(hops, int) and hops > 0 else 0) + 1
    first = origin if isinstance(origin, str) and origin else upstream
    told = {**event, ORIGIN: first, HOPS: passed}
    identity = (str(event.get("source")), str(event.get("id")))
    return Arrived(identity, first, passed, json_text(told).encode())


_LOG = logging.getLogger(__name__)
_LOST = (httpx.HTTPError, SSEError, OSError)
_LOOK = 0.2
_SAVE = 0.5
_AT_ONCE = 500
_WAITING = 5_000


@dataclass(slots=True)
class LinkCounts:
    """Counters of a link since its start."""

    wanted: int = 0
    asked: int = 0
    messages: int = 0
    events: int = 0
    repeated: int = 0
    returned: int = 0
    too_far: int = 0


@dataclass(slots=True)
class LocalServer:
    """The server that a link belongs to."""

    name: str
    hops: int
    demand: InterestSource
    store: LinkStore
    log: EventLog
    memory: SeenEvents


@dataclass(frozen=True, slots=True)
class AdvertisedInterests:
    """Subscriptions, by id, that express the interests at a version of the catalog."""

    version: int
    bodies: Mapping[str, Body]


class Refused(StateProblem):
    """Raised if the upstream rejects a request."""


class FederationLink:
    """One upstream. `run` ends only when it is cancelled."""

    def __init__(self, home: LocalServer, server: ServerConnection) -> None:
        self._home = home
        self._server = server
        self.url = server.url
        self.upstream = ""
        self.is_up = False
        self.position: int | None = None
        self.trouble = ""
        self.counts = LinkCounts()
        self._version = -1
        self._advertised: dict[str, Body] = {}
        self._not_understood: set[Atom] = set()

    def status(self) -> dict[str, Any]:
        """Return the state of the link as JSON."""
        return {
            "url": self.url,
            "server": self.upstream or None,
            "connected": self.is_up,
            "current": self.is_current(),
            "position": self.position,
            "problem": self.trouble or None,
            **asdict(self.counts),
        }

    def is_current(self) -> bool:
        """True if the upstream has all current interests."""
        return self.is_up and self._version == self._home.demand.now().version

    async def run(self) -> None:
        """Keep the link connected; reconnect after failures."""
        backoff, failed = Backoff(first=0.1, longest=10.0), 0
        while True:
            begun = monotonic()
            try:
                async with self._server.async_client() as http:
                    await self._connected(http)
            except (*_LOST, Problem, ValueError) as error:
                self.trouble = str(error) or type(error).__name__
                _LOG.warning("the link to %s is down: %s", self.url, self.trouble)
            finally:
                self.is_up = False
            failed = 1 if monotonic() - begun > 30 else failed + 1
            await asyncio.sleep(backoff.wait(failed))

    async def _connected(self, http: httpx.AsyncClient) -> None:
        self.upstream = await _name_of(http)
        if self.upstream == self._home.name:
            raise StateProblem(f"the upstream {self.url} is this server, {self.upstream}")
        self.position = await asyncio.to_thread(self._home.store.cursor, self.url, self.upstream)
        self._not_understood = set()
        self._advertised = await _subscriptions_at(http, self._home.name)
        while True:
            wish = await asyncio.to_thread(self._find_interests)
            await self._listen_and_ask(http, wish)

    def _find_interests(self) -> AdvertisedInterests:
        """Return the current interests as subscriptions."""
        asked = self._home.demand.now()
        found = interests_for_upstream(
            asked.own, asked.remote, self._home.name, self.upstream, self._home.hops
        )
        wants = merge_interests(
            Interest(EVERYTHING, want.path) if want.atom in self._not_understood else want
            for want in found
        )
        self.counts.wanted, self.counts.asked = len(found), len(wants)
        return AdvertisedInterests(asked.version, subscriptions_of(wants, self._home.name))

    async def _listen_and_ask(
        self, http: httpx.AsyncClient, interests: AdvertisedInterests
    ) -> None:
        """Receive events of some subscriptions until others have to be received, or a failure."""
        queue: asyncio.Queue[tuple[int, list[Arrived]]] = asyncio.Queue(_WAITING)
        ready = asyncio.Event()
        tasks = [
            asyncio.create_task(self._hear(http, list(interests.bodies), queue, ready)),
            asyncio.create_task(self._store(queue)),
            asyncio.create_task(self._ask(http, interests, ready)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(
        self,
        http: httpx.AsyncClient,
        ids: list[str],
        queue: asyncio.Queue[tuple[int, list[Arrived]]],
        ready: asyncio.Event,
    ) -> None:
        headers = {} if self.position is None else {"Last-Event-ID": str(self.position)}
        params = [("subscription", id) for id in ids or [f"{PREFIX}{self._home.name}.none"]]
        timeout = self._server.stream_timeout()
        async with aconnect_sse(
            http, "GET", "/v1/matches/stream", params=params, headers=headers, timeout=timeout
        ) as source:
            if not source.response.is_success:
                await source.response.aread()
                raise Refused(f"it answered {source.response.status_code}")
            async for told in source.aiter_sse():
                self.is_up, self.trouble = True, ""
                ready.set()
                if told.id:
                    await queue.put((int(told.id), self._arrived(told)))
        raise SSEError("the stream ended")

    def _arrived(self, message: ServerSentEvent) -> list[Arrived]:
        if not message.data:
            return []
        self.counts.messages += 1
        return read_events(json.loads(message.data), self.upstream)

    async def _store(self, queue: asyncio.Queue[tuple[int, list[Arrived]]]) -> None:
        """Append events to the log, in batches where many are queued, and store the position."""
        saved = 0.0
        kept = self.position
        while True:
            try:
                taken = [await asyncio.wait_for(queue.get(), _SAVE)]
            except TimeoutError:
                taken = []
            while not queue.empty() and len(taken) < _AT_ONCE:
                taken.append(queue.get_nowait())
            if taken:
                await self._append([each for _, some in taken for each in some])
                self.position = taken[-1][0]
            is_due = monotonic() - saved > _SAVE
            if is_due and self.position is not None and self.position != kept:
                saved, kept = monotonic(), self.position
                await asyncio.to_thread(
                    self._home.store.save, self.url, self.upstream, self.position
                )

    async def _append(self, events: list[Arrived]) -> None:
        new = {each.identity: each for each in events if self._is_new(each)}
        if not new:
            return
        rows = [NewRow(each.body) for each in new.values()]
        while True:
            try:
                await asyncio.wrap_future(self._home.log.append(rows))
                break
            except LimitProblem:
                await asyncio.sleep(0.1)
        self._home.memory.note(new)
        self.counts.events += len(new)

    def _is_new(self, event: Arrived) -> bool:
        """True if an event goes into the log: not published here, not received before, not too many
        hops away.
        """
        if event.origin == self._home.name:
            self.counts.returned += 1
        elif event.hops > self._home.hops:
            self.counts.too_far += 1
        elif event.identity in self._home.memory:
            self.counts.repeated += 1
        else:
            return True
        return False

    async def _ask(
        self, http: httpx.AsyncClient, interests: AdvertisedInterests, ready: asyncio.Event
    ) -> None:
        """Subscribe to the current interests; return when other subscriptions must be received."""
        listened = interests.bodies.keys()
        await ready.wait()
        while await self._update_upstream(http, interests.bodies):
            self._version = interests.version
            while self._home.demand.now().version == interests.version:
                await asyncio.sleep(_LOOK)
            interests = await asyncio.to_thread(self._find_interests)
            if not interests.bodies.keys() <= listened:
                return

    async def _update_upstream(self, http: httpx.AsyncClient, bodies: Mapping[str, Body]) -> bool:
        """Update the subscriptions at the upstream; False if it does not understand one, so that
        all events have to be requested instead.
        """
        for id, body in bodies.items():
            if self._advertised.get(id) != body:
                answer = await http.put(_path(id), json=body)
                if answer.status_code in (400, 422):
                    self._note_foreign(body, answer.text)
                    return False
                _require_success(answer)
                self._advertised[id] = body
        for id in [id for id in self._advertised if id not in bodies]:
            answer = await http.delete(_path(id))
            if answer.status_code != 404:
                _require_success(answer)
            del self._advertised[id]
        return True

    def _note_foreign(self, body: Body, why: str) -> None:
        """Note the atoms that the upstream cannot parse, for example without an ontology: it is to
        send all events for them.
        """
        asked = self._home.demand.now()
        atoms = {*asked.own, *(want.atom for want in asked.remote)}
        wants = [Interest(atom, ("",)) for atom in atoms]
        for want in wants:
            ((_, made),) = subscriptions_of([want], self._home.name).items()
            if made["expression"] == body["expression"]:
                self._not_understood.add(want.atom)
        if not self._not_understood:
            raise Refused(f"it refuses to be asked: {why[:300]}")
        _LOG.warning("%s rejected some interests; requesting all events", self.url)


async def _name_of(http: httpx.AsyncClient) -> str:
    answer = await http.get("/v1/federation")
    _require_success(answer)
    return str(answer.json()["server"])


async def _subscriptions_at(http: httpx.AsyncClient, name: str) -> dict[str, Body]:
    """Return the subscriptions that this server already has at the upstream."""
    answer = await http.get("/v1/subscriptions")
    _require_success(answer)
    found = answer.json()["subscriptions"]
    mine = [each for each in found if each["id"].startswith(f"{PREFIX}{name}.")]
    names = ("language", "expression", "options", "deliver")
    return {each["id"]: {name: each.get(name) for name in names} for each in mine}


def _path(id: str) -> str:
    return f"/v1/subscriptions/{quote(id, safe='')}"


def _require_success(answer: httpx.Response) -> None:
    if not answer.is_success:
        raise Refused(f"{answer.request.url.path}: it answered {answer.status_code}")
