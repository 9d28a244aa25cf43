"""Detection by batches: the most common operators, two events with a window, in compiled loops."""
