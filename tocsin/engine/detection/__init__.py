"""Detection of composites: one graph for all subscriptions, one file per kind of operator."""
