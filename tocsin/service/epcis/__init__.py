"""The EPCIS 2.0 REST interface: capture, queries and query subscriptions over the event log."""
