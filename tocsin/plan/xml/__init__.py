"""XML patterns, rows, templates and XPath."""
