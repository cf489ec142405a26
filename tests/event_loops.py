"""Coroutines in tests. Playwright keeps an event loop in the main thread of a worker, where no second one can run."""

import asyncio
from concurrent.futures import ThreadPoolExecutor


def run_apart(coroutine):
    """Run a coroutine in a thread of its own; return its result."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()
