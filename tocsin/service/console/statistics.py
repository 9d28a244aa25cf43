"""Rates of events and matches over the last hour, sampled once a second, so that no event and no
match has a cost. Data stored before the start are counted too.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from tocsin.runtime.admission import wall_clock
from tocsin.service.base.feed import RECENT, Feed
from tocsin.service.base.worker import BackgroundWorker
from tocsin.service.console.tally import MINUTES, MinuteCounts, TenantTallies
from tocsin.service.runner import RunnerStatus
from tocsin.service.storage.log import EventLog
from tocsin.service.storage.log_reader import Browsing
from tocsin.service.storage.tallies import LATE, MINUTE, LetterTally, Tallies
from tocsin.values.time import Instant, format_instant

_LOG = logging.getLogger("tocsin.statistics")

SAMPLE = 1.0
"""Seconds between two samples."""

RATE_SAMPLES = 6
"""Samples that the rate is computed over, from the first to the last."""

RECENT_MATCHES = 200_000
"""Newest matches that are examined for the minutes before the start."""

Status = Callable[[], RunnerStatus]


class Statistics:
    """Samples that `worker` takes once a second; `summarize` returns the results for a tenant.

    With `shared`, other processes may append to the log. With `reports_position`, the status has
    the position of the runner.
    """

    def __init__(
        self,
        log: EventLog,
        browsing: Browsing,
        tallies: Tallies,
        feed: Feed,
        status: Status,
        *,
        shared: bool = False,
        reports_position: bool = True,
    ) -> None:
        self._log, self._browsing, self._tallies = log, browsing, tallies
        self._feed, self._status = feed, status
        self._shared, self._reports_position = shared, reports_position
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._is_caught_up = False
        self._by_tenant = TenantTallies()
        self._events, self._lag, self._waiting = MinuteCounts(), MinuteCounts(), MinuteCounts()
        self._heads: deque[tuple[float, int]] = deque(maxlen=RATE_SAMPLES)
        self._lag_now = 0
        self._event_position = self._match_position = self._letter_position = 0
        self._swept = 0
        self.worker = BackgroundWorker(
            "statistics",
            self.look,
            _LOG,
            pause=SAMPLE,
            first_wait=SAMPLE,
            longest_wait=SAMPLE,
        )

    def summarize(self, tenant: str) -> dict[str, Any]:
        """Return all statistics except those of single subscriptions."""
        status = self._status()
        minute = wall_clock() // MINUTE
        with self._lock:
            own = self._by_tenant.of(tenant)
            now = {
                "events": self._event_position,
                "matches": own.matches.total,
                "dead_letters": own.dead_letters.total,
                "late": own.late,
                "lag_seconds": self._lag_now / 1_000_000,
                "watermark": None if status.watermark is None else format_instant(status.watermark),
                "waiting": status.waiting,
                "events_per_second": self._rate(),
            }
            figures = zip(
                range(minute - MINUTES + 1, minute + 1),
                self._events.last(minute),
                own.matches.last(minute),
                own.dead_letters.last(minute),
                self._lag.last(minute),
                self._waiting.last(minute),
                strict=True,
            )
        minutes = [
            {
                "minute": format_instant(each * MINUTE),
                "events": events,
                "matches": matches,
                "dead_letters": letters,
                "lag_seconds": lag / 1_000_000,
                "waiting": waiting,
            }
            for each, events, matches, letters, lag, waiting in figures
        ]
        return {"now": now, "minutes": minutes}

    def matches_by_subscription(self, tenant: str) -> dict[str, dict[str, Any]]:
        """Return the matches of each subscription of a tenant that has ever matched."""
        minute = wall_clock() // MINUTE
        with self._lock:
            known = self._by_tenant.of(tenant).subscriptions
            return {
                id: {"matches": each.total, "minutes": each.last(minute)}
                for id, each in known.items()
            }

    def totals(self, tenant: str) -> dict[str, int]:
        """Return the number of matches of each subscription of a tenant."""
        with self._lock:
            known = self._by_tenant.of(tenant).subscriptions
            return {id: each.total for id, each in known.items()}

    def look(self) -> None:
        """Take a sample; the first time, also count the data stored before."""
        with self._looking:
            if not self._is_caught_up:
                self._catch_up()
                self._is_caught_up = True
            self._look()

    def _look(self) -> None:
        now = wall_clock()
        minute = now // MINUTE
        if self._shared:
            self._log.look_for_others()
        head, status = self._log.head, self._status()
        matches, letters = self._new_matches(), self._new_letters()
        lag = self._lag_of(status, now)
        with self._lock:
            self._events.add(minute, max(0, head - self._event_position))
            self._event_position = head
            self._heads.append((time.monotonic(), head))
            self._lag_now = lag
            self._lag.put(minute, max(lag, self._lag.at(minute)))
            self._waiting.put(minute, status.waiting)
            for (tenant, subscription, at), count in matches.items():
                self._by_tenant.add_matches(tenant, subscription, at, count)
            for letter in letters:
                self._by_tenant.add_letters(
                    letter.tenant, letter.minute, letter.count, are_late=letter.code == LATE
                )
            if minute != self._swept:
                self._swept = minute
                self._by_tenant.forget_old(minute)

    def _catch_up(self) -> None:
        """Count the data stored before the start; by minute only the newest matches."""
        minute = wall_clock() // MINUTE
        first = minute - MINUTES + 1
        since = first * MINUTE
        head = self._log.head
        match_head, letter_head = self._tallies.heads()
        kept = self._tallies.all_matches(match_head)
        begin = max(0, match_head - RECENT_MATCHES)
        recent = self._tallies.matches(begin, match_head, since)
        letters = self._tallies.letters(0, letter_head)
        counts = self._event_counts(range(first, minute + 1), head)
        with self._lock:
            for each in recent:
                key = (each.tenant, each.subscription)
                self._by_tenant.add_matches(*key, each.minute, each.count)
                kept[key] = kept.get(key, 0) - each.count
            for (tenant, subscription), count in kept.items():
                self._by_tenant.add_kept(tenant, subscription, count)
            for letter in letters:
                self._by_tenant.add_letters(
                    letter.tenant, letter.minute, letter.count, are_late=letter.code == LATE
                )
            for at, count in counts:
                self._events.add(at, count)
            self._event_position = head
        self._match_position, self._letter_position = match_head, letter_head

    def _event_counts(self, minutes: range, head: int) -> list[tuple[int, int]]:
        firsts = self._browsing.positions_since([each * MINUTE for each in minutes])
        end = head + 1
        starts = [end if each is None else min(end, each) for each in firsts]
        return [
            (minute, after - before)
            for minute, before, after in zip(minutes, starts, [*starts[1:], end], strict=True)
        ]

    def _new_matches(self) -> dict[tuple[str, str, int], int]:
        """Return the matches since the last sample, by tenant, subscription and minute; from memory
        if they are there.
        """
        head = self._feed.head
        if head <= self._match_position:
            return {}
        rows = self._feed.recent(self._match_position, RECENT)
        counts: dict[tuple[str, str, int], int] = {}
        if rows is not None:
            for row in rows:
                key = (row.tenant, row.subscription, row.stored // MINUTE)
                counts[key] = counts.get(key, 0) + 1
            head = rows[-1].position if rows else self._match_position
        else:
            for each in self._tallies.matches(self._match_position, head):
                counts[each.tenant, each.subscription, each.minute] = each.count
        self._match_position = head
        return counts

    def _new_letters(self) -> list[LetterTally]:
        head = self._tallies.heads()[1]
        if head <= self._letter_position:
            return []
        after, self._letter_position = self._letter_position, head
        return self._tallies.letters(after, head)

    def _lag_of(self, status: RunnerStatus, now: Instant) -> int:
        """Return the age of the oldest unmatched event, in microseconds."""
        if status.position >= self._log.head or not self._reports_position:
            return 0
        rows = self._log.read(status.position, 1)
        return max(0, now - rows[0].received) if rows else 0

    def _rate(self) -> float:
        """Return the events per second over the last samples."""
        if len(self._heads) < 2:
            return 0.0
        (begun, first), (ended, last) = self._heads[0], self._heads[-1]
        return round((last - first) / max(ended - begun, 0.001), 1)
