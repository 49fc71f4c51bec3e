"""``algolens train``: networks trained, or taken up as they are."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    ClusterOption,
    DeviceOption,
    DirectedOption,
    FamilyOption,
    OptionsOption,
    OverwriteOption,
    SetOption,
    TestedSizesOption,
    argument,
    complete_checkable,
    complete_presets,
    limited,
    option,
    read_numbers,
    read_options,
    read_settings,
    read_sizes,
)
from algolens.cli.output import print_json, remarks, results, say
from algolens.errors import AlgoLensError
from algolens.limits import EPOCHS_OR_NONE, SEED
from algolens.protocol import DEFAULT_PRESET, PRESETS

PRESETS_IN_SHORT = "; ".join(f"`{name}`: {what}" for name, what in PRESETS.items()) + "."


def train_command(
    algorithm: str = argument(
        ...,
        "The algorithm: see `algolens list`; or a file of yours, `FILE.py` or `FILE.py:CLASS`.",
        autocompletion=complete_checkable,
    ),
    preset: str = option(
        DEFAULT_PRESET,
        PRESETS_IN_SHORT,
        "--preset",
        autocompletion=complete_presets,
    ),
    seeds: str = option("0", "Seeds of the networks, trained side by side, as in `0-4`."),
    epochs: int | None = limited(
        None, EPOCHS_OR_NONE, "Epochs, where not the preset's; the pruning epoch moves along."
    ),
    processor: str | None = option(
        None,
        "Another processor: a convolution of PyTorch Geometric, as `GATv2Conv`, or a "
        "class in a file of yours, as `my_file.py:Mine`.",
    ),
    network: str | None = option(
        None,
        "A network of yours in the place of a preset's: a class in a file, as "
        "`my_file.py:MyNet`, which reads graphs of PyTorch Geometric.",
    ),
    weights: Path | None = option(
        None,
        "Train nothing: take up the network of `--network` with the weights in a file "
        "that `torch.save(module.state_dict(), ...)` or safetensors wrote.",
    ),
    settings: SetOption = None,
    option: OptionsOption = None,
    graphs: str | None = option(
        None,
        "Graphs of yours to train, select and test on: a folder of files, split 10:1:1, "
        "or with the folders `train`, `validation` and `test`.",
        show_default=False,
    ),
    family: FamilyOption = None,
    directed: DirectedOption = None,
    data_seed: int = limited(
        0, SEED, "The seed of the data sets: drawn graphs and inputs, and the split."
    ),
    sizes: TestedSizesOption = None,
    cluster: ClusterOption = None,
    device: DeviceOption = "auto",
    out: Path | None = option(None, "The folder to write; by default `runs/ALGORITHM-PRESET`."),
    overwrite: OverwriteOption = False,
    picture: bool = option(
        True,
        "Whether to draw how it was learnt, as `curves.png` in the folder.",
        "--picture/--no-picture",
    ),
    json: bool = JSON_OPTION,
) -> None:
    """Train networks for an algorithm, select on validation, and score them on the test sets.

    Repeat the command to go on after an interruption. With --weights, or --epochs 0 for a network
    that has none, a network of yours is taken up as it is: its rules are drawn, and it is scored.

    Examples: `algolens train bfs --preset paper --seeds 0-4 --epochs 60` and `algolens train bfs
    --preset paper --graphs town`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.experiment.place import CURVES
    from algolens.front.training import find_trainable
    from algolens.terminal.scores import scores_table, training_note

    kind = preset if network is None else "own"
    options = read_options(option)
    folder = out or Path("runs") / f"{find_trainable(algorithm, {}).name}-{kind}"
    tested = () if sizes is None else read_sizes(sizes)
    if weights is not None or epochs == 0:
        if network is None:
            raise AlgoLensError("nothing is trained: give the network with --network FILE:CLASS.")
        trained = al.wrap(
            algorithm,
            network,
            weights,
            out=folder,
            options=options,
            sizes=tested,
            overwrite=overwrite,
        )
    else:
        trained = al.train(
            algorithm,
            preset=preset,
            seeds=read_numbers(seeds, "--seeds"),
            out=folder,
            options=options,
            network=network,
            graphs=graphs,
            family=family,
            directed=directed,
            data_seed=data_seed,
            sizes=tested,
            device=device,
            cluster=cluster,
            overwrite=overwrite,
            progress=remarks,
            picture=picture,
            command=f"algolens {' '.join(sys.argv[1:])}",
            settings=read_settings(settings, epochs=epochs, processor=processor),
        )
    about, on = trained.about, trained.experiment.graphs
    curves = folder / CURVES if (folder / CURVES).is_file() else None
    if json:
        drawn = None if curves is None else str(curves)
        own = {} if on is None else {"trained_on": on}
        print_json({**trained.scores, "folder": str(folder), "picture": drawn, **about, **own})
        return
    results.print(scores_table(trained.scores))
    if on is not None:
        say(training_note(on, data_seed))
    if "selected_epochs" in about:
        say(f"Selected epochs: {', '.join(map(str, about['selected_epochs']))}.")
    say(f"Written to {folder}.")
    if trained.unproven is not None:
        say(proof_in_words(trained.experiment.seeds, trained.unproven))
    if curves is not None:
        say(f"How it was learnt is drawn in {curves}.")


def proof_in_words(seeds: Sequence[int], unproven: Sequence[int]) -> str:
    """What a proof found. unproven: of each seed, the cases that are wrong."""
    counts = zip(seeds, unproven, strict=True)
    wrong = ", ".join(f"seed {seed} in {count} cases" for seed, count in counts if count)
    if wrong:
        return (
            f"Not proven right: {wrong}. Train for more epochs; `algolens certify` shows what is "
            "wrong."
        )
    return (
        "Proven right on every graph: `algolens certify` writes the certificate, and says what it "
        "assumes."
    )
