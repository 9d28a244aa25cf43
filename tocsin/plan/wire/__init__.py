"""Plans as text, for catalogs and messages."""
