"""Matching of concept tests: an index of requirements, an evaluator for the rest, the tableau last.
"""
