"""What workers give back: matches and dead letters, in Arrow and as Spark tells them."""
