"""The plan: the narrow waist between five languages and one engine. Small frozen nodes, identity by
value.
"""

from tocsin.plan import explain_plan as explain_plan  # how notebooks tell a plan
