"""SQL that selects the highest positions of each store, for its mark."""

from __future__ import annotations

LOG_HEADS = {"events": "SELECT position FROM tocsin_heads WHERE name = 'events'"}

STATE_HEADS = {
    "matches": "SELECT position FROM tocsin_sequences WHERE name = 'matches'",
    "dead_letters": "SELECT position FROM tocsin_sequences WHERE name = 'dead_letters'",
    "runner": "SELECT max(position) FROM tocsin_runners",
    "version": "SELECT max(version) FROM tocsin_runners",
}

DELIVERY_HEADS = {"changed": "SELECT changed FROM tocsin_delivery_changes"}

EPCIS_HEADS = {
    "position": "SELECT position FROM epcis_progress",
    "number": "SELECT number FROM epcis_progress",
}
