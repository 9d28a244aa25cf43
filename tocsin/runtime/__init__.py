"""Hosts own order, lateness, time and durability: in process (`local`) and on Spark (`spark`)."""
