"""The engine: a pure state machine. No clock, no I/O, no threads, no Spark; one event is a batch of
one.
"""
