"""Pictures of graph subscriptions, as the paper draws them: the pattern, the array of statement
types, the trees.
"""
