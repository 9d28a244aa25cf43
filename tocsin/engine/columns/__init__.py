"""Batches of events as columns, and their partitions."""
