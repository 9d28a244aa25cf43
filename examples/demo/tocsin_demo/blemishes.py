"""What is wrong with a few lines on purpose. Each blemish makes a good line one that no codec may
accept.
"""

from __future__ import annotations

from collections.abc import Callable

Blemish = Callable[[str], str]


def _cut_short(line: str) -> str:
    return line[: len(line) * 2 // 3]


def _without_id(line: str) -> str:
    return line.replace('"id":', '"number":', 1)


def _not_a_number(line: str) -> str:
    return line.replace('"data":{', '"data":{"weight":NaN,', 1)


def _without_zone(line: str) -> str:
    return line.replace('Z"', '"', 1)


def _said_twice(line: str) -> str:
    return line.replace('"type":', '"type":"rumour","type":', 1)


def _old_format(line: str) -> str:
    return line.replace('"specversion":"1.0"', '"specversion":"0.2"', 1)


BLEMISHES: tuple[Blemish, ...] = (
    _cut_short,
    _without_id,
    _not_a_number,
    _without_zone,
    _said_twice,
    _old_format,
)
