"""The service without its addresses: its parts in one place, keys, retention, replay."""
