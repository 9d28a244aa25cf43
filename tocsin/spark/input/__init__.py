"""Rows of any layout become events, and what is none becomes a dead letter."""
