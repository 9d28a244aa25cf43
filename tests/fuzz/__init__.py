"""`make fuzz`: broken events and broken subscriptions by the thousand, while a canary must go on
ringing.
"""
