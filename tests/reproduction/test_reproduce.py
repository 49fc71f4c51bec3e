"""The reproduction: it trains what is missing and nothing else, says what it is not, and its report
comes from files alone.
"""

from __future__ import annotations

import csv
import json
import re
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from matplotlib.figure import Figure

from algolens.algorithms import SHIPPED, algorithms
from algolens.cli import main
from algolens.errors import AlgoLensError, UnknownNameError
from algolens.evaluation import TITLES
from algolens.experiment.model import Place, claim, load_model
from algolens.experiment.train import train_into
from algolens.extraction.grading import grade
from algolens.graphs import Recipe
from algolens.protocol import Departure
from algolens.reports import figures
from algolens.reproduction import plan as module
from algolens.reproduction.accuracies import tables_json
from algolens.reproduction.departures import departures_of
from algolens.reproduction.plan import (
    ReproductionPlan,
    carry_out,
    complete,
    folder_of,
    gather,
    make_plan,
    plan_differences,
)
from algolens.reproduction.report import Remark, check_report, report_page, write_report

CPU = torch.device("cpu")
RESULTS = Path(__file__).parents[2] / "results"
SMALL = Recipe(families=("ladder", "tree"), size=6, train=12, held_out=4, test_sizes=(6, 9))
NAMES = ["bfs", "coloring"]
WARNING = "epochs: 2 (text: "


def silent(_experiment: Any) -> Any:
    return nullcontext(lambda _epoch: None)


@pytest.fixture(scope="module", autouse=True)
def _small(tmp_path_factory):
    """A cache of one's own, small sets, and hardly any epochs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALGOLENS_CACHE", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(module, "QUICK_EPOCHS", 2)
        patch.setattr(
            module,
            "PRESETS",
            dict.fromkeys(("paper", "standard", "paper-unregularised", "oracle"), ""),
        )
        for cls in algorithms().values():
            patch.setattr(cls, "recipe", SMALL)
        yield


@pytest.fixture(scope="module")
def plan(_small) -> ReproductionPlan:
    return make_plan(NAMES, quick=True)


@pytest.fixture(scope="module")
def made(plan, tmp_path_factory) -> Path:
    """A reproduction of two algorithms, quick."""
    out = tmp_path_factory.mktemp("made") / "out"
    carry_out(plan, out, CPU, "algolens reproduce", silent)
    write_report(out, gather(out, plan), out / "report.md")
    return out


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["algolens", "reproduce", *words])
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out, printed.err

    return call


def json_of(departure: Departure) -> Any:
    return json.loads(json.dumps(departure.to_json()))


def files(folder: Path) -> dict[str, bytes]:
    """What a report wrote."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "runs" not in path.relative_to(folder).parts
    }


# ---- plans


def test_a_plan_holds_what_the_paper_has_and_says_what_it_leaves_out(plan):
    assert [f"{run.algorithm}-{run.preset}" for run in plan.runs] == [
        "bfs-standard",
        "bfs-paper",
        "coloring-standard",
        "coloring-paper",
        "coloring-paper-unregularised",
        "coloring-oracle",
    ]
    # it has no regularisation to take away
    assert list(plan.skipped) == ["bfs-paper-unregularised"]


def test_a_preset_that_a_network_cannot_do_is_left_out_with_the_reason(monkeypatch):
    def refuse(experiment: Any) -> str | None:
        return "no network learns this so." if experiment.preset == "standard" else None

    monkeypatch.setattr(module, "training_objection", refuse)
    found = make_plan(["bfs"])
    assert [run.preset for run in found.runs] == ["paper"]
    assert found.skipped["bfs-standard"] == "No network learns this so."


def test_a_quick_run_departs_in_seeds_and_epochs_besides(plan):
    for quick, full in zip(plan.runs, make_plan(NAMES).runs, strict=True):
        quickly, fully = ("; ".join(map(str, departures_of(run))) for run in (quick, full))
        assert "seeds: 2 (text: 5)" in quickly
        assert "epochs: 2 (text: " in quickly
        assert "seeds" not in fully
        assert fully  # that a run is made by its preset does not make it the paper's
    assert plan_differences(plan.runs[0], plan.runs[0]) == []


