"""Values that all packages share: time, truth, scalars, text patterns, space. No events, no plans,
no I/O.
"""
