"""A row of a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tocsin.errors import Problem


class Row(NamedTuple):
    """A row as text, its line or number, its values as written and typed, or its problem."""

    raw: bytes
    line: int
    written: Mapping[str, Any]
    typed: Mapping[str, Any]
    problem: Problem | None = None
