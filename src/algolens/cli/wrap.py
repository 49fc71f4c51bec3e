"""``algolens wrap``: a network that its user has trained, taken up as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from algolens.cli.options import (
    JSON_OPTION,
    OptionsOption,
    complete_checkable,
    read_options,
    read_sizes,
)
from algolens.cli.output import print_json, results, say


def wrap_command(
    algorithm: Annotated[
        str,
        typer.Argument(
            help="The algorithm: see `algolens list`; or a file of yours, `FILE.py` or "
            "`FILE.py:CLASS`.",
            autocompletion=complete_checkable,
        ),
    ],
    network: Annotated[
        str, typer.Argument(help="The class of the network, as in `my_file.py:MyNet`.")
    ],
    weights: Annotated[
        Path | None,
        typer.Argument(
            help="Its weights: a file that `torch.save(module.state_dict(), ...)` or safetensors "
            "wrote; none where it has no weights."
        ),
    ] = None,
    option: OptionsOption = None,
    sizes: Annotated[
        str | None,
        typer.Option(
            help="Numbers of nodes to test at, where not the paper's, as in `20,100`.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder to write; by default `runs/ALGORITHM-own`.")
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace the model that is in the folder.")
    ] = False,
    json: bool = JSON_OPTION,
) -> None:
    """Take up a network that you have trained yourself: draw its rules, and score it.

    Nothing is trained. Every other command then takes the folder as any model's.

    Example: `algolens wrap bfs my_file.py:MyNet weights.pt --out runs/mine`
    """
    # what loads PyTorch is imported once the options are read
    from algolens.front.training import find_trainable
    from algolens.front.wrapping import wrap
    from algolens.terminal.scores import scores_table

    folder = out or Path("runs") / f"{find_trainable(algorithm, {}).name}-own"
    model = wrap(
        algorithm,
        network,
        weights,
        out=folder,
        options=read_options(option),
        sizes=() if sizes is None else read_sizes(sizes),
        overwrite=overwrite,
    )
    if json:
        print_json({**model.scores, "folder": str(folder)})
        return
    results.print(scores_table(model.scores))
    say(f"Written to {folder}.")
