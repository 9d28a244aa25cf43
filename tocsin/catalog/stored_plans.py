"""Stored plans beside their texts, so that hosts need not compile a subscription again.

A plan in wire form is valid for the text, the settings and the definitions that it was compiled
from, and for the version of this package that compiled it; in any other case, and if it cannot be
read, the text is compiled again. So a stored plan can be missing, but never wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b

from tocsin.catalog.entries import Definition, StoredPlan, Subscription
from tocsin.knowledge.concepts.tbox import EMPTY, TBox
from tocsin.knowledge.ontology import Ontology
from tocsin.languages import without_ontology
from tocsin.plan.nodes.composites import Plan
from tocsin.plan.wire.wire import VERSION, plan_from_text, plan_to_shape_text
from tocsin.version import __version__

_MAKER = f"{__version__} {VERSION} "
_SELF_CONTAINED = frozenset({"selector"})
"""Languages that use no definitions."""


def may_depend(subscription: Subscription) -> bool:
    """True if definitions can affect a subscription."""
    return subscription.language not in _SELF_CONTAINED


def meaning_digest(subscription: Subscription) -> bytes:
    """Return a hash of the inputs of the plan, without the receiver, which does not affect it."""
    settings = (subscription.language, subscription.policy, subscription.horizon)
    options = json.dumps(dict(subscription.options), sort_keys=True) if subscription.options else ""
    said = f"{settings!r}{options}\n{subscription.expression}"
    return blake2b(said.encode(errors="surrogatepass"), digest_size=16).digest()


def definitions_digest(definitions: Iterable[Definition]) -> str:
    """Return a hash of definitions, in any order."""
    said = sorted(json.dumps(each.as_json(), sort_keys=True) for each in definitions)
    return blake2b("\n".join(said).encode(), digest_size=16).hexdigest()


def store_plan(subscription: Subscription, plan: Plan, definitions: str) -> Subscription:
    """Return the subscription with its plan, compiled with definitions of that digest."""
    stored = StoredPlan(_origin(subscription, definitions), plan_to_shape_text(plan))
    return replace(subscription, stored=stored)


def has_plan(subscription: Subscription, definitions: str) -> bool:
    """True if the stored plan is valid for definitions of that digest."""
    stored = subscription.stored
    return stored is not None and stored.origin == _origin(subscription, definitions)


def load_plan(subscription: Subscription, definitions: str, ontology: object | None) -> Plan | None:
    """Return the stored plan; None if there is no valid one."""
    stored = subscription.stored
    if stored is None or not has_plan(subscription, definitions):
        return None
    try:
        return plan_from_text(stored.wire, _knowledge(ontology) if may_depend(subscription) else ())
    except Exception:  # any error: the text is compiled instead
        return None


def _origin(subscription: Subscription, definitions: str) -> str:
    around = definitions if may_depend(subscription) else ""
    return f"{_MAKER}{meaning_digest(subscription).hex()} {around}"


def _knowledge(ontology: object | None) -> list[Ontology | TBox]:
    """Return the ontologies that plans may refer to, including the empty ones."""
    known: list[Ontology | TBox] = [without_ontology(), EMPTY]
    if isinstance(ontology, Ontology):
        known.append(ontology)
        if isinstance(ontology.tbox, TBox):
            known.append(ontology.tbox)
    return known
