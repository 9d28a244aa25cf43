"""The match tasks: rows are matched where they are, and what shards want is sent to them."""
