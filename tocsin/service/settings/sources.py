"""The settings of brokers: the sections `[kafka]` and `[mqtt]`."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, Field, ValidationError

from tocsin.connectors.mqtt import MqttServer
from tocsin.errors import MeaningProblem

_S = TypeVar("_S", bound=BaseModel)


class _SourceSection(BaseModel):
    model_config = {"extra": "forbid"}


class KafkaSettings(_SourceSection):
    """Brokers, topics to read, the topic for dead letters, and settings of the client library."""

    servers: str = ""
    topics: list[str] = Field(default_factory=list)
    group: str = "tocsin"
    tenant: str = ""
    batch: int = Field(5_000, ge=1)
    dead_letters: str = ""
    client: dict[str, Any] = Field(default_factory=dict)

    @property
    def library(self) -> dict[str, Any]:
        """The settings of the client library."""
        return dict(self.client) | {"bootstrap.servers": self.servers}


class MqttSettings(_SourceSection):
    """Server, credentials and topics to read."""

    host: str = ""
    port: int = Field(1883, ge=1, le=65535)
    topics: list[str] = Field(default_factory=list)
    client: str = "tocsin"
    username: str | None = None
    password: str | None = Field(None, repr=False)
    ca_file: str | None = None
    tenant: str = ""
    batch: int = Field(1_000, ge=1)

    @property
    def server(self) -> MqttServer:
        """The server, as the connector takes it."""
        return MqttServer(
            self.host, self.port, self.client, self.username, self.password, self.ca_file
        )


def kafka_settings(given: dict[str, Any]) -> KafkaSettings:
    """Return the checked section `[kafka]`; raise MeaningProblem with the wrong settings."""
    found = _checked(KafkaSettings, "kafka", given)
    if (found.topics or found.dead_letters) and not found.servers:
        raise _lacking("kafka.servers", 'servers = "broker:9092"')
    if found.dead_letters and found.dead_letters in found.topics:
        raise MeaningProblem(
            f"kafka.dead_letters: {found.dead_letters!r} is read as events, too",
            code="SettingsError",
            token=found.dead_letters,
            hint="name a topic of its own: a dead letter must not come back as an event",
        )
    return found


def mqtt_settings(given: dict[str, Any]) -> MqttSettings:
    """Return the checked section `[mqtt]`; raise MeaningProblem with the wrong settings."""
    found = _checked(MqttSettings, "mqtt", given)
    if found.topics and not found.host:
        raise _lacking("mqtt.host", 'host = "sensors.example"')
    return found


def _lacking(name: str, example: str) -> MeaningProblem:
    return MeaningProblem(
        f"{name} is missing: topics are named, and no server that has them",
        code="SettingsError",
        token=name,
        hint=f"say where it is, as in {example}",
    )


def _checked(kind: type[_S], section: str, given: dict[str, Any]) -> _S:
    try:
        return kind(**given)
    except ValidationError as error:
        told = [
            f"{section}.{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        ]
        raise MeaningProblem(
            "; ".join(told), code="SettingsError", hint="docs/operations.md lists the settings"
        ) from None
