"""Queries, made on the driver: what a caller says becomes one dataflow."""
