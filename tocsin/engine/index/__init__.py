"""Building blocks of all indexes: growing columns, posting lists, keys, hits, and work counters."""
