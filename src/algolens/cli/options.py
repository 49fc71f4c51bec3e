"""What commands take alike."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from algolens.cli import completion
from algolens.errors import AlgoLensError, UnknownNameError

if TYPE_CHECKING:
    import torch

    from algolens.training import Schedule
from typing import TYPE_CHECKING

from rich.text import Text

from algolens.cli.output import remarks

if TYPE_CHECKING:
    from algolens.experiment import TrainedModel


RunArgument = Annotated[
    str,
    typer.Argument(
        help="The folder that `algolens train` wrote, or an algorithm's name: the model that "
        "ships for it.",
        autocompletion=completion.complete_models,
    ),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option("--option", help="An option of the algorithm, as in `colors=7`. May be repeated."),
]
SCHEDULE_OPTION = typer.Option(
    "--schedule",
    help="Another value of a setting of the schedule, as in `beta2=0.95`. May be repeated.",
)
JSON_OPTION = typer.Option(
    False, "--json", help="Print one JSON document to standard output, and nothing else there."
)


def find_device(name: str) -> torch.device:
    """The device of a name: auto is CUDA when there, else the CPU."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name == "cuda" and not torch.cuda.is_available():
        raise AlgoLensError("--device cuda: no CUDA device is there. Use --device cpu, or auto.")
    if name not in ("cpu", "cuda"):
        raise AlgoLensError(f"--device '{name}' is none of auto, cpu, cuda.")
    return torch.device(name)


def read_numbers(text: str, what: str) -> tuple[int, ...]:
    """Whole numbers as a user types them: ``0-4``, ``20,50,100``."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and (not last.isdecimal() or int(last) < int(first))):
            raise AlgoLensError(
                f"{what} '{text}' should be whole numbers, as in 0-4 or 20,50,100; '{part}' is "
                "none."
            )
        if max(len(first), len(last)) > 9:
            raise AlgoLensError(f"{what} '{text}': {part.strip()} is too large.")
        numbers += range(int(first), int(last) + 1) if dash else [int(first)]
    if len(set(numbers)) < len(numbers):
        raise AlgoLensError(f"{what} '{text}' names a number twice; give each once.")
    return tuple(numbers)


def read_options(given: list[str]) -> dict[str, int]:
    """Options of an algorithm as a user types them: ``colors=7``."""
    options = {}
    for each in given:
        name, equals, value = each.partition("=")
        if not equals or not value.isdecimal():
            raise AlgoLensError(
                f"--option '{each}' should be a name and a whole number, as in colors=7."
            )
        options[name] = int(value)
    return options


def read_schedule(schedule: Schedule, given: list[str], **by_options: float | None) -> Schedule:
    """A schedule with other settings, as a user types them: ``beta2=0.95``, the value in JSON.

    by_options: settings that have options of their own; None where such an option was not given.
    With other epochs, the pruning epoch moves along, unless it is given as well.
    """
    from algolens.training import Schedule

    values: dict[str, Any] = {
        name: value for name, value in by_options.items() if value is not None
    }
    names = [field.name for field in fields(Schedule)]
    for each in given:
        name, _, text = each.partition("=")
        if name not in names:
            raise UnknownNameError("setting of the schedule", name, names)
        if name in values:
            raise AlgoLensError(f"--schedule '{each}': {name} is given twice; give it once.")
        try:
            values[name] = json.loads(text)
        except ValueError as problem:
            raise AlgoLensError(
                f"--schedule '{each}' should be a name and a value in JSON, as in beta2=0.95."
            ) from problem
    # refused there where it is no number
    epochs = replace(Schedule(), epochs=values.pop("epochs", schedule.epochs)).epochs
    return replace(schedule.with_epochs(epochs), **values)


def find_model_folder(name: str) -> TrainedModel:
    """The run in a folder, or the model that ships for an algorithm, by its name; its notes are
    told, and told once.
    """
    from algolens.experiment import load_model

    trained = load_model(name)
    for note in trained.notes_on_running:
        remarks.print(Text(f"note: {note}", style="dim"), soft_wrap=True)
    return replace(trained, on_rules=None, on_declaration=None)
