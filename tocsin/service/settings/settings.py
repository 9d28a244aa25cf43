"""The settings of the service: a TOML file, environment variables, and the command line.

Variables (`TOCSIN_PORT`, `TOCSIN_LIMITS__RATE`) override the file, and options of the command line
both. All errors are reported at once, with the names of the settings. The sections of brokers have
a file of their own.
"""

from __future__ import annotations

import re
import tomllib
from enum import StrEnum
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from tocsin.errors import MeaningProblem, Problem, UnsupportedProblem
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


class HttpSettings(BaseModel):
    """Section `[http]`: bounds of connections in number, size and time. Durations are texts such as
    10s.
    """

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


_ADDRESS = re.compile(r"(https?)://([A-Za-z0-9.:\[\]-]|\{s\})+(?=/)")
_PLACES = ("{z}", "{x}", "{y}")


class ConsoleSettings(BaseModel):
    """Section `[console]`: `tiles` is the URL of map tiles with {z}, {x} and {y} in it; empty for
    the included coastlines.
    """

    model_config = {"extra": "forbid"}

    enabled: bool = True
    tiles: Annotated[str, Field(description="address of map tiles; empty for none")] = ""

    @field_validator("tiles")
    @classmethod
    def _is_address(cls, given: str) -> str:
        if given and not _is_tile_address(given):
            raise ValueError("an address such as https://tiles.example/{z}/{x}/{y}.png is expected")
        return given

    @property
    def tile_server(self) -> str:
        """Origin of the tiles for the page's policy; empty without tiles."""
        found = _ADDRESS.match(self.tiles)
        return "" if found is None else found[0].replace("{s}", "*")


def _is_tile_address(given: str) -> bool:
    sound = given.isascii() and given.isprintable() and not set(given) & set(" ;,'\"<>\\")
    return sound and _ADDRESS.match(given) is not None and all(each in given for each in _PLACES)


class ServiceEngine(StrEnum):
    """The engine that matches: this process, Spark, or another process on the same databases."""

    LOCAL = "local"
    SPARK = "spark"
    NONE = "none"


class _Section(BaseModel):
    model_config = {"extra": "forbid"}


class ServiceLimits(_Section):
    """Limits of requests, of the state and of each tenant."""

    request_bytes: Annotated[int, Field(ge=1024)] = 16 << 20
    request_events: Annotated[int, Field(ge=1)] = 10_000
    subscriptions: Annotated[int, Field(ge=1, description="per tenant")] = 10_000
    definitions: Annotated[int, Field(ge=1, description="per tenant")] = 1_000
    rate: Annotated[int, Field(ge=0, description="events a second and key; 0 for no limit")] = 0
    requests: Annotated[
        int, Field(ge=0, description="requests a second and key; 0 for no limit")
    ] = 0
    waiting: Annotated[int, Field(ge=1, description="occurrences that may wait in one place")] = (
        100_000
    )
    matches: Annotated[
        int,
        Field(
            ge=0,
            description="matches a second beyond one for each event; 0 for no limit",
        ),
    ] = 10_000
    tenant_matches: Annotated[
        int, Field(ge=0, description="the same for all subscriptions of a tenant together")
    ] = 30_000
    streams: Annotated[int, Field(ge=1, description="live streams at a time")] = 1_000
    tenant_streams: Annotated[int, Field(ge=1, description="live streams of a tenant")] = 250
    tenant_work: Annotated[
        int, Field(ge=1, description="costly requests of a tenant that are at work")
    ] = 2
    tenant_reads: Annotated[int, Field(ge=1, description="reads of a tenant at work")] = 4
    tenant_waiting: Annotated[int, Field(ge=0, description="requests of a tenant that wait")] = 64
    try_events: Annotated[int, Field(ge=1, description="events that /v1/try looks at")] = 100_000


class Retention(_Section):
    """Durations for which events, matches and dead letters are stored; empty for ever."""

    events: str = "7d"
    matches: str = "30d"
    dead_letters: str = "30d"
    log_bytes: Annotated[int, Field(ge=0, description="the size of the log; 0 for no limit")] = 0

    @field_validator("events", "matches", "dead_letters")
    @classmethod
    def _is_duration(cls, given: str) -> str:
        return _checked_duration(given) if given else given


