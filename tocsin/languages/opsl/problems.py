"""Problems of values that an OPSL text or its options hold."""

from __future__ import annotations

from tocsin.errors import MeaningProblem


def parameter_problem(message: str, token: str, hint: str) -> MeaningProblem:
    """A number, duration or instant that means nothing where it stands."""
    return MeaningProblem(message, code="ParameterError", token=token[:40], hint=hint)
