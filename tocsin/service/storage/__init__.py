"""What the service keeps: the log of events, matches, dead letters, state, keys."""
