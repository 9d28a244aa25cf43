"""Matching of concept tests: an index of requirements, then an evaluator, then the tableau."""
