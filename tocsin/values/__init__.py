"""Values that every part shares: time, truth, scalars, text patterns, space. No event, no plan, no
I/O.
"""
