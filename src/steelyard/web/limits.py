"""How often one network address, and all of them together, may join the study or try a key."""

from __future__ import annotations

import ipaddress
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from starlette.exceptions import HTTPException
from starlette.requests import Request

MINUTE = 60.0
ADDRESSES_KEPT = 10_000  # the addresses seen longest ago are forgotten first
KEY_TRIES = 10  # wrong keys per minute from one address
IN_ALL = 10  # times the limit of one address
TOO_MANY_JOINED = "Too many people joined from your network in the last minute. Wait a minute and try again."
TOO_MANY_TRIES = "Too many wrong keys were tried in the last minute. Wait a minute and try again."


@dataclass(frozen=True, slots=True)
class Allowance:
    """What is left of a limit at a time."""

    left: float
    at: float


class Limit:
    """At most a number of acts per minute from one address, and ten times that from all addresses.

    An allowance is refilled continuously, so a group that arrives at once is let in up to the limit, and then at the
    rate of the limit. It is kept in memory. Each server process counts for itself and has an equal share of the
    limit, at least 1 per minute, so that all processes together keep to it.

    Parameters
    ----------
    per_minute
        Acts per minute from one address.
    refusal
        Text for people who exceed the limit.
    clock
        Returns a time in seconds that never goes back.
    workers
        Number of server processes that share the limit.
    """

    def __init__(
        self,
        per_minute: int,
        refusal: str,
        clock: Callable[[], float] = time.monotonic,
        workers: int = 1,
    ) -> None:
        self._per_minute = max(1.0, per_minute / workers)
        self._per_minute_in_all = max(1.0, IN_ALL * per_minute / workers)
        self._refusal = refusal
        self._clock = clock
        self._by_address: OrderedDict[str, Allowance] = OrderedDict()
        self._in_all = Allowance(self._per_minute_in_all, clock())

    def check(self, request: Request) -> None:
        """Answer 429 if nothing is left for this address or for all."""
        one, every = self._refilled(network_of(request))
        if min(one.left, every.left) < 1:
            wait = max((1 - one.left) / self._per_minute, (1 - every.left) / self._per_minute_in_all)
            raise HTTPException(429, self._refusal, {"Retry-After": str(math.ceil(wait * MINUTE))})

    def count(self, request: Request) -> None:
        """Count one act of this address."""
        address = network_of(request)
        one, every = self._refilled(address)
        self._by_address[address] = Allowance(one.left - 1, one.at)
        self._by_address.move_to_end(address)
        self._in_all = Allowance(every.left - 1, every.at)
        while len(self._by_address) > ADDRESSES_KEPT:
            self._by_address.popitem(last=False)

    def _refilled(self, address: str) -> tuple[Allowance, Allowance]:
        now = self._clock()
        full = Allowance(self._per_minute, now)
        one = _refill(self._by_address.get(address, full), self._per_minute, now)
        return one, _refill(self._in_all, self._per_minute_in_all, now)


def network_of(request: Request) -> str:
    """Return the address of a visitor; of an IPv6 address the network, because one person has all of it."""
    host = request.client.host if request.client is not None else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:  # a server on a Unix socket, or a test
        return host
    if address.version == 6 and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


def _refill(allowance: Allowance, per_minute: float, now: float) -> Allowance:
    return Allowance(min(per_minute, allowance.left + (now - allowance.at) * per_minute / MINUTE), now)
