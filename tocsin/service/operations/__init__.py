"""The service as a whole: put together, started, moved, recovered."""
