"""Charts of fits and other results, made with Altair. `Fit.plot` finds those of a fit by name."""

from steelyard.report.plots.calibration import coverage_plot
from steelyard.report.plots.gold import gold_plot
from steelyard.report.plots.histograms import histogram_plot
from steelyard.report.plots.learning import learning_plot
from steelyard.report.plots.matrices import matrix_plot
from steelyard.report.plots.plans import plan_plot
from steelyard.report.plots.ranges import ambiguity_plot
from steelyard.report.plots.raters import rater_plot
from steelyard.report.plots.saving import save_chart
from steelyard.report.plots.scales import rank_plot, scale_plot

__all__ = [
    "ambiguity_plot",
    "coverage_plot",
    "gold_plot",
    "histogram_plot",
    "learning_plot",
    "matrix_plot",
    "plan_plot",
    "rank_plot",
    "rater_plot",
    "save_chart",
    "scale_plot",
]
