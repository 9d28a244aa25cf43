"""Matching: which subscriptions does each event of a batch make TRUE. Any matcher agrees with the
reference.
"""
