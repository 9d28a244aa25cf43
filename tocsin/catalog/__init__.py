"""The store of subscriptions and definitions, from their text to a checked plan.

Begin with `compiling.py`, the way from text to plan. `entries.py` has the subscriptions and
definitions, `store.py` the versioned log in SQLite or PostgreSQL, `database.py` opens it,
`stored_plans.py` keeps plans beside texts, `files.py` reads JSON or YAML, `review.py` checks a
whole file. Modules that read files or need a database are loaded on first access.

Imports: `database`, `errors`, `events`, `knowledge`, `languages`, `lazy_import`, `plan`, `values`,
`version`.
Test a change with: `tests/catalog`, `tests/stored`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from tocsin.catalog.compiling import (
    Compiled,
    Effects,
    Surroundings,
    compile_subscription,
    compile_with_sources,
    effects_between,
    effects_of,
    loop_warnings,
    problems_of,
    read_subscription,
    refuse_past_windows,
    warnings_of,
    with_plan,
)
from tocsin.catalog.entries import Definition, StoredPlan, Subscription
from tocsin.catalog.knowledge import (
    knowledge_in,
    ontologies,
    require_agreement,
    unused_by_concepts,
    usage_in,
)

if TYPE_CHECKING:
    from tocsin.catalog.files import Entries, read_entries, read_entry_file
    from tocsin.catalog.store import (
        Catalog,
        Changes,
        PlacedVersion,
        ReadPosition,
        Snapshot,
        create_catalog,
        open_catalog,
    )

__all__ = [
    "Catalog",
    "Changes",
    "Compiled",
    "Definition",
    "Effects",
    "Entries",
    "PlacedVersion",
    "ReadPosition",
    "Snapshot",
    "StoredPlan",
    "Subscription",
    "Surroundings",
    "compile_subscription",
    "compile_with_sources",
    "create_catalog",
    "effects_between",
    "effects_of",
    "knowledge_in",
    "loop_warnings",
    "ontologies",
    "open_catalog",
    "problems_of",
    "read_entries",
    "read_entry_file",
    "read_subscription",
    "refuse_past_windows",
    "require_agreement",
    "unused_by_concepts",
    "usage_in",
    "warnings_of",
    "with_plan",
]

_HOMES = {
    **dict.fromkeys(("Entries", "read_entries", "read_entry_file"), "files"),
    **dict.fromkeys(
        (
            "Catalog",
            "Changes",
            "PlacedVersion",
            "ReadPosition",
            "Snapshot",
            "create_catalog",
            "open_catalog",
        ),
        "store",
    ),
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = found
    return found
