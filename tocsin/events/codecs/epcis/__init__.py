"""EPCIS codec: JSON-LD and XML, 2.0 and 1.x, to events whose attributes are the EPCIS event in one
normal form.

`decode_document` reads a whole document; `normal_events` recognises EPCIS inside the data of
another envelope.
"""

from __future__ import annotations

from tocsin.events.codecs.epcis.document import decode_document, decode_each, normal_events
from tocsin.events.codecs.epcis.event import SOURCE, event_id, from_envelope
from tocsin.events.codecs.epcis.event_hash import event_hash, pre_hash

__all__ = [
    "SOURCE",
    "decode_document",
    "decode_each",
    "event_hash",
    "event_id",
    "from_envelope",
    "normal_events",
    "pre_hash",
]
