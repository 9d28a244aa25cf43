"""What all benchmarks share: the stopwatch, tables of results, files of input."""
