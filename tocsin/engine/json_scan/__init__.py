"""Batches of JSON texts read as columns: what is usual is scanned by compiled loops, what is odd is
left to the strict reader.
"""
