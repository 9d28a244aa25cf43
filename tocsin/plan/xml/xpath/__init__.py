"""XPath 1.0 expressions of XPATH blocks: read, written so that they cost least, and judged by what
they can cost.
"""