def test_an_algorithm_that_is_not_there_is_named():
    with pytest.raises(UnknownNameError, match="Did you mean 'coloring'"):
        make_plan(["colouring"])


# ---- carrying out


def test_what_is_there_is_not_trained_again(made, plan, monkeypatch):
    monkeypatch.setattr(module, "train_into", lambda *_: pytest.fail("it trains"))
    monkeypatch.setattr(module, "study", lambda *_, **__: pytest.fail("it studies"))
    carry_out(plan, made, CPU, "", silent)


def test_only_what_is_missing_is_trained_and_gives_the_same_tables(
    made, plan, monkeypatch, tmp_path
):
    out, trained = tmp_path / "out", []
    shutil.copytree(made, out)
    (out / "runs" / "coloring-paper" / "scores.json").unlink()  # as if it was not finished

    def watched(place: Place, experiment: Any, *rest: Any) -> Any:
        trained.append(f"{experiment.algorithm}-{experiment.preset}")
        return train_into(place, experiment, *rest)

    monkeypatch.setattr(module, "train_into", watched)
    carry_out(plan, out, CPU, "", silent)
    assert trained == ["coloring-paper"]
    assert tables_json(gather(out, plan)) == json.loads((made / "tables.json").read_text())


def test_runs_that_were_made_otherwise_are_refused_before_anything_is_trained(made, monkeypatch):
    monkeypatch.setattr(module, "train_into", lambda *_: pytest.fail("it trains"))
    with pytest.raises(
        AlgoLensError, match=r"bfs-standard was made otherwise: .*epochs 2 \(planned: 500\).*--out"
    ):
        carry_out(make_plan(NAMES), made, CPU, "", silent)


def test_the_oracle_study_is_a_run_of_its_own_and_a_figure_from_both_histories(
    made, plan, tmp_path
):
    assert (made / "figures" / "oracle-coloring-has_priority.svg").is_file()
    assert "coloring (bottleneck, has_priority given)" in (made / "tables" / "runs.md").read_text()
    told = next(
        line
        for line in (made / "report.md").read_text().splitlines()
        if line.startswith("coloring: the oracle")
    )
    for name in ("coloring-paper", "coloring-oracle"):
        sizes = json.loads((made / "runs" / name / "scores.json").read_text())["sizes"]
        cells = [values["concepts_last_step"] for values in sizes.values()]
        assert ", ".join(f"{cell['mean']:.2f} ± {cell['std']:.2f}" for cell in cells) in told
        with (made / "runs" / name / "history.csv").open(newline="") as lines:
            # the only one that is validated
            last = [row for row in csv.DictReader(lines) if row["epoch"] == "2"]
        columns = [column for column in last[0] if column.startswith("validation_last_step.")]
        lowest = min(sum(float(row[column]) for row in last) / len(last) for column in columns)
        assert f"{lowest:.2f} % last-step" in told
    for missing in ("coloring-paper", "coloring-oracle"):
        out = tmp_path / f"without {missing}"
        shutil.copytree(made / "runs", out / "runs", ignore=shutil.ignore_patterns(missing))
        assert gather(out, plan).oracle_studies() == []


def test_an_oracle_without_any_other_run_has_a_report(made, plan, tmp_path):
    shutil.copytree(made / "runs" / "coloring-oracle", tmp_path / "runs" / "coloring-oracle")
    write_report(tmp_path, gather(tmp_path, plan))
    assert set(json.loads((tmp_path / "tables.json").read_text())) == {"departures"}


# ---- the report


