"""Events: the one model, its codecs, and the matches of subscriptions."""

from tocsin.events.event import ENVELOPE, Event, Path
from tocsin.events.match import Match

__all__ = ["ENVELOPE", "Event", "Match", "Path"]
