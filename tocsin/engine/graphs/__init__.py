"""Graph patterns over many subscriptions: `matcher` is the default strategy, `paper` the one of the
paper, readable.
"""
