"""Connectors: one file per input or output."""
