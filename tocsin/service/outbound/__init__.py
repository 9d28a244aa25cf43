"""Calls to servers of others: allowed addresses, DNS, pauses between attempts, slots."""
