"""Brokers along a chain: a server subscribes at servers upstream with what is asked of it, so that
only events that someone downstream wants cross the wire.
"""
