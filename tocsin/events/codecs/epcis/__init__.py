"""The EPCIS codec: JSON-LD and XML, 2.0 and 1.x, in one normal form.

Begin with `document.py`: `decode_document` reads a whole document, `normal_events` recognises EPCIS
inside another envelope. `event_schema.py` has the fields, `field_readers.py` checks them,
`json_context.py` and `identifiers.py` make equal things equal, `from_xml.py` converts XML,
`event.py` gives identity, interval and place, `master_data.py` follows the standard.

Imports: `errors`, `events`, `events.codecs.base`, `events.views`, `values`.
Test a change with: `tests/events/epcis`.
"""

from __future__ import annotations

from tocsin.events.codecs.epcis.document import decode_document, decode_each, normal_events
from tocsin.events.codecs.epcis.event import SOURCE, event_hash, event_id, from_envelope, pre_hash

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
