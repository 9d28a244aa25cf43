"""Graph patterns over many subscriptions: `matcher` is the default strategy, `paper` the readable
one.
"""
