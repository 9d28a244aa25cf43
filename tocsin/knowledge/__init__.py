"""Knowledge: the meaning of classes, properties and statements. Immutable; a new version is a new
object.
"""
