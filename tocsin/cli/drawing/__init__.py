"""Figures of graph subscriptions, as in the paper: the pattern, the array of statement types, the
trees.
"""
