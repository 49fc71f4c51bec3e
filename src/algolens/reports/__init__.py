"""Tables, figures and pages. They compute nothing."""

from algolens.reports.steps import steps

__all__ = ["steps"]
