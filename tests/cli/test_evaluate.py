"""Mistakes in ``algolens evaluate``."""

from __future__ import annotations

import pytest


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--sizes", "ten"), "--sizes 'ten' should be whole numbers"),
        (("--sizes", "10,10"), "names a number twice"),
        (("--sizes", "10,"), "--sizes '10,' should be whole numbers"),
        (("--sizes", "0"), "a graph needs at least one node"),
        (("--sizes", "1"), "too few different graphs of 1 nodes"),
        (("--device", "tpu"), "--device 'tpu' is none of auto, cpu, cuda"),
    ],
)
def test_a_mistake_in_evaluating_gets_one_line(run, tmp_path, words, complaint):
    assert run("train", "bfs", "--epochs", "1", "--out", str(tmp_path / "run"), "--json")[0] == 0
    status, out, err = run("evaluate", str(tmp_path / "run"), "--json", *words)
    assert status == 2
    assert complaint in err
    assert err.count("\n") == 1
    assert out == ""


def test_evaluating_what_is_no_run_gets_one_line(run, tmp_path):
    status, _, err = run("evaluate", str(tmp_path / "nowhere"))
    assert status == 2
    assert "there is no run here" in err
    assert err.count("\n") == 1
