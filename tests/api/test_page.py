"""The page on the front door: its examples give what it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import matplotlib
from matplotlib import pyplot

import algolens as al

PAGE = (Path(__file__).parents[2] / "docs" / "python.md").read_text(encoding="utf-8")


def test_the_examples_give_what_the_page_says(tmp_path, monkeypatch):
    matplotlib.use("Agg")
    monkeypatch.chdir(tmp_path)
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", PAGE, re.DOTALL))
    assert text.count(">>>") > 40
    example = doctest.DocTestParser().get_doctest(
        text, {"__name__": "__main__"}, "python.md", None, 0
    )
    output: list[str] = []
    assert doctest.DocTestRunner(verbose=False).run(example, out=output.append).failed == 0, (
        "".join(output)
    )
    pyplot.close("all")


def test_every_function_is_on_the_page():
    for name in al.__all__:
        if name[0].islower():
            assert f"al.{name}{'(' if callable(getattr(al, name)) else '.'}" in PAGE
