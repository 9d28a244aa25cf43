"""Problems of values in an OPSL text or its options."""

from __future__ import annotations

from tocsin.errors import MeaningProblem


def parameter_problem(message: str, token: str, hint: str) -> MeaningProblem:
    """Return the problem of an invalid number, duration or instant."""
    return MeaningProblem(message, code="ParameterError", token=token[:40], hint=hint)
