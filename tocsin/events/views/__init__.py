"""Views of an event: attributes, document, graph. Each comes from the data alone: every language
sees every event.
"""
