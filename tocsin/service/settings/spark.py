"""The settings of Spark: the section `[spark]`."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field, ValidationError, field_validator

from tocsin.errors import MeaningProblem, UnsupportedProblem
from tocsin.service.settings.settings import Settings
from tocsin.values.time import parse_duration


class SparkSettings(BaseModel):
    """Master and memory of Spark, trigger interval, and sizes of micro-batches."""

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
