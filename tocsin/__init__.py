"""Tocsin: publish/subscribe that understands what happened, when, where and what it means.

A public name, or a part of the package such as `tocsin.errors`, is loaded on first access, so that
`tocsin --version` does not load the engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tocsin.version import __version__ as __version__

if TYPE_CHECKING:
    from tocsin import rule
    from tocsin.catalog import Definition, Subscription
    from tocsin.errors import Problem
    from tocsin.events.event import Event
    from tocsin.events.matches.match import Match
    from tocsin.hub.async_hub import AsyncHub
    from tocsin.hub.hub import Handle, Hub

__all__ = [
    "AsyncHub",
    "Definition",
    "Event",
    "Handle",
    "Hub",
    "Match",
    "Problem",
    "Subscription",
    "rule",
]

_HOMES = {
    "AsyncHub": "tocsin.hub.async_hub",
    "Definition": "tocsin.catalog",
    "Event": "tocsin.events.event",
    "Handle": "tocsin.hub.hub",
    "Hub": "tocsin.hub.hub",
    "Match": "tocsin.events.matches.match",
    "Problem": "tocsin.errors",
    "Subscription": "tocsin.catalog",
}
_PARTS = frozenset(
    "catalog client engine errors events hosts hub knowledge languages plan reference rule runtime"
    " spark values".split()
)


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
