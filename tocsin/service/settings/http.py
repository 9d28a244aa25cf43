"""The settings of connections: the section `[http]`."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Annotated

from pydantic import BaseModel, Field, field_validator

from tocsin.errors import Problem
from tocsin.values.time import parse_duration


class HttpSettings(BaseModel):
    """Bounds of connections in number, size and time. Durations are texts such as 10s."""

    model_config = {"extra": "forbid"}

    connections: Annotated[int, Field(ge=1, description="open at a time")] = 4_000
    per_address: Annotated[int, Field(ge=1, description="open at a time of one address")] = 1_000
    proxies: Annotated[
        list[str], Field(description="networks to which per_address does not apply")
    ] = []
    spare_files: Annotated[
        int, Field(ge=16, description="file descriptors kept for databases and files")
    ] = 512
    head_bytes: Annotated[int, Field(ge=1024, description="of request line and headers")] = 65_536
    head_count: Annotated[int, Field(ge=8, description="headers of a request")] = 128
    url_bytes: Annotated[int, Field(ge=256, description="of the address in a request")] = 16_384
    message_bytes: Annotated[int, Field(ge=1, description="of a WebSocket message")] = 65_536
    head_timeout: Annotated[str, Field(description="from the first byte to the last header")] = (
        "10s"
    )
    body_timeout: Annotated[str, Field(description="the time over which body_rate is taken")] = (
        "30s"
    )
    body_rate: Annotated[int, Field(ge=1, description="bytes a second that a body needs")] = 250
    keep_alive: Annotated[str, Field(description="between two requests")] = "30s"
    send_timeout: Annotated[str, Field(description="in which a client reads nothing")] = "60s"

    @field_validator("head_timeout", "body_timeout", "keep_alive", "send_timeout")
    @classmethod
    def _is_duration(cls, given: str) -> str:
        try:
            length = parse_duration(given)
        except Problem as problem:
            raise ValueError(f"{problem.message}; {problem.hint}") from None
        if length <= 0:
            raise ValueError("must be longer than nothing")
        return given

    @field_validator("proxies")
    @classmethod
    def _are_networks(cls, given: list[str]) -> list[str]:
        for each in given:
            ip_network(each)
        return given


def seconds(duration: str) -> float:
    """Return a duration of the settings in seconds."""
    return parse_duration(duration) / 1e6
