"""Conversion of rows of any layout to events; a row that is not an event is a dead letter."""
