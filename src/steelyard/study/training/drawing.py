"""Pictures for practice: evenly scattered dots, where more dots mean a higher position on the scale."""

from __future__ import annotations

import numpy as np

ROWS = 10  # cells along each side of the grid; a cell holds at most one dot
SIDE = 200  # pixels
RADIUS = 5
INK, PAPER = "#1a1d21", "#f7f6f2"


def dots(count: int, seed: int) -> str:
    """Return an SVG picture with this number of dots, at most 100; the seed determines where they are.

    >>> dots(3, seed=1).count("<circle")
    3
    """
    rng = np.random.default_rng((count, seed))
    cells = rng.permutation(ROWS * ROWS)[:count]
    cell = SIDE / ROWS
    wobble = rng.uniform(0.3, 0.7, (count, 2)) * cell
    centres = np.column_stack([cells % ROWS, cells // ROWS]) * cell + wobble
    circles = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{RADIUS}"/>' for x, y in centres)
    ground = f'<rect width="{SIDE}" height="{SIDE}" fill="{PAPER}"/>'
    size = f'viewBox="0 0 {SIDE} {SIDE}" width="{SIDE}" height="{SIDE}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{ground}<g fill="{INK}">{circles}</g></svg>'
