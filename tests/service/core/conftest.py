"""A service of the core in this process, asked without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.service.core.asking import Asked
from tocsin.service.api.app import create_app
from tocsin.service.core.service import Service
from tocsin.service.settings.settings import load_settings

Start = Callable[..., Asked]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a service; a second one with the same folder goes on where the first stopped."""
    with ExitStack() as stack:

        def begin(folder: str = "data", **settings: Any) -> Asked:
            given = {"data": tmp_path / folder, "auth": False} | settings
            service = Service(load_settings(**given))
            service.start()
            stack.callback(service.stop)
            client = TestClient(create_app(service), raise_server_exceptions=False)
            return Asked(service, client)

        yield begin


@pytest.fixture
def asked(start: Start) -> Asked:
    """A service without keys."""
    return start()
