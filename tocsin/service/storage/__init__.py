"""The storage of the service: log of events, matches, dead letters, state and keys."""
