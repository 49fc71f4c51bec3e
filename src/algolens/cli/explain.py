"""``algolens explain`` and ``algolens distil``: what a network learnt, and a proven twin of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    ModelArgument,
    OverwriteOption,
    limited,
    load_noted,
    option,
)
from algolens.cli.output import note, print_json, print_result, remarks, say
from algolens.errors import AlgoLensError
from algolens.limits import SEED

if TYPE_CHECKING:
    from algolens.experiment import Distilled


class Format(Enum):
    """How rules are written."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"
    PYTHON = "python"
    SMTLIB = "smtlib"
    SQL = "sql"
    JSON = "json"


def explain_command(
    model: ModelArgument,
    form: Format = option(
        Format.TEXT,
        "`text` tells all; the others are the rules themselves, to paste, run or check.",
        "--format",
    ),
    unseen: Literal["dont-care", "negative"] = option(
        "dont-care",
        "Patterns of concepts never seen: whatever makes rules short, or no rule holds "
        "there. Of an exact network all patterns are read, and none counts as unseen.",
    ),
    cases: Literal["all", "met"] = option(
        "all",
        "What an observation means is found for `all` cases that an element of any graph "
        "can be in, or for those that are `met` in runs on training graphs, where the "
        "others may be whatever makes it short.",
    ),
    seed: int | None = limited(
        None, SEED, "The seed whose rules are shown; by default one with the commonest rules."
    ),
    picture: Path | None = option(
        None, "Also draw decision trees of what the network decides: a .png, .svg or .pdf."
    ),
    save: Path | None = option(
        None,
        "Also write the program to a .json file, for `algolens execute` and `algolens compare`.",
    ),
    overwrite: OverwriteOption = False,
    redraw: bool = option(
        False,
        "Draw the rules anew from the weights, and keep them in the model's folder.",
        "--redraw",
    ),
    json: bool = JSON_OPTION,
) -> None:
    """The algorithm that a network learnt: what its concepts mean, and the rules it decides by.

    What a concept means is read off an exact network's weights, in the language of looks, and
    compared with what is declared in every case; where they differ, the smallest graph that shows
    it is searched for. Rules are minimised and graded.

    Examples: `algolens explain runs/bfs-paper`, `algolens explain coloring --picture trees.png` and
    `algolens explain runs/coloring-paper --format python > rules.py`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.model import Explanation, check_picture, check_program_file
    from algolens.front.progress import Board

    if picture is not None:
        check_picture(picture, overwrite=overwrite)
    if save is not None:
        check_program_file(save, overwrite=overwrite)
    chosen = load_noted(model, made_anew=redraw)
    is_json = json or form is Format.JSON
    with Board(remarks):
        explanation = al.explain(chosen, seed=seed, cases=cases, unseen=unseen, redraw=redraw)
        if is_json or form is Format.TEXT:
            _ = explanation.explained.audit  # for which traces may be drawn
        if picture is not None:
            explanation.save_picture(picture, overwrite=overwrite)
    if picture is not None:
        note(f"The decision trees are drawn in {picture}.")
    if save is not None:
        explanation.save(save, overwrite=overwrite)
        note(f"The program is in {save}: run it with `algolens execute {save} GRAPH`.")
    writers = {
        Format.LATEX: Explanation.to_latex,
        Format.MARKDOWN: Explanation.to_markdown,
        Format.PYTHON: Explanation.to_python_source,
        Format.SMTLIB: Explanation.to_smtlib,
        Format.SQL: Explanation.to_sql,
    }
    if form in writers and not json:
        typer.echo(writers[form](explanation))
    else:
        print_result(explanation, json=is_json)


SIZES = (20, 50, 100)  # of the graphs where none are given


def distil_command(
    model: ModelArgument,
    out: Path | None = option(
        None, "The folder to write the twin to; by default `runs/NAME-distilled`."
    ),
    graphs: list[str] | None = option(
        None,
        "Graphs to compare the two on: a file or a folder of files, a family and a size "
        "(`grid:50`), or a NetworkX built-in. May be repeated; by default graphs of the "
        "algorithm's own families at 20, 50 and 100 nodes.",
    ),
    seed: int | None = limited(None, SEED, "The seed of the network, where the model has several."),
    overwrite: OverwriteOption = False,
    json: bool = JSON_OPTION,
) -> None:
    """Read a network's program, teach it to an exact network, prove that, and compare the two.

    So a network that errs gets a verified twin, and an account of its mistakes.

    Example: `algolens distil results/runs/coloring-paper --graphs grid:50 --graphs nx:karate_club`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment import TestSets, claim, distil_into, preset
    from algolens.front.model import check_seed
    from algolens.front.own_data import own_test_sets
    from algolens.front.progress import Board

    trained = load_noted(model)
    check_seed(trained, seed)
    algorithm, seeds = trained.network.algorithm, trained.experiment.seeds
    if algorithm.declaration.in_python:
        raise AlgoLensError(
            f"{model}: {algorithm.name} sees in Python here, so no program of it can be found: "
            "nothing is distilled."
        )
    if graphs:
        tests = own_test_sets(trained.experiment, graphs, 0)
    else:
        tests = TestSets.of(trained.experiment, SIZES, None, None)
    folder = out or Path("runs") / f"{Path(model).name}-distilled"
    epochs = preset("exact", algorithm).schedule.epochs
    with (
        claim(folder, overwrite=overwrite) as place,
        Board(remarks) as board,
        board.training(f"{algorithm.name}, distilled", epochs) as watch,
    ):
        command = f"algolens {' '.join(sys.argv[1:])}"
        which = seeds[0] if seed is None else seed
        distilled = distil_into(place, trained, which, tests.traces, command, watch)
    if json:
        print_json({**distilled.to_json(), "folder": str(folder)})
        return
    for line in _in_words(distilled):
        say(line)
    say(f"Written to {folder}.")


def _in_words(distilled: Distilled) -> Iterator[str]:
    yield (
        f"The program of this network for {distilled.algorithm} (seed {distilled.seed}), found on "
        "samples:"
    )
    yield f"\n{distilled.program}\n"
    yield f"Beside the declared algorithm: {distilled.declared}"
    proven = "is proven to do what this program says, on every graph"
    verdict = proven if distilled.certificate.proven else "is NOT proven"
    yield f"The exact network that was taught it {verdict}.\n"
    yield "Where the network that was distilled differs from this twin:"
    for account in distilled.accounts:
        graphs = "1 graph" if account.graphs == 1 else f"{account.graphs} graphs"
        if not account.differing:
            yield f"  {account.name}: nowhere, on {graphs}."
            continue
        yield f"  {account.name}: on {account.differing} of {graphs}."
        for mistake in account.mistakes:
            where = f" of {mistake.at} {mistake.element}" if mistake.element is not None else ""
            yield (
                f"    graph {mistake.graph}, step {mistake.step}: {mistake.field}{where} is "
                f"{mistake.found}, and {mistake.true} by the twin."
            )
