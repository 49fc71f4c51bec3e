"""Codes of scores: what a page gives, the command says in words; a changed one is refused."""

from __future__ import annotations

import pytest

from algolens.cli.scores import check_score_command, checksum
from algolens.errors import AlgoLensError
from algolens.graphs import load_graph
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, read_run

CODE = "function answer({ page }) { return scoreCode(page, 7, 9, 214_300); }"


@needs_node
def test_the_command_says_what_the_page_scored(capsys):
    run = read_run("dijkstra", load_graph("examples/village.csv", 0), source="Mill")
    (code,) = in_node(CODE, [{"page": data_of(run)}])
    check_score_command(code)
    told = capsys.readouterr().out
    assert told.startswith("dijkstra on a-graph (inputs ")
    assert "7 of 9 right, in 3 min 34 s" in told
    for changed in (code.replace("7of9", "9of9"), code[:-1] + "x", f"0{code}"):
        with pytest.raises(AlgoLensError, match="was changed"):
            check_score_command(changed)


def test_what_is_no_code_is_refused():
    said = "no code of ours"
    for code in ("", said, f"{said}.{checksum(said)}"):
        with pytest.raises(AlgoLensError, match="is not a score code"):
            check_score_command(code)
