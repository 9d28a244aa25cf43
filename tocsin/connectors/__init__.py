"""Connectors: one file per way in or out."""