def test_the_tables_hold_the_scores(made, plan):
    tables = json.loads((made / "tables.json").read_text())
    models = {
        "standard": "standard",
        "paper": "bottleneck",
        "paper-unregularised": "bottleneck_unregularised",
    }
    told = tables.pop("departures")
    assert told == {
        folder_of(made, run).name: [json_of(each) for each in departures_of(run)]
        for run in plan.runs
    }
    assert {name: set(found) for name, found in tables.items()} == {
        "bfs": {"standard", "bottleneck"},
        "coloring": set(models.values()),
    }
    with (made / "tables" / "accuracies-coloring.csv").open(newline="") as lines:
        rows = {(row["model"], row["metric"], row["size"]): row for row in csv.DictReader(lines)}
    for wanted in plan.runs:
        if wanted.architecture.given:
            continue  # the paper's tables have no such row
        sizes = json.loads((folder_of(made, wanted) / "scores.json").read_text())["sizes"]
        found = tables[wanted.algorithm][models[wanted.preset]]
        assert set(found) == {metric for metric in TITLES if metric in sizes["6"]}
        for metric, by_size in found.items():
            bounds = {size: cell.pop("interval") for size, cell in by_size.items()}
            assert by_size == {size: values[metric] for size, values in sizes.items()}
            assert all(
                0 <= low <= by_size[size]["mean"] <= high <= 100
                for size, (low, high) in bounds.items()
            )
            if wanted.algorithm == "coloring":
                for size, cell in by_size.items():
                    row = rows[models[wanted.preset], metric, size]
                    assert {"mean": float(row["mean"]), "std": float(row["std"])} == cell
                    assert [float(row["low"]), float(row["high"])] == bounds[size]


def test_tables_list_every_departure_of_every_run(made, plan):
    for run in plan.runs:
        told = [str(each) for each in departures_of(run)]
        with (made / "tables" / "runs.csv").open(newline="") as lines:
            assert any(row["departures"] == "; ".join(told) for row in csv.DictReader(lines))
        if not run.architecture.given:
            text = (made / "tables" / f"accuracies-{run.algorithm}.csv").read_text()
            assert [each for each in told if each not in text] == []
        table = (made / "tables" / f"departures-{run.algorithm}.md").read_text()
        assert [each.what for each in departures_of(run) if f"| {each.what} |" not in table] == []
        assert table.strip() in (made / "report.md").read_text()


def test_scores_that_know_nothing_of_single_graphs_are_measured_anew_where_weights_are_there(
    made, tmp_path
):
    names = ("bfs-paper", "bfs-standard")
    for name in names:
        shutil.copytree(made / "runs" / name, tmp_path / "runs" / name)
        scores = json.loads((tmp_path / "runs" / name / "scores.json").read_text())
        for found in scores["sizes"].values():
            del found["spread"]
        (tmp_path / "runs" / name / "scores.json").write_text(json.dumps(scores))
    (tmp_path / "runs" / "bfs-standard" / "weights.safetensors").unlink()
    complete(tmp_path, CPU)
    found = [json.loads((tmp_path / "runs" / name / "scores.json").read_text()) for name in names]
    assert found[0] == json.loads((made / "runs" / "bfs-paper" / "scores.json").read_text())
    assert not any("spread" in each for each in found[1]["sizes"].values())


def test_the_report_is_rebuilt_from_files_alone(made, plan, tmp_path):
    """Byte for byte."""
    out = tmp_path / "elsewhere"
    shutil.copytree(made / "runs", out / "runs")
    write_report(out, gather(out, plan), out / "report.md")
    before, after = files(made), files(out)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []


@pytest.mark.parametrize("ending", ["pdf", "png"])
def test_a_picture_is_saved_as_svg_and_as_asked_twice_the_same(tmp_path, ending):
    for name in ("one", "other"):
        figure = Figure()
        figure.add_subplot(title="a title").plot([1, 3, 2], label="a line")
        figures.Picture("picture", "What it shows.", figure).save(tmp_path / name, ending)
    first, second = files(tmp_path / "one"), files(tmp_path / "other")
    assert {Path(name).name for name in first} == {"picture.svg", f"picture.{ending}"}
    assert first == second


def test_rules_and_certificates_of_other_weights_are_made_anew_or_not_shown(tmp_path):
    """A run of one algorithm whose network can be certified."""
    folder = Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "runs" / "bfs-exact"))
    certificate, program = (folder / "certificate.json", folder / "rule_sets.json")
    right = {path: json.loads(path.read_text()) for path in (certificate, program)}
    planned = make_plan(["bfs"])
    for path in (certificate, program):
        path.write_text(json.dumps({**right[path], "about": {}}))
    (shown,) = gather(tmp_path, planned).runs
    assert (list(shown.rule_sets), list(shown.certificates)) == ([], [])
    assert "rule_sets.json" in shown.remarks
    assert "certificate.json" in shown.remarks
    complete(tmp_path, CPU, quick=True)
    (shown,) = gather(tmp_path, planned).runs
    assert shown.remarks == ""
    assert [each.proven for each in shown.certificates] == [True]
    assert {path: json.loads(path.read_text())["about"] for path in right} == {
        path: each["about"] for path, each in right.items()
    }


