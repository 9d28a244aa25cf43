"""Matches, constructed events, and the content that both show."""
