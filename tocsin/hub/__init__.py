"""The Hub: publish and subscribe in one process, with threads, asyncio or steps."""
