"""The match tasks: rows are matched where they are, and composite inputs are sent to shards."""
