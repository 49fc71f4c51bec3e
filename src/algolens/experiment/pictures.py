"""Pictures that are left beside a run."""

from __future__ import annotations

import warnings
from pathlib import Path

from algolens.errors import AlgoLensWarning
from algolens.experiment.place import CURVES
from algolens.reports.material import read_model


def leave_curves(folder: Path) -> Path | None:
    """Draws how a run was learnt into its folder, and gives the picture's path; None where its
    history has nothing to draw.

    It is drawn from the files of the run, so it can be drawn again at any time. Where that fails, a
    warning says so, and nothing else happens, for the run itself is whole.
    """
    try:
        return _drawn(folder)
    except Exception as problem:
        why = str(problem) or type(problem).__name__
        warnings.warn(
            f"the curves could not be drawn ({why}); the run in {folder} is whole.",
            AlgoLensWarning,
            stacklevel=2,
        )
        return None


def _drawn(folder: Path) -> Path | None:
    from algolens.reports.curves import draw_curves
    from algolens.reports.figures import save_figure

    figure = draw_curves(read_model(folder))
    if figure is None:
        return None
    save_figure(figure, folder / CURVES)
    return folder / CURVES
