"""Explanation of a missing match: the conditions of a subscription for an event, the first that
fails and by how much, and partial matches with the event.

Atoms are evaluated one by one, not by the indexes; composite parts by a replay of stored events.
"""
