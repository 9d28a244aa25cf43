"""What belongs to a service beside its core: workers that start and stop with it, and further
addresses. One line for each; a part that is not wanted gives None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from fastapi import APIRouter, FastAPI

if TYPE_CHECKING:
    from tocsin.gateway.service import Service


class Part(Protocol):
    """Something that runs beside the service."""

    def start(self) -> None:
        """Begins; returns at once."""

    def stop(self) -> None:
        """Ends, and returns when it has ended."""


PARTS: tuple[Callable[[Service], Part | None], ...] = ()
"""Made when the service is made, started after it in this order, stopped before it in the other."""

ROUTERS: tuple[APIRouter, ...] = ()
"""Further addresses of the application."""

MOUNTS: dict[str, Callable[[Service], FastAPI]] = {}
"""Whole applications below a path, with error documents of their own."""
