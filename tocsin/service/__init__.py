"""The service: publish events, subscribe, be notified. An accepted event is never lost."""
