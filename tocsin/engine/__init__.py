"""The engine: a pure state machine. No clock, no input or output, no threads, no Spark; one event
is a batch of one.
"""
