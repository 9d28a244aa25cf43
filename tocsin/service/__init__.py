"""The service: publish from anywhere, subscribe, be notified. What is accepted is never lost."""
