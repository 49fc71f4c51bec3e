"""``algolens explain``, and runs by their rules."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import structs

from algolens.experiment.model import extract_all, load_model
from algolens.logic import GoOn


def test_explain_gives_the_true_rules_of_a_network_that_is_right(run, bfs_that_is_right):
    status, out, _ = run("explain", str(bfs_that_is_right), "--json")
    found = json.loads(out)
    assert status == 0
    assert found["rules"] == {
        "visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}
    }
    assert found["continues"] == "~has_been_visited & has_visited_neighbours"
    assert found["equal_on_seen"] is found["equal_on_all"] is True
    status, out, _ = run("explain", str(bfs_that_is_right))
    assert status == 0
    assert "It fits all" in out
    assert "equal to the true rules on every pattern" in out
    status, out, _ = run("explain", str(bfs_that_is_right), "--unseen", "negative", "--json")
    assert (
        json.loads(out)["rules"]["visited"]["false"]
        == "~has_been_visited & ~has_visited_neighbours"
    )


@pytest.mark.parametrize("form", ["latex", "markdown", "python", "smtlib", "json"])
def test_explain_writes_every_format_alone_to_standard_output(run, bfs_that_is_right, form):
    status, out, _ = run("explain", str(bfs_that_is_right), "--format", form)
    assert status == 0
    assert "visited" in out
    if form == "python":
        space: dict[str, Any] = {}
        exec(out, space)
        assert space["decide"]([[False, True]])["visited"].tolist() == [True]


FORMATS = ("text", "latex", "markdown", "python", "smtlib", "json")


@pytest.mark.parametrize("form", FORMATS)
def test_rules_that_are_known_to_be_wrong_are_never_written_without_a_warning(
    run, bfs_that_is_right, form
):
    """A rule for going on that fails at three steps, and one for an output that fails at a decision
    in a million.
    """
    trained = load_model(bfs_that_is_right)
    right = extract_all(trained.network, trained.experiment.data().train)[0]
    assert right.termination is not None
    visited = right.outputs["visited"]
    nearly = structs.replace(visited.classes["true"], fidelity=0.999999)
    going_on = GoOn.parse("~has_been_visited")
    wrong = replace(
        right,
        rule_set=replace(right.rule_set, continues=going_on),
        outputs={"visited": structs.replace(visited, classes={**visited.classes, "true": nearly})},
        termination=replace(right.termination, rule=going_on, num_wrong=3),
        num_elements=2_000_000,
    )
    replace(trained, extractions=[wrong], folder=None).save(bfs_that_is_right, overwrite=True)
    status, out, _ = run("explain", str(bfs_that_is_right), "--format", form)
    told = " ".join(out.split())
    steps = right.termination.num_steps
    assert status == 0
    assert (
        f"WARNING: the rule for going on says what the network decided at {steps - 3:,} of "
        f"{steps:,} steps" in told
    )
    assert (
        "WARNING: the rule for visited = true says what the network decided at 1,999,998 of "
        "2,000,000 decisions (99.99 %)" in told
    )
    assert "not the true rules" in told
    assert "rule for visited = false says" in told or form == "text"  # whose table has it
    assert "WARNING: the rule for visited = false" not in told


@pytest.mark.parametrize("form", FORMATS)
def test_rules_that_are_right_come_with_what_was_measured_and_no_warning(
    run, bfs_that_is_right, form
):
    _, out, _ = run("explain", str(bfs_that_is_right), "--format", form)
    told = " ".join(out.split())
    graphs = len(load_model(bfs_that_is_right).experiment.data().train.lengths)
    assert f"{graphs} graphs" in told
    assert "WARNING" not in told
    assert "equal to the true rules on every pattern" in told or form == "json"


def test_explain_draws_the_tree(run, bfs_that_is_right, tmp_path):
    status, _, err = run("explain", str(bfs_that_is_right), "--picture", str(tmp_path / "tree.png"))
    assert status == 0
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")
    (tmp_path / "thesis.pdf").write_text("precious")
    status, out, err = run(
        "explain", str(bfs_that_is_right), "--picture", str(tmp_path / "thesis.pdf")
    )
    assert (status, out) == (2, "")
    assert "is there already: give another place, or --overwrite" in err
    assert (tmp_path / "thesis.pdf").read_text() == "precious"
    assert (
        run(
            "explain",
            str(bfs_that_is_right),
            "--picture",
            str(tmp_path / "thesis.pdf"),
            "--overwrite",
        )[0]
        == 0
    )
    assert (tmp_path / "thesis.pdf").read_bytes().startswith(b"%PDF")
    status, _, err = run("explain", str(bfs_that_is_right), "--picture", str(tmp_path / "tree.txt"))
    assert status == 2
    assert ".svg" in err


def test_evaluating_by_rules_gives_the_formula_scores_alone(run, bfs_that_is_right):
    status, out, _ = run(
        "evaluate", str(bfs_that_is_right), "--by", "rules", "--sizes", "12", "--json"
    )
    found = json.loads(out)["sizes"]["12"]
    assert status == 0
    assert (
        found["formula_mean_step"]
        == found["formula_last_step"]
        == found["formula_termination"]
        == 100.0
    )
    assert "mean_step" not in found


@pytest.mark.usefixtures("small_sets")
def test_without_a_bottleneck_rules_are_in_the_algorithms_concepts_and_nothing_runs_by_them(
    run, tmp_path
):
    folder = str(tmp_path / "standard")
    assert run("train", "bfs", "--preset", "standard", "--epochs", "1", "--out", folder)[0] == 0
    status, out, _ = run("explain", folder)
    assert status == 0
    assert out.startswith("The network has no concepts.")
    assert "as network" in out
    for words, said in (
        (("evaluate", folder, "--by", "rules"), "no bottleneck"),
        (("explain", folder, "--redraw"), "rules of a network without concepts are not kept"),
        (("execute", folder, "grid:9", "--by", "rules"), "without a bottleneck"),
        (("explain", folder, "--save", str(tmp_path / "p.json")), "no concepts of its own"),
    ):
        status, out, err = run(*words)
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert said in err


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "{}",
        '{"seeds": []}',
        '{"seeds": [{"seed": 0, "exact": false, "rule_set": {"concepts": ["a"]}}]}',
    ],
)
def test_a_damaged_program_is_named_with_what_to_do(run, bfs_that_is_right, content):
    (bfs_that_is_right / "rule_sets.json").write_text(content)
    status, _, err = run("explain", str(bfs_that_is_right))
    assert status == 0
    assert "rule_sets.json" in err
    assert "--redraw` draws its own rules" in err
