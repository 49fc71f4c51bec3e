"""``algolens train``: train networks for an algorithm."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from algolens.cli import completion
from algolens.cli.options import (
    JSON_OPTION,
    SCHEDULE_OPTION,
    OptionsOption,
    find_device,
    read_numbers,
    read_options,
    read_schedule,
)
from algolens.cli.output import print_json, remarks, results
from algolens.errors import AlgoLensError
from algolens.protocol import PRESETS


def train_command(
    algorithm: Annotated[
        str,
        typer.Argument(
            help="The algorithm: see `algolens list`.",
            autocompletion=completion.complete_algorithms,
        ),
    ],
    preset_name: Annotated[
        str,
        typer.Option(
            "--preset",
            help="; ".join(f"`{name}`: {what}" for name, what in PRESETS.items()) + ".",
            autocompletion=completion.complete_presets,
        ),
    ] = "paper",
    seeds: Annotated[
        str, typer.Option(help="Seeds of the networks, trained side by side, as in `0-4`.")
    ] = "0",
    epochs: Annotated[
        int | None,
        typer.Option(min=1, help="Epochs, where not the preset's; the pruning epoch moves along."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(help="The width of latent states and hidden layers, where not the preset's."),
    ] = None,
    rate: Annotated[
        float | None, typer.Option(help="The initial learning rate, where not the preset's.")
    ] = None,
    batch: Annotated[
        int | None, typer.Option(help="The graphs of a batch, where not as many as the preset's.")
    ] = None,
    settings: Annotated[list[str] | None, SCHEDULE_OPTION] = None,
    until_right: Annotated[
        bool,
        typer.Option(
            "--until-right", help="Stop once five validations in a row are right in everything."
        ),
    ] = False,
    processor: Annotated[
        str | None,
        typer.Option(help="Another processor: a convolution of PyTorch Geometric, as `GATv2Conv`."),
    ] = None,
    self_loops: Annotated[
        bool | None,
        typer.Option(
            help="Whether nodes send messages to themselves, where not as in the preset; for "
            "networks on nodes."
        ),
    ] = None,
    given: Annotated[
        list[str] | None,
        typer.Option(
            help="A concept that the algorithm always gives, as `has_priority`: an oracle study. "
            "May be repeated."
        ),
    ] = None,
    option: OptionsOption = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Numbers of nodes to test at, where not the paper's, as in `20,100,1000`; beyond "
            "500, a graph of each family.",
            show_default=False,
        ),
    ] = None,
    device: Annotated[
        str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")
    ] = "auto",
    tensorboard: Annotated[
        Path | None,
        typer.Option(
            help="Also write losses and validations to this folder, for TensorBoard.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder to write; by default `runs/ALGORITHM-PRESET`.")
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option(
            "--overwrite",
            help="Replace the run that is in the folder, and start an unfinished training anew.",
        ),
    ] = False,
    picture: Annotated[
        bool,
        typer.Option(
            "--picture/--no-picture",
            help="Whether to draw how it was learnt, as `curves.png` in the folder.",
        ),
    ] = True,
    json: bool = JSON_OPTION,
) -> None:
    """Train networks for an algorithm, select on validation, and score them on the test sets.

    Repeat the command to go on after an interruption.

    Example: `algolens train bfs --seeds 0-4 --epochs 60`
    """
    import torch  # what is slow to import is imported once the options are read

    from algolens.algorithms import algorithm as find
    from algolens.cli.progress import Board, EventWriter
    from algolens.experiment import (
        check_experiment,
        claim,
        epochs_kept,
        learns_on,
        leave_curves,
        preset,
        side_by_side,
        train_into,
        unfinished,
    )
    from algolens.terminal.scores import scores_table
    from algolens.training import forget

    experiment = preset(preset_name, find(algorithm, **read_options(option or [])))
    enough = 5 if until_right else None
    schedule = read_schedule(
        experiment.schedule,
        settings or [],
        epochs=epochs,
        learning_rate=rate,
        batch_size=batch,
        enough=enough,
    )
    if processor is not None and preset_name == "exact":
        raise AlgoLensError(
            "the preset 'exact' has a network of its own, which can be proven: leave --processor "
            "away."
        )
    architecture = experiment.architecture
    architecture = replace(
        architecture,
        processor=processor or architecture.processor,
        width=architecture.width if width is None else width,
        self_loops=architecture.self_loops if self_loops is None else self_loops,
        given=tuple(dict.fromkeys(given)) if given else architecture.given,
    )
    experiment = replace(
        experiment,
        schedule=schedule,
        architecture=architecture,
        seeds=read_numbers(seeds, "--seeds"),
    )
    folder = out or Path("runs") / f"{algorithm}-{preset_name}"
    check_experiment(experiment)
    chosen = learns_on(experiment, find_device(device))
    writer = None if tensorboard is None else EventWriter(tensorboard, experiment.seeds)
    command = "algolens " + " ".join(sys.argv[1:])
    if chosen.type == "cpu":
        # these products are small: a second thread mostly waits for the first
        torch.set_num_threads(1)
    tested = () if sizes is None else read_numbers(sizes, "--sizes")
    total = schedule.epochs * len(side_by_side(experiment, chosen))
    with claim(folder, overwrite=overwrite) as place:
        if overwrite:
            forget(unfinished(folder))
        kept = epochs_kept(folder, experiment, chosen)
        if kept:
            line = f"Going on after epoch {kept} of {total}, as kept in {unfinished(folder)}."
            remarks.print(line, highlight=False, markup=False, soft_wrap=True)
        try:
            with Board() as board, board.watch(f"{algorithm}, {preset_name}", total) as watch:
                told = watch if writer is None else writer.beside(watch)
                trained = train_into(place, experiment, chosen, command, told, tested)
        except KeyboardInterrupt:
            again = (
                "Give the same command again, and it goes on."
                if unfinished(folder).exists()
                else "Nothing was kept yet."
            )
            remarks.print(f"Interrupted. {again}")
            raise
        curves = leave_curves(folder) if picture else None
    run, scores = trained.run, trained.scores
    if json:
        print_json(
            {
                **scores,
                "folder": str(folder),
                "picture": None if curves is None else str(curves),
                **run.about,
            }
        )
        return
    results.print(scores_table(scores))
    chosen_epochs = ", ".join(map(str, run.about["selected_epochs"]))
    results.print(
        f"Selected epochs: {chosen_epochs}. Written to {folder}.", highlight=False, soft_wrap=True
    )
    if trained.unproven is not None:
        line = proof_in_words(experiment.seeds, trained.unproven)
        results.print(line, highlight=False, markup=False, soft_wrap=True)
    if curves is not None:
        results.print(
            f"How it was learnt is drawn in {curves}.",
            highlight=False,
            markup=False,
            soft_wrap=True,
        )


def proof_in_words(seeds: tuple[int, ...], unproven: list[int]) -> str:
    """What a proof found. unproven: of each seed, the cases that are wrong."""
    wrong = [
        f"seed {seed} in {count} cases"
        for seed, count in zip(seeds, unproven, strict=True)
        if count
    ]
    if wrong:
        return (
            f"Not proven right: {', '.join(wrong)}. Train for more epochs; `algolens certify` "
            "shows what is wrong."
        )
    return (
        "Proven right on every graph: `algolens certify` writes the certificate, and says what it "
        "assumes."
    )
