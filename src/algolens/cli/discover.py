"""``algolens discover``: an algorithm from runs of a black box."""

from __future__ import annotations

from pathlib import Path

import typer

import algolens as al
from algolens.cli.options import (
    JSON_OPTION,
    OptionsOption,
    OverwriteOption,
    argument,
    complete_algorithms,
    limited,
    option,
    read_options,
)
from algolens.cli.output import note, print_result
from algolens.errors import AlgoLensError
from algolens.limits import RUNS, SECONDS, SEED, TRIED_NODES


def discover_command(
    teacher: str = argument(
        ...,
        "A class with start and step, as in `my_file.py:MyBox`; a file of recorded runs, "
        "`runs.json`; a model's folder; or an algorithm, whose concepts are not read.",
        autocompletion=complete_algorithms,
    ),
    option: OptionsOption = None,
    out: Path | None = option(None, "The file to write; by default `discovered_NAME.py`, here."),
    runs: int = limited(30, RUNS, "Runs on random graphs that the search begins with."),
    seconds: float = limited(
        300.0, SECONDS, "CPU seconds after which the best answer so far is given."
    ),
    seed: int = limited(0, SEED, "The seed of the random graphs."),
    nodes: int = limited(5, TRIED_NODES, "Try it on all graphs of up to so many nodes."),
    final: bool = option(False, "Look at inputs and final outputs alone, at no step.", "--final"),
    exceptions: bool | None = option(
        None,
        "Whether wrong decisions are left as exceptions. By default they are, where runs "
        "contradict one another or nothing settles them.",
    ),
    same_as: str | None = option(
        None,
        "A declared algorithm (`bfs`, or `my_file.py:MyClass`): ask at once for a proof "
        "that what is found takes the same steps on every graph.",
        autocompletion=complete_algorithms,
    ),
    overwrite: OverwriteOption = False,
    json: bool = JSON_OPTION,
) -> None:
    """Read an algorithm off a black box: the fewest observations that settle every step.

    No concept and no rule is given. What is found is written as a file of an algorithm of your
    own: `check` takes it, and `execute`, `play`, `train` and `compare` know it once
    ALGOLENS_ALGORITHMS names it.

    Examples: `algolens discover my_file.py:MyBox` and `algolens discover runs.json --out mine.py`
    """
    from algolens.discovery.renaming import fields_as_in
    from algolens.front.discovering import as_declared, as_teacher
    from algolens.front.model import check_free

    name = None if out is None else out.stem
    if out is not None and out.suffix != ".py":
        raise AlgoLensError(f"{out} is no Python file: give a name that ends in .py.")
    box = as_teacher(teacher, read_options(option))
    trusted = None if same_as is None else as_declared(same_as)
    if trusted is not None:
        fields_as_in(box.schema, trusted, {})  # what cannot be compared is told before the search
    path = out or Path(f"discovered_{box.schema.name}.py")
    check_free(path, overwrite=overwrite)
    discovered = al.discover(
        box,
        name=name,
        runs=runs,
        seconds=seconds,
        seed=seed,
        nodes=nodes,
        final=final,
        exceptions=exceptions,
        progress=note,
    )
    if trusted is not None:
        discovered = discovered.prove(trusted, progress=note)
    print_result(discovered, json=json)
    known = discovered.discovery.known
    if known.error is not None:
        written = discovered.save(path.with_name(f"{path.stem}_partial.py"), overwrite=True)
        more = " Give more --seconds." if known.is_late else ""
        note(f"It errs, so it was written as {written}.{more}")
        raise typer.Exit(1)
    written = discovered.save(path, overwrite=True)
    note(
        f"Wrote {written}. Next: algolens check {written}; after export "
        f"ALGOLENS_ALGORITHMS={written}, all commands know {discovered.name}."
    )
