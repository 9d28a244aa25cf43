"""EPCIS: events in, queries over them."""
