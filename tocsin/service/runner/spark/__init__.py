"""The service on Spark: its log as a source, and a driver that matches in its own process."""
