"""Where subscriptions come from, and how workers and shards keep them compiled from version to
version.
"""
