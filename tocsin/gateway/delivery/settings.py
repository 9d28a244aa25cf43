"""The settings of delivery: the section `[delivery]` of the settings of the service."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, SecretStr, field_validator

from tocsin.errors import Problem
from tocsin.gateway.delivery.addresses import AddressRules
from tocsin.gateway.delivery.backoff import Backoff
from tocsin.gateway.delivery.lanes import Lanes
from tocsin.values.time import parse_duration


class DeliverySettings(BaseModel):
    """How matches are delivered, and to whom they may be."""

    model_config = {"extra": "forbid"}

    allowed_networks: list[str] = Field(
        default_factory=list,
        description="networks that webhooks may reach although they are not public",
    )
    public_url: str = Field("", description="what others call this server, in `source` of matches")
    timeout: str = Field("20s", description="how long a receiver may take to answer")
    tries: int = Field(50, ge=1, description="then a match becomes a dead letter")
    first_wait: str = Field("1s", description="the longest wait after the first failure")
    longest_wait: str = Field("10m", description="the longest wait after any failure")
    longest_asked: str = Field("1h", description="the longest wait that a receiver may ask for")
    at_once: int = Field(256, ge=1, description="messages under way")
    failing_at_once: int = Field(64, ge=1, description="the same to receivers that fail")
    to_one: int = Field(8, ge=1, description="messages under way to one receiver")
    files: Path | None = Field(None, description="the folder for files; none, no files")
    secret: SecretStr | None = Field(
        None, description="what secrets are made of; several gateways need the same"
    )

    @field_validator("allowed_networks")
    @classmethod
    def _are_networks(cls, given: list[str]) -> list[str]:
        _checked(AddressRules.allowing, given)
        return given

    @field_validator("timeout", "first_wait", "longest_wait", "longest_asked")
    @classmethod
    def _is_duration(cls, given: str) -> str:
        _checked(parse_duration, given)
        return given

    @field_validator("public_url")
    @classmethod
    def _has_no_slash(cls, given: str) -> str:
        return given.rstrip("/")

    @property
    def rules(self) -> AddressRules:
        """Which addresses webhooks may reach."""
        return AddressRules.allowing(self.allowed_networks)

    @property
    def seconds_to_answer(self) -> float:
        """How long a receiver may take."""
        return parse_duration(self.timeout) / 1e6

    @property
    def backoff(self) -> Backoff:
        """When failures are tried again."""
        waits = (self.first_wait, self.longest_wait, self.longest_asked)
        return Backoff(self.tries, *(parse_duration(each) / 1e6 for each in waits))

    def lanes(self) -> Lanes:
        """How many send at once."""
        return Lanes(self.at_once, self.failing_at_once, self.to_one)


def _checked(check: Any, given: object) -> None:
    """Raises as pydantic wants to hear it."""
    try:
        check(given)
    except Problem as problem:
        raise ValueError(f"{problem.message}; {problem.hint}") from None
