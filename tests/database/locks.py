"""Waits for locked SQLite files that are short enough for a test."""

from __future__ import annotations

import sqlite3
from typing import Any

import pytest

_connect = sqlite3.connect


def wait_briefly(monkeypatch: pytest.MonkeyPatch) -> None:
    """New connections wait 50 ms for a file that another one holds, whatever they ask for."""

    def connect(*given: Any, **options: Any) -> sqlite3.Connection:
        return _connect(*given, **options | {"timeout": 0.05})

    monkeypatch.setattr(sqlite3, "connect", connect)
