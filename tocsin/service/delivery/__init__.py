"""Delivery: matches from the outbox to webhooks, topics and files; at least once, in order per
subscription, each receiver isolated from the others.
"""
