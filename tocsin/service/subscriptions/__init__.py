"""Subscriptions and definitions: put, check, dry run, the cache of the catalog."""
