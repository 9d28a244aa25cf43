"""The settings of delivery: the section `[delivery]`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretStr, field_validator

from tocsin.errors import Problem
from tocsin.service.outbound.addresses import AddressRules
from tocsin.service.outbound.pace import Backoff, SendSlots
from tocsin.values.time import parse_duration


class DeliverySettings(BaseModel):
    """Allowed receivers, timeouts, retries and concurrency of deliveries."""

    model_config = {"extra": "forbid"}

    allowed_networks: Annotated[
        list[str], Field(description="that webhooks may reach although they are not public")
    ] = []
    public_url: Annotated[str, Field(description="of this server, for `source` of matches")] = ""
    timeout: Annotated[str, Field(description="how long a receiver may take to answer")] = "20s"
    tries: Annotated[int, Field(ge=1, description="then a match is a dead letter")] = 50
    first_wait: Annotated[str, Field(description="the longest after the first failure")] = "1s"
    longest_wait: Annotated[str, Field(description="the longest after any failure")] = "10m"
    longest_asked: Annotated[str, Field(description="the longest a receiver gets")] = "1h"
    at_once: Annotated[int, Field(ge=1, description="messages under way")] = 256
    failing_at_once: Annotated[int, Field(ge=1, description="to those that fail")] = 64
    to_one: Annotated[int, Field(ge=1, description="messages under way to one receiver")] = 8
    files: Annotated[Path | None, Field(description="the folder for files")] = None
    secret: Annotated[
        SecretStr | None, Field(description="what secrets are made of, in base64")
    ] = None

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
        """The addresses that webhooks may reach."""
        return AddressRules.allowing(self.allowed_networks)

    @property
    def seconds_to_answer(self) -> float:
        """Time that a receiver has for its response, in seconds."""
        return parse_duration(self.timeout) / 1e6

    @property
    def backoff(self) -> Backoff:
        """The retry schedule."""
        waits = (self.first_wait, self.longest_wait, self.longest_asked)
        return Backoff(self.tries, *(parse_duration(each) / 1e6 for each in waits))

    def lanes(self) -> SendSlots:
        """Return the bounds of concurrent sends."""
        return SendSlots(self.at_once, self.failing_at_once, self.to_one)


def _checked(check: Any, given: object) -> None:
    """Run a check, and raise its problem as the ValueError that pydantic expects."""
    try:
        check(given)
    except Problem as problem:
        raise ValueError(f"{problem.message}; {problem.hint}") from None
