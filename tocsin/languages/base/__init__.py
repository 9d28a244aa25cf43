"""What every language is made of: a parser with places, limits, options, problems, atoms in braces,
and the reading of a text that it gives.
"""
