"""Playing runs: as a widget in a notebook, in a browser elsewhere."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algolens.errors import AlgoLensError
from algolens.front.execution import Execution
from algolens.front.notebooks import in_notebook
from algolens.front.widget import HEIGHT, frame
from algolens.reports.player import write_page


def play(*executions: Execution | Sequence[Execution], height: int = HEIGHT) -> Any:
    """Plays a run, or several of one task side by side: step by step, forth and back, with the
    reason for each.

    In a notebook (Jupyter, VS Code, marimo) it gives a widget, height pixels high; elsewhere it
    opens a page in a browser and gives its path. ``execution.save_html(path)`` writes the page to a
    file.
    """
    given = [
        each for some in executions for each in (some if isinstance(some, list | tuple) else [some])
    ]
    several = [each for each in given if isinstance(each, Execution)]
    if not several or len(several) < len(given):
        came = ", ".join(type(each).__name__ for each in given) or "nothing"
        raise AlgoLensError(f"what al.execute gives can be played, one or several; {came} came.")
    if any(each.run.algorithm != several[0].run.algorithm for each in several):
        raise AlgoLensError(
            "runs that stand side by side are of one algorithm with the same options; beside a "
            "network's run, play its truth: al.play(execution, execution.truth)."
        )
    if in_notebook():
        return frame(several[0].page(*several[1:], compact=True), height)
    return open_page(several[0].page(*several[1:]), several[0].algorithm)[0]


def open_page(page: str, name: str, path: Path | None = None) -> tuple[Path, bool]:
    """Writes a page, to a place of its own where no path is given, and opens it: the path, and
    whether a browser was found.
    """
    place = path or Path(tempfile.mkdtemp(prefix="algolens-")) / f"{name}.html"
    write_page(place, page)
    return place, webbrowser.open(place.resolve().as_uri())
