"""Who is late: an event that ends behind the watermark when it arrives. A malformed line is never
late.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from tocsin.events.codecs.base.cloudevents import decode
from tocsin.events.event import Event
from tocsin.runtime.watermark import Watermark
from tocsin.values.time import Duration, parse_instant

_TIME = re.compile(r'"time":"([^"]*)"')


class LateWatch:
    """Watches lines in order of arrival, from slice to slice."""

    def __init__(self, lateness: Duration) -> None:
        self._watermark = Watermark(lateness)

    def late_ones(self, lines: Iterable[str], malformed: Collection[str]) -> Iterator[Event]:
        """The late events among the lines; only these are decoded, of all others the time is
        enough.
        """
        for line in lines:
            time = _TIME.search(line)
            if time is None or line in malformed:
                continue
            mark, end = self._watermark.instant, parse_instant(time.group(1))
            self._watermark.advance_to(end)
            if mark is not None and end < mark:
                yield decode(line)
