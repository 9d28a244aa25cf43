"""What the indexes of all families of atoms are built of: columns that grow, lists of numbers,
keys, hits, and the work that was done.
"""
