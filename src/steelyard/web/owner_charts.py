"""Charts of the owner's pages. All of them need the owner's cookie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeVar

from fastapi import Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from steelyard.errors import WorkerEnded
from steelyard.report.charts import ScalePicture, Theme, draw_scale, narrow_for, scale_rows, wide_for
from steelyard.report.drift import DriftPicture, draw_drift, drift_lines
from steelyard.report.pictures import picture_of
from steelyard.report.sureness import (
    CalibrationPicture,
    GrowthPicture,
    coverage_levels,
    coverage_titles,
    draw_calibration,
    draw_growth,
)
from steelyard.web.owner_parts import PartName
from steelyard.web.owner_study import OwnerStudy, view_of

P = TypeVar("P")
Width = Literal["wide", "narrow"]
# Shown instead of a chart. The grey is legible on light and dark pages.
NO_CHART = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="372" height="48" viewBox="0 0 372 48">'
    '<text x="0" y="28" font-family="system-ui, sans-serif" font-size="13" fill="#7a7f85">'
    "This chart could not be drawn. See the table below.</text></svg>"
)


class OwnerCharts:
    """The charts of one study."""

    def __init__(self, study: OwnerStudy) -> None:
        self.study = study

    def routes(self) -> dict[str, Callable[..., Response]]:
        """Return the charts by path under /owner."""
        return {
            "/scale.svg": self.draw,
            "/part.svg": self.draw_part,
            "/growth.svg": self.draw_growth,
            "/calibration.svg": self.draw_calibration,
            "/drift.svg": self.draw_drift,
        }

    def draw(
        self, request: Request, question: str | None = None, theme: Theme = "light", narrow: bool = False
    ) -> Response:
        """The owner: a chart of the scale.

        Parameters
        ----------
        request
            The request.
        question
            Id of the question; the first question if None.
        theme
            Colours for a light or a dark page.
        narrow
            Whether to use the layout for phones.

        Returns
        -------
        Response
            The chart as SVG.
        """
        overview = self.study.overview(request)
        view = view_of(overview, question)
        rows = () if view.fit is None else scale_rows(view.fit.scale, overview.labels)
        span = view.span
        layout = narrow_for([row.ranks for row in rows]) if narrow else wide_for([row.label for row in rows])
        return self._drawing(
            draw_scale, ScalePicture(rows, span, theme, layout, heading=self.study.messages["rank_95"])
        )

    def draw_part(
        self,
        request: Request,
        question: str,
        of: PartName,
        chart: str,
        *,
        theme: Theme = "light",
        width: Width = "wide",
    ) -> Response:
        """The owner: a chart of one of the parts that the report also has.

        Parameters
        ----------
        request
            The request.
        question
            Id of the question.
        of
            Name of the part.
        chart
            Name of the chart in the template of the part.
        theme
            Colours for a light or a dark page.
        width
            Layout for screens or phones.

        Returns
        -------
        Response
            The chart as SVG.
        """
        view_of(self.study.overview(request), question)
        part = getattr(self.study.desk.parts(question, self.study.condition(request)), of)
        try:
            draw, picture = picture_of(part, chart, theme, width, self.study.messages)
        except KeyError:
            raise HTTPException(404, "This part has no such chart.") from None
        return self._drawing(draw, picture)

    def draw_growth(self, request: Request, theme: Theme = "light") -> Response:
        """The owner: a chart of predicted reliability by number of judgments."""
        overview = self.study.overview(request)
        marks = () if overview.audit is None else overview.audit.growth
        stop, title = overview.definition.choosing.stop.reliability, self.study.messages["judgments"]
        return self._drawing(draw_growth, GrowthPicture(marks, stop, theme, title))

    def draw_calibration(self, request: Request, theme: Theme = "light") -> Response:
        """The owner: a chart of observed against nominal coverage."""
        audit = self.study.overview(request).audit
        if audit is None:
            raise HTTPException(404, "The model of this study makes no forecasts.")
        levels, titles = coverage_levels(audit.calibration), coverage_titles(self.study.messages)
        return self._drawing(draw_calibration, CalibrationPicture(levels, theme, titles))

    def draw_drift(self, request: Request, theme: Theme = "light", narrow: bool = False) -> Response:
        """The owner: a chart of the positions of anchors by round; `narrow` is the layout for phones."""
        overview = self.study.overview(request)
        scale = overview.views[0].settings
        lines = drift_lines(overview.drift, overview.labels)
        span, title = (scale.low, scale.high), self.study.messages["round"]
        return self._drawing(draw_drift, DriftPicture(lines, span, theme, narrow, title))

    def _drawing(self, draw: Callable[[P], str], picture: P) -> Response:
        """A chart, or a picture with a message if the chart cannot be drawn."""
        try:
            svg, status, kept = self.study.desk.draw(draw, picture), 200, "private, max-age=3600"
        except WorkerEnded:
            svg, status, kept = NO_CHART, 500, "no-store"
        # The address of a chart changes with the log, so browsers may cache it.
        return Response(svg, status, media_type="image/svg+xml", headers={"Cache-Control": kept})
