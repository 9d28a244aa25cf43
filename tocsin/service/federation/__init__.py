"""Federation of brokers: a server subscribes at upstream servers with the interests of its own
subscribers, so that only events with a downstream subscriber cross the wire.
"""
