"""Concepts: descriptions of things, the terminology that defines names, and the calculus that
decides.
"""
