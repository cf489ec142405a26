"""Discrete-event simulation of a server: when many concurrent raters saturate it, from the measured cost of an answer.

    python benchmarks/scale.py [--seconds 120] [--seed 1] [--check]

Raters think, then send an answer. An answer needs the lock of its study and a core, both for its whole CPU time. This
is the worst case, because parts of the work need no lock. CPU times are exponential with the mean of
docs/benchmarks/pages_and_service.md. Commits to disk, networks and other programs are not simulated, so waiting times
are lower bounds. `--check` simulates the measured crowd of 500 raters.
"""

from __future__ import annotations

import argparse
import heapq
from collections import deque
from dataclasses import dataclass, field

import numpy as np

CROWDS = (  # raters, cores, studies
    (10, 2, 1),
    (1_000, 2, 1),
    (3_000, 2, 1),
    (5_000, 2, 1),
    (10_000, 8, 1),
    (10_000, 8, 4),
    (100_000, 32, 16),
    (100_000, 32, 64),
)


@dataclass(frozen=True)
class Server:
    """Numbers of raters, cores and studies, and mean seconds of thinking and of CPU time of an answer."""

    raters: int
    cores: int
    studies: int
    think: float
    cost: float


@dataclass
class State:
    """Who waits for what: answers by study, studies that could run but have no core, and idle cores."""

    idle: int
    queues: list[deque[tuple[float, int]]]
    running: list[bool]
    ready: deque[int] = field(default_factory=deque)


def simulate(server: Server, seconds: float, rng: np.random.Generator) -> str:
    """Return a row of the table. The first third of the time is left out."""
    first, waits, busy = seconds / 3.0, [], np.zeros(server.studies)
    state = State(server.cores, [deque() for _ in range(server.studies)], [False] * server.studies)
    events = [(time, rater, -1.0) for rater, time in enumerate(rng.exponential(server.think, server.raters))]
    heapq.heapify(events)  # time, rater, and when the answer was sent (-1 while thinking)
    while events[0][0] < seconds:
        now, rater, sent = heapq.heappop(events)
        study = rater % server.studies
        if sent < 0.0:
            state.queues[study].append((now, rater))
        else:
            state.running[study] = False
            state.idle += 1
            if now >= first:
                waits.append(now - sent)
            heapq.heappush(events, (now + rng.exponential(server.think), rater, -1.0))
        if state.queues[study] and not state.running[study] and study not in state.ready:
            state.ready.append(study)
        while state.ready and state.idle:
            chosen = state.ready.popleft()
            begun, someone = state.queues[chosen].popleft()
            time = rng.exponential(server.cost)
            state.running[chosen] = True
            state.idle -= 1
            busy[chosen] += time if now >= first else 0.0
            heapq.heappush(events, (now + time, someone, begun))
    return row(server, np.array(waits), busy, seconds - first)


def row(server: Server, waits: np.ndarray, busy: np.ndarray, span: float) -> str:
    p50, p95 = np.percentile(waits, [50, 95]) * 1000.0
    cells = [f"{server.raters:,}", str(server.cores), str(server.studies), f"{len(waits) / span:,.1f}"]
    cells += [
        f"{p50:,.0f}",
        f"{p95:,.0f}",
        f"{busy.sum() / span / server.cores:.0%}",
        f"{busy.max() / span:.0%}",
    ]
    return "| " + " | ".join(cells) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cpu", type=float, default=3.0, help="CPU ms of an answer")
    parser.add_argument("--think", type=float, default=20.0, help="seconds between an answer and the next")
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    print("| raters | cores | studies | answers/s | p50, ms | p95, ms | cores in use | busiest lock in use |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    for raters, cores, studies in [(500, 2, 1)] if asked.check else CROWDS:
        server = Server(raters, cores, studies, 5.0 if asked.check else asked.think, asked.cpu / 1000.0)
        print(simulate(server, asked.seconds, np.random.default_rng(asked.seed)), flush=True)


if __name__ == "__main__":
    main()
