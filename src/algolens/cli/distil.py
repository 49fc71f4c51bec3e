"""``algolens distil``: from a trained network its program, a verified network of it, and where the
two differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from algolens.cli.options import JSON_OPTION, RunArgument, find_model_folder
from algolens.cli.output import print_json, results
from algolens.errors import AlgoLensError

if TYPE_CHECKING:
    from algolens.algorithms import Algorithm
    from algolens.experiment.distil import Account, Chosen, Distilled
    from algolens.graphs import Graph

SIZES = (20, 50, 100)  # of the graphs that are taken where none are chosen


def distil_command(
    run: RunArgument,
    out: Annotated[
        Path | None,
        typer.Option(help="The folder to write the twin to; by default `runs/NAME-distilled`."),
    ] = None,
    graphs: Annotated[
        list[str] | None,
        typer.Option(
            help="Graphs to compare the two on: a family and a size (`grid:50`), a file, or a "
            "NetworkX built-in. May be repeated; by default the algorithm's own families at "
            "20, 50 and 100 nodes."
        ),
    ] = None,
    count: Annotated[int, typer.Option(min=1, help="Graphs to draw of each family and size.")] = 10,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--input",
            help="An input that a whole graph has one of, for graphs from files, as in "
            "`source=Mill`.",
        ),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="The seed of the network, where the run has several.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace what is in the folder.")
    ] = False,
    json: bool = JSON_OPTION,
) -> None:
    """Read a network's program, teach an exact network that program, prove it, and list where the
    first differs from it.

    So a network that errs gets a verified twin, and an account of its mistakes.

    Example: `algolens distil results/runs/coloring-paper --graphs grid:50 --graphs nx:karate_club`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.cli.progress import Board
    from algolens.experiment import preset
    from algolens.experiment.distil import distil_into
    from algolens.experiment.place import claim

    trained = find_model_folder(run)
    experiment = trained.experiment
    if not experiment.architecture.bottleneck:
        raise AlgoLensError(
            f"{run}: this run has no bottleneck, so it has no concepts and no program. Take one "
            "that has."
        )
    if seed is not None and seed not in experiment.seeds:
        raise AlgoLensError(
            f"--seed {seed} is not in this run; it has {', '.join(map(str, experiment.seeds))}."
        )
    algorithm = trained.network.algorithm
    if algorithm.declaration.seen is None:
        raise AlgoLensError(
            f"{run}: {algorithm.name} sees in Python here, so no program of it can be found: "
            "nothing is distilled."
        )
    chosen = list(_chosen(algorithm, graphs or [], count, given or []))
    folder = out or Path("runs") / f"{Path(run).name}-distilled"
    command = "algolens " + " ".join(sys.argv[1:])
    which, title = experiment.seeds[0] if seed is None else seed, f"{algorithm.name}, distilled"
    with (
        claim(folder, overwrite=overwrite) as place,
        Board() as board,
        board.watch(title, preset("exact", algorithm).schedule.epochs) as watch,
    ):
        found = distil_into(place, trained, which, chosen, command, watch)
    if json:
        print_json({**found.to_json(), "folder": str(folder)})
        return
    for line in _told(found):
        results.print(Text(line), soft_wrap=True)
    results.print(f"Written to {folder}.", highlight=False, soft_wrap=True)


def _chosen(
    algorithm: Algorithm, graphs: list[str], count: int, given: list[str]
) -> Iterator[Chosen]:
    """The graphs that a user chose, with inputs."""
    from algolens.experiment.distil import Chosen
    from algolens.graphs import FAMILIES, load_graph, sample, stream

    arguments = dict(each.split("=", 1) for each in given if "=" in each)
    if len(arguments) < len(given):
        raise AlgoLensError("--input should be a name and a value, as in source=Mill.")
    for name in graphs or [
        f"{family}:{size}" for size in SIZES for family in algorithm.recipe.families
    ]:
        family, _, size = name.partition(":")
        if family in FAMILIES and size.isdecimal():
            rng = stream(0, "distil", algorithm.name, name)
            drawn = sample(family, int(size), count, rng, directed=algorithm.graphs == "directed")
            yield Chosen(name, drawn, algorithm.sample(drawn, rng))
        else:
            loaded: Graph = load_graph(name, 0, None, directed=None)
            inputs, _ = algorithm.read(
                loaded, stream(0, "distil", algorithm.name), draw_all=False, **arguments
            )
            yield Chosen(name, loaded, inputs)


def _told(found: Distilled) -> Iterator[str]:
    yield (
        f"The program of this network for {found.algorithm} (seed {found.seed}), found on samples:"
    )
    yield ""
    yield str(found.program)
    yield ""
    yield f"Beside the declared algorithm: {found.declared}"
    verdict = (
        "is proven to do what this program says, on every graph"
        if found.certificate.proven
        else "is NOT proven"
    )
    yield f"The exact network that was taught it {verdict}."
    yield ""
    yield "Where the network that was distilled differs from this twin:"
    for each in found.accounts:
        yield from _account(each)


def _account(each: Account) -> Iterator[str]:
    graphs = "1 graph" if each.graphs == 1 else f"{each.graphs} graphs"
    if not each.differing:
        yield f"  {each.name}: nowhere, on {graphs}."
        return
    yield f"  {each.name}: on {each.differing} of {graphs}."
    for mistake in each.mistakes:
        where = f" of {mistake.at} {mistake.element}" if mistake.element is not None else ""
        when = f"graph {mistake.graph}, step {mistake.step}"
        yield (
            f"    {when}: {mistake.field}{where} is {mistake.found}, and {mistake.true} by the "
            "twin."
        )
