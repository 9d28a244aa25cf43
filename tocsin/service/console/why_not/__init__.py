"""Why a subscription does not ring for an event: which of its conditions hold, which fails first
and by how much, and what waits on account of the event. By the meaning of the plan, not by how it
is matched.
"""