class Settings(BaseSettings):
    """All settings. Data are stored in the folder `data`, or in the database if a URL is given."""

    model_config = SettingsConfigDict(
        env_prefix="TOCSIN_", env_nested_delimiter="__", extra="forbid"
    )

    data: Path = Path("tocsin-data")
    database: str | None = None
    host: str = "127.0.0.1"
    hosts: Annotated[
        list[str], Field(description="further names of this service, checked where auth is false")
    ] = Field(default_factory=list)
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    engine: ServiceEngine = ServiceEngine.LOCAL
    auth: bool = True
    lateness: str = "2s"
    idle: str | None = "1s"
    ahead: str | None = "1h"
    interval: str | None = None
    remember: Annotated[int, Field(ge=0)] = 100_000
    ontology: list[Path] = Field(default_factory=list)
    http: HttpSettings = HttpSettings()
    limits: ServiceLimits = ServiceLimits()
    retention: Retention = Retention()
    delivery: DeliverySettings = DeliverySettings()
    console: ConsoleSettings = ConsoleSettings()
    epcis: dict[str, Any] = Field(default_factory=dict)
    federation: dict[str, Any] = Field(default_factory=dict)
    spark: dict[str, Any] = Field(default_factory=dict)
    kafka: dict[str, Any] = Field(default_factory=dict)
    mqtt: dict[str, Any] = Field(default_factory=dict)

    @field_validator("lateness", "idle", "ahead")
    @classmethod
    def _is_duration(cls, given: str | None) -> str | None:
        return None if given in (None, "", "off") else _checked_duration(str(given))

    @property
    def log_url(self) -> str:
        """URL of the database with the log of events."""
        return self.database or f"sqlite:///{(self.data / 'log.db').absolute()}"

    @property
    def state_url(self) -> str:
        """URL of the database with everything but the log and the catalog."""
        return self.database or f"sqlite:///{(self.data / 'state.db').absolute()}"

    @property
    def catalog_url(self) -> str:
        """URL of the database with subscriptions and definitions."""
        return self.database or f"sqlite:///{(self.data / 'catalog.db').absolute()}"


def load_settings(file: Path | None = None, **given: Any) -> Settings:
    """Return the settings of a file, overridden by the environment, overridden by `given`; a
    `given` None counts as absent. Raises one MeaningProblem with all errors.
    """
    said = {name: value for name, value in given.items() if value is not None}
    written = _read(file) if file else {}

    class Sourced(Settings):
        """Settings with the file as the last source."""

        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            *_: PydanticBaseSettingsSource,
            **__: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, InitSettingsSource(settings_cls, written)

    try:
        return Sourced(**said)
    except ValidationError as error:
        raise _wrong(error) from None


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MeaningProblem(
            f"the settings in {file} cannot be read: {error}",
            code="SettingsError",
            token=str(file),
            hint="it is a TOML file, as docs/service.md shows",
        ) from None


def _wrong(error: ValidationError) -> MeaningProblem:
    told = [
        f"{'.'.join(map(str, each['loc'])) or 'settings'}: {each['msg']}" for each in error.errors()
    ]
    return MeaningProblem(
        "; ".join(told),
        code="SettingsError",
        token=".".join(map(str, error.errors()[0]["loc"])),
        hint="docs/service.md lists every setting",
    )


def _checked_duration(given: str) -> str:
    try:
        parse_duration(given)
    except MeaningProblem as problem:
        raise ValueError(f"{problem.message}; {problem.hint}") from None
    return given


class SparkSettings(BaseModel):
    """Section `[spark]`: master and memory, trigger interval, and sizes of micro-batches."""

    model_config = {"extra": "forbid"}

    master: str = "local[*]"
    memory: str = "2g"
    checkpoint: str | None = None
    every: str = "500ms"
    rows: int = Field(20_000, ge=1, description="events in a micro-batch, at most")
    partitions: int = Field(2, ge=1)
    shards: int = Field(2, ge=1)
    remember: str | None = "10m"
    conf: dict[str, str] = Field(default_factory=dict)

    @field_validator("every", "remember")
    @classmethod
    def _is_duration(cls, given: str | None) -> str | None:
        if given in (None, "", "off"):
            return None
        try:
            parse_duration(str(given))
        except MeaningProblem as problem:
            raise ValueError(f"{problem.message}; {problem.hint}") from None
        return given


def spark_settings(settings: Settings) -> SparkSettings:
    """Return the checked section `[spark]`. Raises MeaningProblem with all wrong settings,
    UnsupportedProblem for one that Spark does not support.
    """
    if settings.ontology:
        raise UnsupportedProblem(
            "with --engine spark, ontologies are in the catalog and not in files",
            code="SettingsError",
            token="ontology",
            hint="put them there: PUT /v1/definitions/NAME",
        )
    given: dict[str, Any] = settings.spark
    try:
        return SparkSettings(**given)
    except ValidationError as error:
        told = [
            f"spark.{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()
        ]
        raise MeaningProblem(
            "; ".join(told), code="SettingsError", hint="docs/operations.md lists the settings"
        ) from None
