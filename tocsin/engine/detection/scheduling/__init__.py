"""Steps of time through the shared network of operators: which operator runs next, and when."""
