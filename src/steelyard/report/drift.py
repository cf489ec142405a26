"""A chart of the positions of anchors by round."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from steelyard.report.charts import COLOURS, DRAWN, TEXT, Theme, dressed, to_svg
from steelyard.report.label_lines import LINE, in_lines
from steelyard.study.grounding.rounds import Drift

WIDTH, NARROW, HEIGHT, AFTER = 420, 140, 300, 12  # NARROW: width on phones
MOST = 16  # lines in one chart
LETTERS, LETTERS_NARROW, LINES = 36, 18, 3  # of the labels: letters in a line, and lines
LABEL = 10  # distance of labels from the plotting area, in pixels
MOVED = 3.0  # pixels between a dot and its label from which a line joins them
LEAST_GAP = 17.0  # least distance between two labels of one line, in pixels


@dataclass(frozen=True, slots=True)
class DriftLine:
    """Label of an anchor, and its position by round."""

    label: str
    places: tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class DriftPicture:
    """Everything that the chart depends on."""

    lines: tuple[DriftLine, ...]
    span: tuple[float, float]
    theme: Theme = "light"
    narrow: bool = False
    title: str = "Round"  # of the axis of rounds

    @property
    def width(self) -> int:
        """Width of the plotting area in pixels."""
        return NARROW if self.narrow else WIDTH

    @property
    def labels(self) -> list[tuple[str, ...]]:
        """The label of each line of the chart, in lines of text."""
        letters = LETTERS_NARROW if self.narrow else LETTERS
        return [in_lines(line.label, letters, LINES) for line in self.lines]

    @property
    def height(self) -> float:
        """Height of the plotting area in pixels, with space for all labels."""
        return max(HEIGHT, sum(LEAST_GAP + LINE * (len(label) - 1) for label in self.labels))


def drift_lines(drift: Sequence[Drift], labels: Mapping[str, str]) -> tuple[DriftLine, ...]:
    """Return the anchors that were used in most rounds, highest final position first."""
    ordered = sorted(drift, key=lambda each: each.item)
    return most_used([DriftLine(labels.get(each.item, each.item), each.places) for each in ordered])


def most_used(lines: Sequence[DriftLine]) -> tuple[DriftLine, ...]:
    """Return the lines with most rounds, as many as a chart can show, highest final position first."""
    longest = sorted(lines, key=lambda line: -len(line.places))[:MOST]
    return tuple(sorted(longest, key=lambda line: -line.places[-1][1]))


@lru_cache(maxsize=DRAWN)
def draw_drift(picture: DriftPicture) -> str:
    """Return a line chart of anchors by round, with their labels at the end of the lines, as SVG."""
    import altair as alt  # Altair is slow to import

    colours = COLOURS[picture.theme]
    points = [
        {"round": number, "position": position, "line": at}
        for at, line in enumerate(picture.lines)
        for number, position in line.places
    ]
    x = alt.X(
        "round:O", axis=alt.Axis(title=picture.title, labelAngle=0, grid=False), scale=alt.Scale(padding=0.2)
    )
    scale = alt.Scale(domain=list(picture.span), nice=False)
    y = alt.Y("position:Q", scale=scale, axis=alt.Axis(title=None, tickCount=5))
    base = alt.Chart(alt.InlineData(points)).encode(x=x, y=y, detail="line:N")
    places = label_places(picture)
    names = [
        {"label": label[0] if len(label) == 1 else list(label), "at": at - LINE * (len(label) - 1) / 2}
        for label, at in zip(picture.labels, places, strict=True)
    ]
    joined = alt.Chart(alt.InlineData(_joining(picture, places))).mark_rule(
        color=colours.ink2, strokeWidth=1, strokeDash=[2, 3]
    )
    text = alt.Chart(alt.InlineData(names)).mark_text(
        align="left", baseline="middle", lineHeight=LINE, fontSize=TEXT, color=colours.ink
    )
    chart = alt.layer(
        joined.encode(x=x, x2=alt.value(picture.width + LABEL - 3), y=y, y2="end:Q"),
        base.mark_line(color=colours.accent, strokeWidth=2),
        base.mark_circle(color=colours.accent, size=50, opacity=1),
        text.encode(x=alt.value(picture.width + LABEL), y=alt.Y("at:Q", scale=None), text="label:N"),
    )
    padding = {"left": 8, "right": AFTER, "top": 12, "bottom": 8}
    return to_svg(
        dressed(chart.properties(width=picture.width, height=picture.height, padding=padding), picture.theme)
    )


def _joining(picture: DriftPicture, places: Sequence[float]) -> list[dict[str, float]]:
    """Lines from the last dot of an anchor to its label, if the label is not beside the dot."""
    low, high = picture.span
    last = max((line.places[-1][0] for line in picture.lines), default=0)
    lines = []
    for line, at in zip(picture.lines, places, strict=True):
        number, position = line.places[-1]
        end = high - (high - low) * at / picture.height
        if number < last or abs(end - position) * picture.height / (high - low) > MOVED:
            lines.append({"round": number, "position": position, "end": end})
    return lines


def label_places(picture: DriftPicture) -> list[float]:
    """Return the vertical places of the middles of the labels in pixels from the top, without overlaps."""
    low, high = picture.span
    height, halves = picture.height, [LINE * (len(label) - 1) / 2 for label in picture.labels]
    places: list[float] = []
    least = 0.0  # top of the space that is left
    for line, half in zip(picture.lines, halves, strict=True):
        wanted = height * (1.0 - (line.places[-1][1] - low) / (high - low))
        places.append(max(wanted, least + half))
        least = places[-1] + half + LEAST_GAP
    most = height  # bottom of the space that is left: labels below the chart are moved up
    for at in reversed(range(len(places))):
        places[at] = min(places[at], most - halves[at])
        most = places[at] - halves[at] - LEAST_GAP
    return places
