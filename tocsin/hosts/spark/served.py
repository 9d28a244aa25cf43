"""What a query without detection serves: conditions on one event. A composite that comes later is
refused by name.
"""

from __future__ import annotations

from tocsin.catalog import Subscription, Surroundings, compile_subscription
from tocsin.errors import UnsupportedProblem
from tocsin.plan.atoms import Atom
from tocsin.plan.composites import Plan


def served_plan(subscription: Subscription, light: Surroundings) -> Plan:
    """The plan of a subscription; raises its problem, or that it is not served here."""
    plan = compile_subscription(subscription, light)
    if not isinstance(plan.pattern, Atom):
        raise UnsupportedProblem(
            f"{subscription.id!r} is a composite ({type(plan.pattern).__name__}); there was none"
            " when the query was made, so it detects none",
            token=subscription.id,
            hint=(
                "start the query again, with composites=True where the catalog may be without"
                " composites then"
            ),
        )
    return plan
