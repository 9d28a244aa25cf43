"""The plan: the narrow waist between five languages and one engine. Small frozen nodes, identity by value."""
