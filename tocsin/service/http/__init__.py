"""Shared by everything that answers over HTTP: callers, bodies, positions, problem documents."""
