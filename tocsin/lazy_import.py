"""Lazy imports: a module that takes seconds to load is loaded on first access to one of its names.

The type checker sees an ordinary import:

    if TYPE_CHECKING:
        from tocsin.events.views import graph
    else:
        graph = Deferred("tocsin.events.views.graph")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class LazyModule:
    """A stand-in for a module. Every name is looked up once, and safely from any thread."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(import_module(self._module), name)
        setattr(self, name, found)
        return found

    def __repr__(self) -> str:
        return f"<module {self._module}, loaded when it is asked for>"
