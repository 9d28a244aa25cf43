"""Matching concept tests: an index over what they require, an evaluator for what that leaves open,
the tableau last.
"""
