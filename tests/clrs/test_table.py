"""What `algolens clrs` lists, and the table of results/pages/clrs.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from algolens.clrs.judge import Judgement
from algolens.clrs.table import WAYS, ClrsRow, clrs_rows, page_with_table, read_judged
from algolens.clrs.tasks import TASKS
from algolens.clrs.traces import SIZES, STORED
from algolens.experiment.shipped import Shipped
from tests.cli.conftest import run as run  # the fixture

PAGE = Path(__file__).parents[2] / "results" / "pages" / "clrs.md"


@pytest.fixture
def unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs are taken as made, for they take seconds: certificates are tested elsewhere."""
    monkeypatch.setattr("algolens.experiment.model.proof", lambda _: [])


@pytest.mark.usefixtures("unproven")
def test_the_page_has_the_table_of_today() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page_with_table(page, clrs_rows()) == page, (
        "`algolens clrs --markdown results/pages/clrs.md`"
    )


@pytest.mark.usefixtures("unproven")
def test_the_command_lists_thirty_tasks(run) -> None:
    status, out, _ = run("clrs")
    assert status == 0
    assert all(f"  {task} " in out for task in TASKS)
    assert f"Declared: {len(TASKS)} of 30" in out
    status, out, _ = run("clrs", "mst_kruskal", "--json")
    [row] = json.loads(out)["tasks"]
    assert (row["algorithm"], "mask_u" in row["left_out"]) == ("kruskal", True)
    status, _, err = run("clrs", "kruskal")
    assert (status, err.count("\n")) == (2, 1)
    assert "no task of CLRS-30 is called 'kruskal'" in err


def test_the_command_judges_and_says_what_is_wrong(run, tmp_path: Path) -> None:
    assert run("clrs", "bfs", "--judge", "stored")[:2] == (
        0,
        "".join(
            f"bfs, {nodes} nodes, by {way}: all {count} right\n"
            for nodes, count in zip(SIZES, (8, 2), strict=True)
            for way in WAYS
        ),
    )
    with np.load(STORED / "bfs_16.npz") as file:
        arrays = dict(file)
    arrays["output.pi"][3] = 0
    np.savez(tmp_path / "bfs_16_00.npz", **arrays)
    status, out, _ = run("clrs", "--judge", str(tmp_path), "--by", "algorithm")
    assert (status, out) == (
        1,
        "bfs, 16 nodes, by algorithm: 7 of 8 right; first wrong: output pi of graph 4\n",
    )
    status, _, err = run("clrs", "--judge", str(tmp_path / "none"))
    assert (status, err.count("\n"), "no traces of CLRS are in" in err) == (2, 1, True)


def test_what_was_judged_is_right_and_of_all_tasks() -> None:
    judged = read_judged()
    assert {entry.task for entry in judged} == set(TASKS)
    assert all(entry.wrong is None and entry.right == entry.graphs > 0 for entry in judged)


def test_judgements_are_summed_up_by_size() -> None:
    judged = [Judgement("bfs", 16, way, 8, 8) for way in WAYS]
    judged += [Judgement("bfs", 64, way, 2, 2) for way in WAYS[:2]]
    judged.append(Judgement("bfs", 64, "rules", 2, 1, "output pi of graph 2"))
    row = ClrsRow("bfs", "bfs_tree", (), (), {}, "", tuple(judged), Shipped())
    assert row.judged_in_words == [
        "all 8 right at 16 nodes",
        "all 2 right at 64 nodes by algorithm and network",
        "1 of 2 right at 64 nodes by rules",
    ]
