"""The notebooks run from top to bottom, and are kept without outputs.

Their cells run here in one namespace, without Jupyter: a kernel would take longer to install than
these to run. What a cell ends with is shown as a notebook shows it. `make notebooks` runs them in a
kernel.
"""

from __future__ import annotations

import ast
import json
from typing import Any

import matplotlib.pyplot as plt
import pytest

from tests.docs.notebooks import NOTEBOOKS, code_cells


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    pytest.importorskip("pandas", reason="notebooks show tables: pip install 'algolens[table]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("webbrowser.open", lambda *_: True)
    known: dict[str, Any] = {"__name__": "notebook"}
    for number, cell in enumerate(code_cells(path), 1):
        try:
            show(cell, known)
        except Exception as problem:
            raise AssertionError(f"{path.name}, code cell {number}:\n{cell}") from problem
        finally:
            plt.close("all")


def show(cell: str, known: dict[str, Any]) -> None:
    """Runs a cell; the value of its last line is shown."""
    tree = ast.parse(cell)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), known)
    if isinstance(last, ast.Expr):
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), known)
        if hasattr(value, "_repr_html_"):
            assert value._repr_html_()
        repr(value)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_outputs(path):
    cells = json.loads(path.read_text())["cells"]
    assert all(
        not cell["outputs"] and cell["execution_count"] is None
        for cell in cells
        if cell["cell_type"] == "code"
    )


def test_there_are_three():
    assert [path.stem for path in NOTEBOOKS] == ["first_look", "imperfect_network", "own_algorithm"]
