"""Queries, made on the driver: the arguments of a caller become one dataflow."""
