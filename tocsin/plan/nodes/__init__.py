"""Plans as data: atoms, composites, measures. Frozen, hashable, checked when built."""
