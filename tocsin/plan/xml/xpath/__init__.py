"""XPath 1.0 expressions of XPATH blocks: parsed, rewritten at least cost, with a bound of their
cost.
"""
