"""Files as they are found."""
