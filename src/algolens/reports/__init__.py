"""Tables, figures and pages. They compute nothing."""

from algolens.reports.mistakes import mistakes_table
from algolens.reports.scores import graphs_note, scores_table
from algolens.reports.steps import steps

__all__ = ["graphs_note", "mistakes_table", "scores_table", "steps"]
