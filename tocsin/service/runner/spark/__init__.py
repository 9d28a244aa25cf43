"""The service on Spark: its log as a source, and a driver that matches, in a process of its own."""
