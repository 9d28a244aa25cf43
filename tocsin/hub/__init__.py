"""The local host: the engine in this process, over finite input or behind a Hub."""
