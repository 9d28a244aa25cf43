"""What there is to see: the clock, the counts, a row for every subscription and the newest changes.
No drawing here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from threading import RLock
from time import monotonic

from tocsin.catalog import Subscription
from tocsin.values.time import Instant, format_instant
from tocsin_demo.questions import QUESTIONS
from tocsin_demo.story import DAY, MIDNIGHT
from tocsin_demo.subscriptions import COMBINING

_NEWS_KEPT = 100


@dataclass(slots=True)
class Row:
    """One subscription: how often it rang, in which micro-batch last, and for what."""

    subscription: Subscription
    rings: int = 0
    batch: int | None = None
    last: str = ""
    added: bool = False
    removed: bool = False

    @property
    def is_composite(self) -> bool:
        """Whether it is about several events, or about one that does not come."""
        return self.subscription.id in COMBINING

    @property
    def is_rare(self) -> bool:
        """Whether it is of a story with few events, in a language of its own; its rings are told
        one by one.
        """
        return self.subscription.language != "selector"

    @property
    def question(self) -> str:
        """What it asks for: as it is written, but in words where that is hard to read."""
        return QUESTIONS.get(self.subscription.id) or " ".join(self.subscription.expression.split())

    @property
    def dialect(self) -> str:
        """The dialect where it is not the native one, else the language."""
        return str(self.subscription.options.get("dialect", self.subscription.language))


@dataclass(frozen=True, slots=True)
class Rung:
    """What one micro-batch brought: rings and the newest event in words, by subscription, what was
    not served, and the newest document that was built, where there is one.
    """

    batch: int
    clock: Instant
    version: int
    lines: int
    rings: Mapping[str, int]
    last: Mapping[str, str]
    malformed: int
    late: int
    document: str = ""


@dataclass(frozen=True, slots=True)
class News:
    """A change of the catalog: `+` or `-`, when, what, and the version that it made."""

    sign: str
    clock: Instant
    text: str


@dataclass(slots=True)
class Board:
    """The state of the demo. Written by the stream, read by the screen, each under the lock."""

    rows: dict[str, Row] = field(default_factory=dict)
    news: deque[News] = field(default_factory=lambda: deque(maxlen=_NEWS_KEPT))
    phases: list[tuple[str, float]] = field(default_factory=lambda: [("starting", monotonic())])
    clock: Instant = MIDNIGHT
    batch: int | None = None
    version: int = 0
    lines: int = 0
    matches: int = 0
    malformed: int = 0
    late: int = 0
    document: str = ""
    seconds: float = 0.0
    first: tuple[int, float] | None = None
    lock: RLock = field(default_factory=RLock)

    @property
    def events(self) -> int:
        """Lines that were events."""
        return self.lines - self.malformed

    @property
    def dead_letters(self) -> int:
        """What was malformed or late: neither vanishes."""
        return self.malformed + self.late

    @property
    def rate(self) -> float:
        """Events per second after the first micro-batch, in which Spark's workers are still
        starting.
        """
        events, seconds = self.first or (0, 0.0)
        return (self.events - events) / (self.seconds - seconds) if self.seconds > seconds else 0.0

    @property
    def live(self) -> int:
        """Subscriptions that are there now."""
        return sum(not row.removed for row in self.rows.values())

    def rows_in_order(self) -> list[Row]:
        """Those added during the day first, the newest on top; then those from the start; then
        those removed.
        """
        rows = list(self.rows.values())
        newcomers = [row for row in reversed(rows) if row.added and not row.removed]
        return [
            *newcomers,
            *(row for row in rows if not row.added and not row.removed),
            *(r for r in rows if r.removed),
        ]

    def doing(self, phase: str) -> None:
        """A new phase begins, now."""
        with self.lock:
            self.phases.append((phase, monotonic()))

    def started(self, subscriptions: Iterable[Subscription], version: int) -> None:
        """The catalog as the day begins."""
        with self.lock:
            self.rows = {each.id: Row(each) for each in subscriptions}
            self.version = version

    def added(self, subscription: Subscription, clock: Instant, version: int) -> None:
        """A subscription came."""
        with self.lock:
            self.rows[subscription.id] = Row(subscription, added=True)
            self.news.append(News("+", clock, f"added '{subscription.id}' (version {version})"))

    def removed(self, id_: str, clock: Instant, version: int) -> None:
        """A subscription went; its row stays, with what it rang for."""
        with self.lock:
            self.rows[id_].removed = True
            self.news.append(News("-", clock, f"removed '{id_}' (version {version})"))

    def rang(self, rung: Rung, seconds: float) -> None:
        """A micro-batch is done, so many seconds after the stream began."""
        with self.lock:
            self.clock, self.batch, self.version, self.seconds = (
                rung.clock,
                rung.batch,
                rung.version,
                seconds,
            )
            self.lines += rung.lines
            self.malformed += rung.malformed
            self.late += rung.late
            self.matches += sum(rung.rings.values())
            self.document = rung.document or self.document
            self.first = self.first or (self.events, seconds)
            for id_, rings in rung.rings.items():
                row = self.rows[id_]
                row.rings += rings
                row.batch = rung.batch
                row.last = rung.last.get(id_, row.last)


def time_of_day(clock: Instant) -> str:
    """Hours and minutes; the end of the day is 24:00."""
    return "24:00" if clock >= MIDNIGHT + DAY else format_instant(clock)[11:16]
