"""Bodies of requests into rows of the log."""
