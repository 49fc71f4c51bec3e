"""Tables, figures and pages. They compute nothing."""

from algolens.reports.scores import scores_table
from algolens.reports.steps import steps

__all__ = ["scores_table", "steps"]
