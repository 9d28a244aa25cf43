"""Events from brokers into the log: one thread for each broker, nothing lost, nothing twice where
the broker can tell.
"""
