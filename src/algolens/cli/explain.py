"""``algolens explain``: the rules that a trained run goes by."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

from algolens.cli.options import JSON_OPTION, RunArgument
from algolens.cli.output import print_json, remarks, results
from algolens.cli.runs import find_run
from algolens.data import fixed
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.execution import Run
from algolens.experiment import TrainedRun, extract_all, load_run, save_programs, shipped_folder
from algolens.experiment.place import unchanged
from algolens.extraction import Meaning, ShownOn, Unseen, audit, grade, grow_tree, meanings, met_in_runs, smallest_graph, tally
from algolens.logic import Program
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.reports.rules import Explained, rules_report

PICTURES = (".png", ".svg", ".pdf")


class Format(Enum):
    """How rules are written."""

    TEXT = "text"
    LATEX = "latex"
    MARKDOWN = "markdown"
    PYTHON = "python"
    SMTLIB = "smtlib"
    JSON = "json"


class CasesOption(Enum):
    """Which cases of an observation count."""

    ALL = "all"
    MET = "met"


SAID = {
    CasesOption.ALL: "All cases count that an element of any graph can be in.",
    CasesOption.MET: "Cases count that true runs on training graphs came upon; elsewhere it may say anything.",
}

WRITERS: dict[Format, Callable[[Program], str]] = {
    Format.LATEX: Program.to_latex,
    Format.MARKDOWN: Program.to_markdown,
    Format.PYTHON: Program.to_python_source,
    Format.SMTLIB: Program.to_smtlib,
}


def explain_command(
    run: RunArgument,
    form: Annotated[
        Format,
        typer.Option("--format", help="`text` tells all; the others are the rules themselves, to paste, run or check."),
    ] = Format.TEXT,
    unseen: Annotated[
        Unseen, typer.Option(help="Patterns of concepts never seen: whatever makes rules short, or no rule holds there.")
    ] = Unseen.DONT_CARE,
    cases: Annotated[
        CasesOption,
        typer.Option(
            help="What an observation means is found for `all` cases that an element of any graph can be in, or for those that "
            "are `met` in runs on training graphs, where the others may be whatever makes it short."
        ),
    ] = CasesOption.ALL,
    seed: Annotated[
        int | None, typer.Option(help="The seed whose rules are shown; by default one with the commonest rules.")
    ] = None,
    tree: Annotated[
        Path | None, typer.Option(help="Also draw the decision tree of the network's decisions: a .png, .svg or .pdf.")
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Draw over what is there, with `--tree`.")] = False,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Draw the rules anew from the weights, and keep them in the run's folder.")
    ] = False,
    json: bool = JSON_OPTION,
) -> None:
    """The algorithm that a network learnt: what its concepts mean, and the rules that it decides by, minimised and graded.

    What a concept means is read off an exact network's weights, in the language of looks, and compared with what is declared
    in every case; where they differ, the smallest graph that shows it is searched for.

    Examples: `algolens explain runs/bfs-paper` and `algolens explain runs/coloring-paper --format python > rules.py`
    """
    trained = load_run(run) if redraw else find_run(run)
    experiment = trained.experiment
    if not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"{run}: this run has no bottleneck (preset '{experiment.preset}'), so it has no rules. Train the preset 'paper'."
        )
    if seed is not None and seed not in experiment.seeds:
        raise AlgoLensError(f"--seed {seed} is not in this run; it has {', '.join(map(str, experiment.seeds))}.")
    if tree is not None:
        _check_picture(tree, overwrite)
    if redraw:
        trained = _redrawn(run, unseen)
    explained = _explained(trained, unseen, seed, cases)
    if tree is not None:
        _draw(trained, explained.shown, tree)
    if json or form is Format.JSON:
        print_json(explained.to_json())
    elif form in WRITERS:
        typer.echo(WRITERS[form](explained.program))
    else:
        for part in rules_report(explained):
            results.print(part)


def _check_picture(path: Path, overwrite: bool) -> None:
    """Whether a picture can be drawn there, before anything is computed."""
    if path.suffix not in PICTURES:
        raise AlgoLensError(f"--tree {path}: a picture ends in {', '.join(PICTURES)}.")
    if path.exists() and not overwrite:
        raise AlgoLensError(f"--tree {path} is there already: give another place, or --overwrite.")


def _redrawn(run: str, unseen: Unseen) -> TrainedRun:
    """The run with its rules drawn anew, and kept beside its weights."""
    if shipped_folder(run) is not None:
        raise AlgoLensError(f"--redraw: what came with the package stays as it came. Leave it out, or give a folder for {run}.")
    with unchanged(Path(run)):
        trained = load_run(run)
        truth = fixed(trained.network.algorithm, trained.experiment.data_seed).train
        save_programs(Path(run), trained.network, extract_all(trained.network, truth, unseen))
        return load_run(run)


def _draw(trained: TrainedRun, place: int, path: Path) -> None:
    from algolens.reports.trees import draw_tree, save_figure  # Matplotlib, which is slow to import

    truth = fixed(trained.network.algorithm, trained.experiment.data_seed).train
    grown = grow_tree(free_run(trained.network.only(place), truth), truth)
    save_figure(draw_tree(grown.to_json()), path)
    remarks.print(f"The decision tree is in {path}.", highlight=False)


def _explained(trained: TrainedRun, unseen: Unseen, seed: int | None, cases: CasesOption) -> Explained:
    network, experiment = trained.network, trained.experiment
    truth = fixed(network.algorithm, experiment.data_seed).train
    rules: Any = trained.rules
    if rules is None or any(entry["unseen"] != unseen.value for entry in rules):
        found = extract_all(network, truth, unseen)
        rules = [{**extraction.to_json(), "program": extraction.program} for extraction in found]
    programs = [entry["program"] for entry in rules]
    commonest = Counter(map(str, programs)).most_common(1)[0][0]
    shown = next(i for i, program in enumerate(programs) if str(program) == commonest)
    if seed is not None:
        shown = experiment.seeds.index(seed)
    return Explained(
        algorithm=experiment.algorithm,
        seeds=experiment.seeds,
        rules=rules,
        verdicts=[grade(program, network.algorithm) for program in programs],
        counts=tally(programs),
        shown=shown,
        audit=audit(truth, programs[shown]),
        meanings=_meanings(network.only(shown), truth, cases),
        cases=SAID[cases],
    )


def _meanings(network: Network, truth: Run, cases: CasesOption) -> list[tuple[Meaning, ShownOn | None]]:
    """What each observation means to one seed's network; of the others, whose concepts come from a memory, nothing."""
    if not isinstance(network.perceiver, Exact):
        return []
    network = copy.deepcopy(network).eval().cpu()
    assert isinstance(network.perceiver, Exact)
    possible = met_in_runs(network.perceiver, truth) if cases is CasesOption.MET else None
    found = meanings(network, possible)
    return [(each, None if each.equal else smallest_graph(network, each.name)) for each in found]
