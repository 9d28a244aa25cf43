"""The HTTP routes of the service. Every response that is not a success is a problem document."""
