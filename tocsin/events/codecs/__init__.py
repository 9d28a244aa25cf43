"""Codecs: bytes to events. One file per wire format; a malformed event raises EventProblem or
LimitProblem.
"""
