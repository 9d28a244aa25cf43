"""Batches of JSON texts as columns: compiled loops scan plain texts, the strict reader others."""
