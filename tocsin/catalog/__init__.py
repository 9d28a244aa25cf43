"""The catalog: subscriptions and definitions, versioned, from text to checked plan; shared by all
hosts.
"""

from tocsin.catalog.compiling import (
    Compiled,
    Surroundings,
    compile_subscription,
    loop_warnings,
    problems_of,
    read_subscription,
    refuse_past_windows,
    warnings_of,
    with_plan,
)
from tocsin.catalog.effects import Effects, effects_of
from tocsin.catalog.entries import Definition, StoredPlan, Subscription
from tocsin.catalog.files import Entries, read_entries, read_entry_file
from tocsin.catalog.knowledge import knowledge_in, ontologies, require_agreement, usage_in
from tocsin.catalog.store import Catalog, Changes, Snapshot, create_catalog, open_catalog

__all__ = [
    "Catalog",
    "Changes",
    "Compiled",
    "Definition",
    "Effects",
    "Entries",
    "Snapshot",
    "StoredPlan",
    "Subscription",
    "Surroundings",
    "compile_subscription",
    "create_catalog",
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
    "usage_in",
    "warnings_of",
    "with_plan",
]
