"""Shared parts of every language: parser, places, limits, options, problems, atoms in braces, and
the `Reading` that a text gives.
"""
