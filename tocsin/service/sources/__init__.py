"""Intake of events from brokers into the log: one thread per broker; no loss, and no duplicates if
the broker has offsets.
"""
