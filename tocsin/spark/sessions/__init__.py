"""The session that a query runs in, and its Python workers."""
