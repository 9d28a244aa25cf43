"""finite."""
