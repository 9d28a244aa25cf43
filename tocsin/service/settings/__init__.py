"""Settings of the service: one file for each section."""
