"""``algolens explain``: the rules that a trained run goes by."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from algolens.cli.options import JSON_OPTION, RunArgument, find_model_folder
from algolens.cli.output import print_json, remarks, results
from algolens.disk import check_writable
from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.experiment import TrainedModel
    from algolens.extraction import Unseen
    from algolens.logic.rule_set import RuleSet
    from algolens.programs import Program
    from algolens.terminal.rules import Explained

PICTURES = (".png", ".svg", ".pdf")


class Format(Enum):
    """How rules are written."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"
    PYTHON = "python"
    SMTLIB = "smtlib"
    SQL = "sql"
    JSON = "json"


WRITERS: dict[Format, Callable[[RuleSet | Program], str]] = {
    Format.LATEX: lambda program: program.to_latex(),
    Format.MARKDOWN: lambda program: program.to_markdown(),
    Format.PYTHON: lambda program: program.to_python_source(),
    Format.SMTLIB: lambda program: program.to_smtlib(),
}


def explain_command(
    run: RunArgument,
    form: Annotated[
        Format,
        typer.Option(
            "--format",
            help="`text` tells all; the others are the rules themselves, to paste, run or check.",
        ),
    ] = Format.TEXT,
    unseen: Annotated[
        Literal["dont-care", "negative"],
        typer.Option(
            help="Patterns of concepts never seen: whatever makes rules short, or no rule holds "
            "there. Of an exact network all patterns are read, and none counts as unseen."
        ),
    ] = "dont-care",
    cases: Annotated[
        Literal["all", "met"],
        typer.Option(
            help="What an observation means is found for `all` cases that an element of any graph "
            "can be in, or for those that are `met` in runs on training graphs, where the "
            "others may be whatever makes it short."
        ),
    ] = "all",
    seed: Annotated[
        int | None,
        typer.Option(
            help="The seed whose rules are shown; by default one with the commonest rules."
        ),
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(
            help="Also draw the rules, and under them the decision trees, for a talk: a .png, .svg "
            "or .pdf."
        ),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Also write the program to a .json file, for `algolens execute` and `algolens "
            "compare`."
        ),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite", help="Write over what is there, with `--picture` and `--save`."
        ),
    ] = False,
    redraw: Annotated[
        bool,
        typer.Option(
            "--redraw",
            help="Draw the rules anew from the weights, and keep them in the run's folder.",
        ),
    ] = False,
    json: bool = JSON_OPTION,
) -> None:
    """The algorithm that a network learnt: what its concepts mean, and the rules that it decides
    by, minimised and graded.

    What a concept means is read off an exact network's weights, in the language of looks, and
    compared with what is declared in every case; where they differ, the smallest graph that shows
    it is searched for.

    Examples: `algolens explain runs/bfs-paper`, `algolens explain coloring --picture rules.png` and
    `algolens explain runs/coloring-paper --format python > rules.py`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment import load_model
    from algolens.experiment.explain import WhichCases, explain_model
    from algolens.extraction import Unseen
    from algolens.terminal.rules import rules_report

    trained = load_model(run) if redraw else find_model_folder(run)
    experiment = trained.experiment
    if not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"{run}: this run has no bottleneck (preset '{experiment.preset}'), so it has no "
            "rules. Train the preset 'paper'."
        )
    if seed is not None and seed not in experiment.seeds:
        raise AlgoLensError(
            f"--seed {seed} is not in this run; it has {', '.join(map(str, experiment.seeds))}."
        )
    if picture is not None:
        _check_picture(picture, overwrite)
    if save is not None:
        _check_program(save, overwrite)
    if redraw:
        trained = _redrawn(run, Unseen(unseen))
    explained = explain_model(trained, Unseen(unseen), seed, WhichCases(cases))
    if picture is not None:
        _draw(trained, explained, picture)
    if save is not None:
        _whole(explained, "--save").save(save)
        remarks.print(
            f"The program is in {save}: run it with `algolens execute {save} GRAPH`.",
            highlight=False,
        )
    if json or form is Format.JSON:
        print_json(explained.to_json())
    elif form is Format.SQL:
        typer.echo(_whole(explained, "--format sql").to_sql())
    elif form in WRITERS:
        typer.echo(WRITERS[form](explained.program or explained.rule_set))
    else:
        for part in rules_report(explained):
            results.print(part)


def _check_picture(path: Path, overwrite: bool) -> None:
    """Whether a picture can be drawn there, before anything is computed."""
    if path.suffix not in PICTURES:
        raise AlgoLensError(f"--picture {path}: a picture ends in {', '.join(PICTURES)}.")
    if path.exists() and not overwrite:
        raise AlgoLensError(
            f"--picture {path} is there already: give another place, or --overwrite."
        )
    check_writable(path)


def _check_program(path: Path, overwrite: bool) -> None:
    if path.suffix != ".json":
        raise AlgoLensError(f"--save {path}: a program ends in .json.")
    if path.exists() and not overwrite:
        raise AlgoLensError(f"--save {path} is there already: give another place, or --overwrite.")


def _whole(explained: Explained, asked: str) -> Program:
    if explained.program is None:
        raise AlgoLensError(
            f"{asked}: there is no program that stands alone: {explained.why_no_program}. Take "
            "another format."
        )
    return explained.program


def _redrawn(run: str, unseen: Unseen) -> TrainedModel:
    """The run with its rules drawn anew, and kept beside its weights."""
    from algolens.data import fixed
    from algolens.experiment import extract_all, load_model, save_rule_sets, shipped_folder
    from algolens.experiment.place import unchanged

    if shipped_folder(run) is not None:
        raise AlgoLensError(
            "--redraw: what came with the package stays as it came. Leave it out, or give a "
            f"folder for {run}."
        )
    with unchanged(Path(run)):
        trained = load_model(run)
        truth = fixed(trained.network.algorithm, trained.experiment.data_seed).train
        save_rule_sets(Path(run), trained.network, extract_all(trained.network, truth, unseen))
        return load_model(run)


def _draw(trained: TrainedModel, explained: Explained, path: Path) -> None:
    from algolens.data import fixed
    from algolens.experiment.studies import trees
    from algolens.reports.figures import save_figure
    from algolens.reports.trees import draw_explanation

    truth = fixed(trained.network.algorithm, trained.experiment.data_seed).train
    grown = trees(trained.network.only(explained.shown), truth)
    title = f"{explained.algorithm}: the rules of seed {explained.seeds[explained.shown]}"
    save_figure(draw_explanation(title, explained.rules[explained.shown], grown), path)
    remarks.print(
        f"The rules and the decision trees are drawn in {path}.",
        highlight=False,
        markup=False,
        soft_wrap=True,
    )
