"""Draw how much an outcome changes two items, by the difference of their positions.

The figures are in docs/explanation/models/trueskill.md and beta_ranking.md.

    python docs/figures/surprisal.py

They show the curves of Figures 2 and 3 of Sakaguchi & Van Durme (2018), with epsilon = 0.5 as in the paper.
"""

from pathlib import Path

import altair as alt
import numpy as np
import vl_convert

from steelyard.maths.gaussian import tie_correction, win_correction
from steelyard.maths.rao_kupper import outcome_probabilities

EPSILON = 0.5
FOLDER = Path(__file__).parent
COLOURS = {"i wins": "#0b5a78", "tie": "#b4562b"}


def rows_of(x, panel, curves):
    return [
        {"x": float(at), "y": float(value), "panel": panel, "outcome": outcome}
        for outcome, values in curves.items()
        for at, value in zip(x, values, strict=True)
    ]


def chart(rows, x_title):
    panels = list(dict.fromkeys(row["panel"] for row in rows))
    return alt.hconcat(
        *(panel([row for row in rows if row["panel"] == name], name, x_title) for name in panels)
    )


def panel(rows, name, x_title):
    colour = alt.Color(
        "outcome:N", title=None, scale=alt.Scale(domain=list(COLOURS), range=list(COLOURS.values()))
    )
    lines = alt.Chart(alt.Data(values=rows)).mark_line(strokeWidth=2)
    return lines.encode(
        x=alt.X("x:Q", title=x_title),
        y=alt.Y("y:Q", title=None),
        color=colour,
        strokeDash=alt.StrokeDash("outcome:N", legend=None),
    ).properties(width=280, height=200, title=name)


def write(drawing, name):
    svg = vl_convert.vegalite_to_svg(drawing.configure(background="white").to_json())
    (FOLDER / name).write_text(svg + "\n", encoding="utf-8")


def main():
    gap = np.linspace(-4.0, 4.0, 161)
    win, tie = win_correction(gap, EPSILON), tie_correction(gap, EPSILON)
    rows = rows_of(gap, "v: change of the positions", {"i wins": win[0], "tie": tie[0]})
    rows += rows_of(gap, "w: reduction of the variance", {"i wins": win[1], "tie": tie[1]})
    write(chart(rows, "(position of i - position of j) / c"), "surprisal_trueskill.svg")
    apart = np.linspace(-1.0, 1.0, 161)
    chance = dict(zip(COLOURS, outcome_probabilities(apart, EPSILON), strict=False))
    rows = rows_of(apart, "1 - p", {name: 1.0 - p for name, p in chance.items()})
    rows += rows_of(apart, "-log p", {name: -np.log(p) for name, p in chance.items()})
    write(chart(rows, "position of i - position of j"), "surprisal_beta_ranking.svg")


if __name__ == "__main__":
    main()
