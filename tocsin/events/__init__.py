"""Events: the one model, its codecs, and what comes out when a subscription rings."""

from tocsin.events.event import ENVELOPE, Event, Path
from tocsin.events.match import Match

__all__ = ["ENVELOPE", "Event", "Match", "Path"]
