"""The page of any runs: its headline says what its tables say, its figures are there, and what is
wrong is refused.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import SHIPPED, algorithm
from algolens.cli import main
from algolens.evaluation.metrics import ScoresRecord
from algolens.graphs import Recipe
from algolens.reports.curves import draw_curves
from algolens.reports.material import ShownModel
from algolens.reports.tables import ALL_RIGHT, DIGIT_SPACE, Table, aligned
from algolens.reproduction.accuracies import published
from algolens.reproduction.gathering import told_apart
from tests.refusals import experiment_record

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"


@pytest.fixture
def report(monkeypatch, capsys, tmp_path):
    """Runs ``algolens report`` on small sets: status, standard output, standard error."""
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    small = Recipe(families=("ladder", "tree"), size=6, train=8, held_out=2, test_sizes=(6,))
    monkeypatch.setattr(type(algorithm("bfs")), "recipe", small)

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["algolens", "report", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Path:
    """The report of results/runs, made anew in a folder that is laid out as results/."""
    out = tmp_path_factory.mktemp("results")
    shutil.copytree(RESULTS / "runs", out / "runs")  # what is stale is made anew there
    with pytest.MonkeyPatch.context() as patch:
        words = ["reproduce", "--report-only", "--out", str(out)]
        page = ["--markdown", str(out / "pages" / "paper.md")]
        patch.setattr(sys, "argv", ["algolens", *words, *page])
        with pytest.raises(SystemExit) as left:
            main()
    assert not left.value.code
    return out


def pages(results: Path) -> tuple[Path, Path]:
    return results / "report.html", results / "pages" / "paper.md"


# ---- one's own runs


def test_a_run_that_ships_has_a_page_of_its_own(report, tmp_path):
    out, before = tmp_path / "out", _files(SHIPPED / "bfs")
    status, printed, _ = report(
        "bfs", "--out", str(out), "--markdown", str(tmp_path / "page.md"), "--json"
    )
    found = json.loads(printed)
    assert status == 0
    assert _files(SHIPPED / "bfs") == before  # what ships stays as it came
    assert found["headline"]["title"] == "bfs: proven right on every graph"
    assert found["headline"]["found"].startswith(
        "1 of 1 exact network is proven right on every graph; the rules of 1 of 1 seed"
    )
    assert set(json.loads((out / "tables.json").read_text())["bfs"]) == {"exact"}
    html, markdown = (out / "report.html").read_text(), (tmp_path / "page.md").read_text()
    drawn = {path.stem for path in (out / "figures").iterdir()}
    assert drawn == {"trees-bfs-exact", "curves-bfs-exact"}
    assert set(re.findall(r"\(out/figures/([^)]*)\.svg\)", markdown)) == drawn
    assert html.count("<figure>") == len(drawn)
    for sentence in found["headline"].values():
        assert sentence in html
        assert sentence in markdown


def test_headings_are_in_order_and_pictures_are_told_in_words(results):
    tree = ElementTree.fromstring(pages(results)[0].read_text())
    tags = [each.tag.rpartition("}")[2] for each in tree.iter()]
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for picture in (each for each in tree.iter() if each.tag.endswith("}svg")):
        assert picture.attrib["role"] == "img"
        assert len(picture.attrib["aria-label"]) > 20


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("nowhere",), "there is no model here"),
        (("empty",), "there is no model here"),
        (("unfinished",), "cannot be read"),
        (("bfs", "bfs"), "given twice"),
        (("bfs", "--out", "unfinished"), "is a model's folder"),
        (("bfs", "--out", "mine"), "no report.html of ours"),
        (("bfs", "--markdown", "mine/report.html"), "is no report of ours"),
    ],
)
def test_what_is_no_run_and_no_place_for_a_report_is_refused_in_one_line(
    report, tmp_path, monkeypatch, words, complaint
):
    monkeypatch.chdir(tmp_path)
    for name in ("empty", "unfinished", "mine"):
        Path(name).mkdir()
    Path("unfinished", "experiment.json").write_text(
        (SHIPPED / "bfs" / "experiment.json").read_text()
    )
    Path("mine", "report.html").write_text("precious")
    before = _files(tmp_path)
    status, out, err = report(*words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert complaint in err
    assert _files(tmp_path) == before


def test_runs_of_one_algorithm_and_network_are_told_apart():
    runs = [shown("bfs", "paper", folder) for folder in ("a/one", "a/two", "b/two")] + [
        shown("bfs", "exact", "a/one")
    ]
    titles = [run.title for run in told_apart(runs)]
    assert titles == [
        "bfs (bottleneck, a/one)",
        "bfs (bottleneck, a/two)",
        "bfs (bottleneck, b/two)",
        "bfs (exact)",
    ]
    assert len({run.file_name for run in told_apart(runs)}) == len(runs)


# ---- headlines and tables of the results


def test_the_headline_says_what_the_tables_say(results):
    tables, known = json.loads((RESULTS / "tables.json").read_text()), published()
    marks = {"better": 0, "indistinguishable": 0, "worse": 0}
    for name in ("bfs", "coloring", "kruskal"):
        with (results / "tables" / f"accuracies-{name}.csv").open(newline="") as lines:
            for row in csv.DictReader(lines):
                # an exact network stands beside none of its own
                if row["model"] in known[name] and row["compared"]:
                    marks[row["compared"]] += 1
                    cell = tables[name][row["model"]][row["metric"]][row["size"]]
                    assert (row["compared"] == "better") <= (
                        cell["mean"] > float(row["published_mean"])
                    )
    title = (
        f"Of {sum(marks.values())} published figures, {marks['better']} significantly better, "
        f"{marks['indistinguishable']} statistically indistinguishable, {marks['worse']} "
        "significantly worse"
    )
    steps = [
        found["mean_step"]["100"]["mean"]
        for each in ("bfs", "coloring", "kruskal")
        for found in tables[each].values()
    ]
    steps.append(_scores("coloring-oracle")["sizes"]["100"]["mean_step"]["mean"])
    runs = [path.name for path in (RESULTS / "runs").iterdir() if (path / "scores.json").is_file()]
    seeds = [len(_scores(name)["seeds"]) for name in runs if name.endswith("-exact")]
    for page in pages(results):
        text = page.read_text()
        assert f"{title}\n" in text or f">{title}<" in text
        assert f"{len(runs)} runs of bfs, coloring and kruskal" in text
        assert (
            f"{sum(seeds)} of {sum(seeds)} exact networks are proven right on every graph" in text
        )
        assert (
            f"steps are {min(steps):.2f} to {max(steps):.2f} % right on average, at 100 nodes"
            in text
        )


def test_what_is_committed_is_the_report_of_the_runs(results):
    for name in ("tables.json", "pages/paper.md"):
        assert (RESULTS / name).read_text() == (results / name).read_text(), "run `make results`"


def test_every_figure_that_a_page_names_is_there(results):
    html, markdown = (page.read_text() for page in pages(results))
    named = set(re.findall(r"\(\.\./figures/([^)]*)\)", markdown))
    assert named == {path.name for path in (RESULTS / "figures").iterdir()}
    assert html.count("<figure>") == len(named) > 0


def test_as_many_rows_are_folded_as_are_all_right(results):
    html, markdown = (page.read_text() for page in pages(results))
    for name in ("bfs", "coloring", "kruskal"):
        rows: dict[tuple[str, str], list[str]] = {}
        with (results / "tables" / f"accuracies-{name}.csv").open(newline="") as lines:
            for row in csv.DictReader(lines):
                rows.setdefault((row["model"], row["metric"]), []).append(
                    f"{float(row['mean']):.2f}"
                )
        folded = sum(set(figures) == {"100.00"} for figures in rows.values())
        for text, begin in (
            (html, f">Accuracies of {name}<"),
            (markdown, f"**Accuracies of {name}**"),
        ):
            after = text[text.index(begin) :]
            assert re.search(r"<summary>(\d+) rows? that (?:is|are) 100\.00 throughout", after)[
                1
            ] == str(folded)  # type: ignore[index]


@given(
    st.lists(
        st.lists(
            st.sampled_from([ALL_RIGHT, "99.00 ± 1.00", "", "100.00 ± 0.01"]),
            min_size=2,
            max_size=2,
        ),
        max_size=6,
    )
)
def test_a_page_shows_every_row_once_folded_or_not(cells):
    table = Table(
        "t",
        "T",
        ("network", "a", "b"),
        [[f"n{i // 2}", *row] for i, row in enumerate(cells)],
        said_once=1,
        all_right=ALL_RIGHT,
    )
    wanted = [row for row in cells if ALL_RIGHT in row and set(row) <= {ALL_RIGHT, ""}]
    assert [list(row[1:]) for row in table.folded] == wanted
    shut, _, _ = table.to_html().partition("<details>")[2].partition("</details>")
    assert shut.count("<tr>") == (len(wanted) + 1 if wanted else 0)  # with its head
    assert (f"<summary>{len(wanted)} row" in shut) == bool(wanted)
    assert table.to_html().count("<td>") == 3 * len(cells)
    assert table.to_markdown(folds=True).count("\n| ") == len(cells) + table.to_html().count(
        "<thead>"
    )
    assert table.to_csv().count("\n") == len(cells) + 1 or not cells


def test_numbers_of_a_column_stand_under_each_other():
    cells = [aligned(percent) for percent in (9.5, 100.0, 99.0, 7.254)]
    assert [cell.replace(DIGIT_SPACE, "") for cell in cells] == ["9.50", "100.00", "99.00", "7.25"]
    assert {cell.index(".") for cell in cells} == {3}
    table = Table("t", "T", ("network", "nodes", "a"), [["n", "1,000", cell] for cell in cells])
    assert table.is_counted == [False, True, False]
    assert "|---|---:|---|" in table.to_markdown()


# ---- curves


@pytest.mark.parametrize("seeds", [1, 3, 12])
@pytest.mark.parametrize("epochs", [1, 2, 400])
def test_curves_are_drawn_of_any_number_of_seeds_and_epochs(seeds, epochs):
    loss = [
        {"epoch": e, "seed": s, "loss_x": 1 / e, "validation_mean_step": None}
        for e in range(1, epochs + 1)
        for s in range(seeds)
    ]
    titles = [axes.get_title() for axes in drawn_axes(loss)]
    assert titles[0] == "loss of x"
    assert "mean-step" not in titles  # it was never validated
    # the mean, and of several seeds a band
    axes = drawn_axes(loss)[0]
    assert (len(axes.get_lines()), len(axes.collections)) == (1, int(seeds > 1))
    proof = [{**row, "unproven": epochs - int(row["epoch"] or 0)} for row in loss]
    assert "cases not proven right yet" in [axes.get_title() for axes in drawn_axes(proof)]


def test_a_history_of_nothing_has_no_curves():
    assert draw_curves([], None) is None


def drawn_axes(history: list[dict[str, Any]]) -> list[Any]:
    figure = draw_curves(history, None)
    assert figure is not None
    return figure.get_axes()


def shown(
    name: str, preset: str, folder: str, history: list[dict[str, Any]] | None = None
) -> ShownModel:
    """A run of which little is known."""
    scores = ScoresRecord(name, preset, (0,), {})
    return ShownModel(
        Path(folder), experiment_record(name, preset), scores, history or [], [], None, "", ()
    )


def _scores(run: str) -> Any:
    return json.loads((RESULTS / "runs" / run / "scores.json").read_text())


def _files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
