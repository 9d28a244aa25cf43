"""The meaning of plan nodes: evaluation, occurrences, partitions, bounds."""
