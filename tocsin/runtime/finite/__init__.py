"""Runs over finite input, in order."""
