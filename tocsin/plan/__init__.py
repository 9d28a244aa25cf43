"""The plan: the only interface between the languages and the engine. Small frozen nodes, equal by
value.
"""
