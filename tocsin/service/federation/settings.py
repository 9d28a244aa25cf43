"""The settings of federation: the section `[federation]` with the name of this server and its
upstreams.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator

from tocsin.client.http import ServerConnection
from tocsin.errors import MeaningProblem, Problem

_NAME = r"^[A-Za-z0-9._-]{0,60}$"


class Upstream(BaseModel):
    """An upstream server, with the API key for it."""

    model_config = {"extra": "forbid"}

    url: str
    key: SecretStr | None = None

    @field_validator("url")
    @classmethod
    def _is_address(cls, given: str) -> str:
        try:
            return ServerConnection(given).url.rstrip("/")
        except Problem as problem:
            raise ValueError(problem.message) from None

    @property
    def server(self) -> ServerConnection:
        """Address and key for the client."""
        return ServerConnection(self.url, None if self.key is None else self.key.get_secret_value())


class FederationSettings(BaseModel):
    """Name, hop limit and upstreams; without a name the server makes one and stores it."""

    model_config = {"extra": "forbid"}

    server: str = Field("", pattern=_NAME)
    hops: int = Field(16, ge=1, le=1000, description="servers that an event or a wish may pass")
    upstream: list[Upstream] = Field(default_factory=list)


def read_settings(given: Mapping[str, Any]) -> FederationSettings:
    """Return the checked section; raise MeaningProblem with the wrong setting."""
    try:
        return FederationSettings(**given)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, ("federation", *first["loc"])))
        raise MeaningProblem(
            f"{name}: {first['msg']}",
            code="SettingsError",
            token=name,
            hint="docs/federation.md lists the settings",
        ) from None
