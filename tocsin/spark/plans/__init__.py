"""Sources of subscriptions, and their compiled plans in workers and shards, updated per version."""
