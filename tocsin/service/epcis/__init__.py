"""The EPCIS 2.0 interface of the standard: capture, queries and their subscriptions, over the event
log of the service.
"""
