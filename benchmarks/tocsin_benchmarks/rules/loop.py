"""The baseline of rules: loops that somebody would write by hand, one for each question, from the
same bytes.

They know what they ask: a table by kind and key, and nothing that a rule could ask besides. For
regions they have shapely's bare tree.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Sequence

import numpy as np
import orjson

from tocsin.values.time import parse_instant
from tocsin_benchmarks.geofences.bare import BareTree
from tocsin_benchmarks.rules.workload import HOT, LEAST, OVER, Question, RulesWorkload


def rings_of_loop(workload: RulesWorkload, lines: Sequence[bytes]) -> int:
    """How often the rules ring, by hand."""
    return _LOOPS[workload.question](workload, lines)


def _counted(_: RulesWorkload, lines: Sequence[bytes]) -> int:
    windows: dict[tuple[str, int], deque[int]] = defaultdict(deque)
    rings = 0
    for line in lines:
        body = orjson.loads(line)
        data, at = body["data"], parse_instant(body["time"])
        window = windows[data["kind"], data["key"]]
        while window and window[0] < at - OVER:
            window.popleft()
        was = len(window) >= LEAST
        while window and window[0] <= at - OVER:
            window.popleft()
        window.append(at)
        rings += len(window) >= LEAST and not was
    return rings


def _changed(_: RulesWorkload, lines: Sequence[bytes]) -> int:
    hot: set[tuple[str, int]] = set()
    rings = 0
    for line in lines:
        data = orjson.loads(line)["data"]
        key = (data["kind"], data["key"])
        if data["v"] > HOT:
            rings += key not in hot
            hot.add(key)
        else:
            hot.discard(key)
    return rings


def _crossed(workload: RulesWorkload, lines: Sequence[bytes]) -> int:
    bodies = [orjson.loads(line) for line in lines]
    points = np.array([[float(each) for each in body["place"][7:-1].split()] for body in bodies])
    inside: dict[int, set[int]] = defaultdict(set)
    for at, region in BareTree(workload.regions().rings(), points).pairs().T.tolist():
        inside[at].add(region)
    before: dict[int, set[int]] = {}
    rings = 0
    for number, body in enumerate(bodies):
        key, now = body["data"]["key"], inside.get(number, set())
        was = before.get(key, set())
        rings += sum(region % 2 == 0 for region in now - was)
        rings += sum(region % 2 == 1 for region in was - now)
        before[key] = now
    return rings


_LOOPS: dict[Question, Callable[[RulesWorkload, Sequence[bytes]], int]] = {
    Question.COUNT: _counted,
    Question.CHANGE: _changed,
    Question.REGION: _crossed,
}
