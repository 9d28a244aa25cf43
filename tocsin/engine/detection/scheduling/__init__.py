"""Steps of time through the shared network: which operator runs next, and when."""
