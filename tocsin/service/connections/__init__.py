"""Bounds of connections: the resources that a client may take before and during a request."""
