"""Delivery: matches from the outbox to webhooks, topics and files; at least once, in order per
subscription, and nobody waits for somebody else's receiver.
"""
