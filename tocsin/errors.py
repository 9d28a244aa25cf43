"""Problems with a code, a position and a fix. One is raised at the first error; `check` collects
all.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """Position in a text: line and column, both from 1."""

    line: int
    column: int

    @staticmethod
    def at(text: str, offset: int) -> Place:
        """Return the position of a character offset in a text; an offset past the end means the
        end.
        """
        before = text[: max(0, offset)]
        return Place(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


class Problem(Exception):
    """A problem that the user can fix: a stable code, the fault, its position, and what to do."""

    default_code = "Problem"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        place: Place | None = None,
        token: str = "",
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.code = code or self.default_code
        self.message = message
        self.place = place
        self.token = token
        self.hint = hint

    def __str__(self) -> str:
        where = f" at {self.place}" if self.place else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.code}{where}: {self.message}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuilt, (type(self), self.message, self.code, self.place, self.token, self.hint))

    def as_json(self) -> dict[str, object]:
        """Return the problem as plain data, for dead letters and machine-readable output."""
        body: dict[str, object] = {"code": self.code, "message": self.message}
        if self.place:
            body |= {"line": self.place.line, "column": self.place.column}
        if self.token:
            body["token"] = self.token
        if self.hint:
            body["hint"] = self.hint
        return body


def _rebuilt(
    kind: type[Problem], message: str, code: str, place: Place | None, token: str, hint: str
) -> Problem:
    return kind(message, code=code, place=place, token=token, hint=hint)


class SyntaxProblem(Problem):
    """The text is not in the language."""

    default_code = "SyntaxError"


class MeaningProblem(Problem):
    """The text is in the language but has no valid meaning: wrong types, unknown names."""

    default_code = "MeaningError"


class UnsupportedProblem(Problem):
    """A valid request that this version, engine or host does not support; the message says why."""

    default_code = "Unsupported"


class EventProblem(Problem):
    """One event is malformed: it becomes a dead letter and the stream continues."""

    default_code = "InvalidEventError"


class StateProblem(Problem):
    """The request conflicts with the current state: an id used twice, or an unknown id."""

    default_code = "StateError"


class LimitProblem(Problem):
    """A configured limit is exceeded."""

    default_code = "LimitError"


def name_taken(name: str, kind: str = "subscription", hint: str = "") -> StateProblem:
    """Return the problem of a subscription or definition whose name is taken."""
    return StateProblem(
        f"{kind} {name!r} is there already",
        code="DuplicateSubscriptionError",
        token=name,
        hint=hint or "remove it first, or choose another name",
    )
