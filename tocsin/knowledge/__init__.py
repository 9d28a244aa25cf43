"""Knowledge: what classes, properties and statements mean. Immutable; a new version is a new
object.
"""
