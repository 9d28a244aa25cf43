"""Bounds of connections: what a client may cost before and while it is served."""
