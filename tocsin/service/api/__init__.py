"""The addresses of the service. Every answer that is no success is a problem document."""
