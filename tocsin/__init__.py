"""Tocsin: publish/subscribe that understands what happened, when, where and what it means."""

from tocsin.catalog import Definition, Subscription
from tocsin.errors import Problem
from tocsin.events.event import Event
from tocsin.events.match import Match
from tocsin.hosts.local.async_hub import AsyncHub
from tocsin.hosts.local.hub import Handle, Hub

__all__ = ["AsyncHub", "Definition", "Event", "Handle", "Hub", "Match", "Problem", "Subscription"]
__version__ = "0.1.0"
