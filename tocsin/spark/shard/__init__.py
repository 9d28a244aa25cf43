"""Composite detection on Spark: atoms are matched where the rows are, combined in shards."""
