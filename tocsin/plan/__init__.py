"""The plan: the narrow waist between the languages and one engine. Small frozen nodes, identity by
value.
"""

import tocsin.plan.explain.plan  # noqa: F401 (how notebooks tell a plan)
