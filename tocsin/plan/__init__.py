"""The plan: the narrow waist between the languages and one engine. Small frozen nodes, identity by
value.
"""
