"""Matching of conditions: the subscriptions that each event of a batch makes TRUE.

Every matcher agrees with the reference.
"""
