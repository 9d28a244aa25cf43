"""Matching of many XML blocks: one pass over a document drives a shared automaton over element
paths.
"""

from tocsin.engine.xml.matcher import BlockMatcher

__all__ = ["BlockMatcher"]
