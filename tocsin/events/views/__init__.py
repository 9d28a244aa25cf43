"""Views of an event: attributes, document, graph. Each is derived from the data alone: every
language sees every event.
"""
