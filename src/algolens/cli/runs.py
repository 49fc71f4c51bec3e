"""A run as commands take it: what lies beside its weights and is not about them is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from algolens.cli.output import remarks

if TYPE_CHECKING:
    from algolens.experiment import TrainedRun


def find_run(name: str) -> TrainedRun:
    """The run in a folder, or the model that ships for an algorithm, by its name; its notes are
    told, and told once.
    """
    from algolens.experiment import load_run

    trained = load_run(name)
    for note in trained.notes:
        remarks.print(Text(f"note: {note}", style="dim"), soft_wrap=True)
    return replace(trained, notes=())
