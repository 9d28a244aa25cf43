"""Tables of a PostgreSQL database that were restored from an older dump than the rest: the service
refuses by name, and `recover` leads on.
"""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sql

from tests.service.core.asking import event
from tests.service.core.test_time_reset import _await_runner, serving
from tocsin.errors import StateProblem
from tocsin.service.operations.components import open_service
from tocsin.service.operations.recovery import recover_stores
from tocsin.service.settings.settings import Settings, load_settings

TABLES = {
    "log": ("tocsin_heads", "tocsin_events"),
    "catalog": ("tocsin_version", "tocsin_log", "tocsin_plan"),
}
RESTORES = {
    "log": TABLES["log"],
    "events alone": ("tocsin_events",),
    "head alone": ("tocsin_heads",),
    "catalog": TABLES["catalog"],
}


@pytest.fixture
def settings(tmp_path: Path, postgres_url: str) -> Settings:
    return load_settings(data=tmp_path / "data", database=postgres_url, auth=False)


@pytest.mark.postgres
@pytest.mark.parametrize("restored", RESTORES)
def test_an_older_dump_of_some_tables_is_refused(settings: Settings, restored: str) -> None:
    assert settings.database is not None
    engine = sql.create_engine(settings.database)
    with serving(settings) as asked:
        asked.subscribe("every", "number >= 0")
        asked.publish(*(event(str(number), number=number) for number in range(20)))
        _await_runner(asked)
        with engine.begin() as connection:
            for table in RESTORES[restored]:
                connection.exec_driver_sql(f"CREATE TABLE old_{table} AS TABLE {table}")
        asked.subscribe("more", "number >= 0")
        asked.publish(*(event(str(number), number=number) for number in range(20, 40)))
        _await_runner(asked)
    with engine.begin() as connection:
        for table in RESTORES[restored]:
            connection.exec_driver_sql(f"DELETE FROM {table}")
            connection.exec_driver_sql(f"INSERT INTO {table} SELECT * FROM old_{table}")
    engine.dispose()
    store = "catalog" if restored == "catalog" else "log"
    with pytest.raises(StateProblem, match=f"the {store} is behind") as refused:
        open_service(settings)
    assert refused.value.code == "StoreBehind"
    assert recover_stores(settings)
    with serving(settings) as asked:
        assert asked.service.log.head >= 40
        asked.publish(*(event(str(number), number=number) for number in range(100, 140)))
        _await_runner(asked)
        found = asked.http.get("/v1/matches?limit=1000").json()["matches"]
        names = [each["events"][0] for each in found if each["subscription"] == "every"]
        assert sorted(names) == sorted(map(str, (*range(40), *range(100, 140))))
