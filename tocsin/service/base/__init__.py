"""Shared by all rooms of the service: the feed of new matches, streams, pools for work."""