def test_a_run_whose_rules_were_those_of_other_weights_is_scored_anew(tmp_path):
    folder = Path(shutil.copytree(SHIPPED / "bfs", tmp_path / "runs" / "bfs-exact"))
    written = json.loads((folder / "rule_sets.json").read_text())
    rules = written["seeds"][0]["rule_set"]["rules"]["visited"]
    rules["true"], rules["false"] = rules["false"], rules["true"]
    (folder / "rule_sets.json").write_text(json.dumps({**written, "about": {}}))
    (folder / "scores.json").write_text('{"of": "other rules"}')
    (folder / "study.json").write_text('{"of": "other rules"}')
    complete(tmp_path, CPU, quick=True)
    again = load_model(folder)
    assert again.rule_sets is not None
    assert all(grade(each, again.network.algorithm).equal_on_seen for each in again.rule_sets)
    scores = json.loads((folder / "scores.json").read_text())
    assert [each["formula_mean_step"] for each in scores["sizes"].values()] == [100.0, 100.0]
    assert "verdicts" in json.loads((folder / "study.json").read_text())


def test_every_table_and_figure_says_how_it_departs_from_the_paper(made):
    # these have it in columns
    others = ("concepts", "runs", *(f"departures-{name}" for name in NAMES))
    tables = [
        path
        for path in (made / "tables").iterdir()
        if "published" not in path.name and path.stem not in others
    ]
    figures = list((made / "figures").glob("*.svg"))
    assert len(tables) >= 3 * 5
    assert len(figures) >= 7
    # a figure says it in its metadata
    for path in (*tables, *figures, made / "report.html", made / "report.md"):
        assert WARNING in path.read_text(), path


def test_the_page_is_well_formed_and_needs_nothing_outside_it(made):
    text = (made / "report.html").read_text()
    tree = ElementTree.fromstring(text)
    ids = [each.attrib["id"] for each in tree.iter() if "id" in each.attrib]
    assert len(ids) == len(set(ids))
    links = [
        value
        for each in tree.iter()
        for key, value in each.attrib.items()
        if key.rpartition("}")[2] in ("href", "src")
    ]
    links += re.findall(r"url\(([^)]*)\)", text)
    assert links
    assert {link.strip("'\"").removeprefix("#") for link in links} <= set(ids)
    assert not re.search(r"<(script|link|iframe|img)\b|@import", text)
    figures = [each for each in tree.iter() if each.tag.rpartition("}")[2] == "figure"]
    assert len(figures) == len(list((made / "figures").glob("*.svg")))
    for each in json.loads((made / "runs" / "bfs-paper" / "experiment.json").read_text())["about"][
        "versions"
    ].values():
        assert each in text


def test_every_table_of_latex_has_whole_rows(made):
    for path in (made / "tables").glob("*.tex"):
        text = path.read_text()
        plain = re.sub(r"\\.", "", text)
        assert plain.count("{") == plain.count("}"), path
        layout = re.search(r"\\begin\{tabularx?\}(?:\{\\textwidth\})?\{([lrX]+)\}", text)
        assert layout
        lines = [line for line in text.splitlines() if line.endswith(r"\\")]
        rows = [line for line in lines if r"\multicolumn" not in line]  # which are headings
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(layout[1])}, path


# ---- the command


