"""Detection of composites: one shared graph over all subscriptions, one file per kind of node."""
