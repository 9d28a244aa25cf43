"""Composite detection on Spark: atoms where the rows are, combination where the
subscription lives.
"""