def test_the_command_reports_on_what_is_there(run, made, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(made / "runs", out / "runs")
    status, printed, _ = run("bfs", "--report-only", "--out", str(out), "--json")
    found = json.loads(printed)
    assert status == 0
    assert set(found["tables"].pop("departures")) == {"bfs-standard", "bfs-paper"}
    assert found["tables"] == {"bfs": json.loads((made / "tables.json").read_text())["bfs"]}
    assert [each["run"] for each in found["runs"]] == ["bfs-standard", "bfs-paper"]
    assert all(each["departures"] for each in found["runs"])
    assert "bfs-paper-unregularised" in found["skipped"]
    # all is there: nothing is trained
    status, printed, _ = run("bfs", "--quick", "--out", str(out))
    assert status == 0
    assert "report.html" in printed
    assert set(json.loads((out / "tables.json").read_text())) == {"bfs", "departures"}


def test_remarks_on_a_run_stand_in_the_report(made, plan, tmp_path):
    out = tmp_path / "out"
    shutil.copytree(made / "runs", out / "runs")
    (out / "runs" / "bfs-paper" / "remarks.md").write_text("Made before a `change` & so on.\n")
    material = gather(out, plan)
    told = [
        each
        for each in report_page(replace(material, declared={}, runs=material.runs[1:2])).shown
        if isinstance(each, Remark)
    ]
    assert any(
        "Made before a <code>change</code> &amp; so on." in remark.to_html() for remark in told
    )
    assert any("Made before a `change` & so on." in remark.to_markdown() for remark in told)


def test_one_seed_has_no_deviation(tmp_path):
    planned = make_plan(["bfs"], 1, quick=True)
    one = replace(planned, runs=planned.runs[1:])
    carry_out(one, tmp_path, CPU, "", silent)
    cells = tables_json(gather(tmp_path, one))["bfs"]["bottleneck"]["mean_step"]
    assert all(cell["std"] == 0 for cell in cells.values())


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("colouring",), "Did you mean 'coloring'"),
        (("--device", "tpu"), "device 'tpu' is none of auto, cpu, cuda"),
        (("bfs", "--report-only"), "no run is here"),
    ],
)
def test_a_mistake_gets_one_line(run, tmp_path, words, complaint):
    status, out, err = run(*words, "--out", str(tmp_path / "new"), "--json")
    lines = [line for line in err.splitlines() if line.startswith("error")]
    assert status == 2
    assert len(lines) == 1
    assert complaint in lines[0]
    assert out == ""
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written_or_read_is_said(run, made, tmp_path):
    (tmp_path / "file").write_text("")
    status, _, err = run("bfs", "--quick", "--out", str(tmp_path / "file" / "out"))
    assert status == 2
    assert "cannot be written" in err
    shutil.copytree(made / "runs", tmp_path / "out" / "runs")
    (tmp_path / "out" / "runs" / "bfs-paper" / "experiment.json").write_text("{")
    status, _, err = run("bfs", "--report-only", "--out", str(tmp_path / "out"))
    assert status == 2
    assert "bfs-paper" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "name", ["report.html", "tables.json", "tables/mine.tex", "figures/mine.pdf", "page.md"]
)
def test_nothing_of_somebody_else_is_written_over(run, made, tmp_path, name):
    shutil.copytree(made / "runs" / "bfs-paper", tmp_path / "runs" / "bfs-paper")
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("precious")
    words = (
        "--report-only",
        "--out",
        str(tmp_path),
        "--markdown",
        str(tmp_path / "page.md"),
        "--json",
    )
    status, out, err = run("bfs", *words)
    assert (status, out) == (2, "")
    assert err.count("\n") == 1
    assert name.partition("/")[0] in err
    assert (tmp_path / name).read_text() == "precious"


def test_a_report_of_ours_may_be_written_over(made, tmp_path):
    check_report(made, made / "report.md")
    check_report(tmp_path / "nowhere", tmp_path / "nowhere.md")


def test_a_run_that_is_being_trained_elsewhere_is_said_in_one_line(plan, tmp_path):
    """And a folder in its place that is no run is left alone, before anything is trained."""
    folder = folder_of(tmp_path, plan.runs[0])
    with claim(folder), pytest.raises(AlgoLensError, match="is being written by process"):
        carry_out(plan, tmp_path, CPU, "", silent)
    folder.mkdir()
    (folder / "thesis.tex").write_text("precious")
    with pytest.raises(AlgoLensError, match="is no model of ours"):
        carry_out(plan, tmp_path, CPU, "", silent)
    assert (folder / "thesis.tex").read_text() == "precious"


def test_wrong_usage_is_status_2(run, tmp_path):
    assert run("--seeds", "0", "--out", str(tmp_path))[0] == 2
