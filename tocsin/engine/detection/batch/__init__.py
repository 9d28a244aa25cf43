"""Detection by batches: what is most common, two events with a window, in compiled loops."""
