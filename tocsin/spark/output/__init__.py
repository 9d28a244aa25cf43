"""Results of workers: matches and dead letters, in Arrow and as Spark columns."""
