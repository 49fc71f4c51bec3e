"""What commands take alike, and what a shell completes: nothing here is slow to import."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import algolens as al
from algolens.cli.output import note
from algolens.errors import MOST_SHOWN, AlgoLensError, ReadingError, brief
from algolens.limits import (
    SEED,
    SEEDS,
    SIZE,
    SIZES,
    TYPED,
    RealRange,
    WholeRange,
)
from algolens.protocol import PRESETS

if TYPE_CHECKING:
    from algolens.experiment.model import Model


RANGES: dict[Any, WholeRange | RealRange] = {}  # of options that are numbers, by what checks them


def option(default: Any, help: str, *names: str, **more: Any) -> Any:
    """An option with its default, ``...`` where an ``Annotated`` type has that elsewhere."""
    return typer.Option(default, *names, help=help, **more)


def argument(default: Any, help: str, **more: Any) -> Any:
    """An argument; its default is ``...`` where it must be given."""
    return typer.Argument(default, help=help, **more)


def limited(
    default: Any, allowed: WholeRange | RealRange, help: str, *names: str, **more: Any
) -> Any:
    """An option that is a number of a range, or several such; ``--help`` shows the range."""

    def read(option: typer.CallbackParam, given: Any) -> Any:
        if isinstance(given, list):
            return [read(option, one) for one in given]
        # a default is no text
        return allowed.read(given, option.opts[0]) if isinstance(given, str) else given

    RANGES[read] = allowed
    # Typer's own reading would not say what came, nor what may
    help = f"{help} [{allowed.in_short}]"
    return typer.Option(default, *names, help=help, parser=str, callback=read, **more)


Command = Callable[..., None]
Declared = Mapping[str, tuple[Any, Any]]  # options by name: of each its type, and its default


def parameters(options: Declared) -> list[inspect.Parameter]:
    """Options as parameters of a command, off whose signature Typer reads them."""
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for name, (kind, default) in options.items()
    ]


def taking(options: Declared) -> Callable[[Command], Command]:
    """Gives a command options that several take, after its arguments."""

    def give(command: Command) -> Command:
        signature = inspect.signature(command, eval_str=True)
        own = [
            each
            for each in signature.parameters.values()
            if each.kind is not each.VAR_KEYWORD and each.name not in options
        ]
        first = sum(each.kind is each.POSITIONAL_OR_KEYWORD for each in own)
        taken = [*own[:first], *parameters(options), *own[first:]]
        command.__signature__ = signature.replace(parameters=taken)  # type: ignore[attr-defined]
        return command

    return give


FAMILIES = (
    "ladder",
    "grid",
    "tree",
    "erdos_renyi",
    "barabasi_albert",
    "community",
    "caveman",
    "configuration",
    "intervals",
    "barabasi_albert_5",
    "connected_erdos_renyi",
    "community_by_number",
)
GRAPH_FILES = (".csv", ".tsv", ".parquet", ".graphml", ".json")
MODEL_FILE = "experiment.json"  # that a model's folder holds
MOST_FOLDERS = 200  # looked into
# a value of a setting
Setting = bool | int | float | str | None | list[int | float] | dict[str, float | dict[str, float]]


def complete_algorithms(incomplete: str) -> list[str]:
    """Algorithms that come with the package."""
    folder = Path(al.__file__).parent / "algorithms"
    return _beginning(incomplete, (path.stem for path in folder.glob("[a-z]*.py")))


def complete_models(incomplete: str) -> list[str]:
    """Models' folders, here or below what is typed so far; and those that ship, by algorithm."""
    return [*complete_algorithms(incomplete), *_beginning(incomplete, _model_folders(incomplete))]


def complete_runnable(incomplete: str) -> list[str]:
    """What `execute` and `play` run: algorithms, files with one, models and programs."""
    return [*complete_models(incomplete), *_files(incomplete, (".json", ".py"))]


def complete_checkable(incomplete: str) -> list[str]:
    """What `check` looks over: algorithms, and files with one."""
    return [*complete_algorithms(incomplete), *_files(incomplete, (".py",))]


def complete_graphs(incomplete: str) -> list[str]:
    """Graphs: files, families (a size follows), and NetworkX's (a name follows)."""
    named = [*(f"{family}:" for family in FAMILIES), "nx:"]
    return [*_beginning(incomplete, named), *_files(incomplete, GRAPH_FILES)]


def complete_presets(incomplete: str) -> list[tuple[str, str]]:
    """Presets, each with what it is."""
    names = _beginning(incomplete, PRESETS)
    return [(name, PRESETS[name].replace("`", "")) for name in names]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _model_folders(incomplete: str) -> Iterator[str]:
    places = [_folder_of(incomplete)] if incomplete else [Path(), Path("runs")]
    for folder in (folder for place in places for folder in _inside(place)):
        if (folder / MODEL_FILE).is_file():
            yield str(folder)
        elif incomplete and folder.is_dir():
            yield f"{folder}/"


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Files of these endings, and folders in which there may be some."""
    names = (
        f"{path}/" if path.is_dir() else str(path)
        for path in _inside(_folder_of(incomplete))
        if not path.name.startswith(".") and (path.is_dir() or path.suffix in endings)
    )
    return _beginning(incomplete, names)


def _folder_of(incomplete: str) -> Path:
    return Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:MOST_FOLDERS]
    except OSError:
        return []


ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A model's folder, as `algolens train` writes it, or an algorithm's name: the model "
        "that ships for it.",
        autocompletion=complete_models,
    ),
]
OptionsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        help="An option of the algorithm, as in `colors=7`; `algolens check NAME` shows what it "
        "may be. May be repeated.",
    ),
]
ClusterOption = Annotated[
    str | None,
    typer.Option(
        help="Work on a Ray cluster: `ray` (of RAY_ADDRESS, or on this machine), or an address as "
        "`ray://head:10001`.",
        show_default=False,
    ),
]
DirectedOption = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Read an edge list as directed, from source to target; or drop the directions of any "
        "graph. By default GraphML and JSON files say it, an edge list is undirected, and a "
        "family is what the algorithm needs.",
        show_default=False,
    ),
]
FamilyOption = Annotated[
    str | None,
    typer.Option(
        help="Draw graphs of a family of yours: a function of a number of nodes and a random "
        "stream, as `my_file.py:my_family`.",
        show_default=False,
    ),
]
DeviceOption = Annotated[str, typer.Option(help="`auto` (CUDA when there), `cpu` or `cuda`.")]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Change a setting of the network (`width`, `self_loops`, `given`) or of the schedule, "
        "as in `beta2=0.95`; a wrong name or value lists what is allowed. May be repeated.",
    ),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace what is there by that name.")
]
TestedSizesOption = Annotated[
    str | None,
    typer.Option(
        "--sizes",
        help="Numbers of nodes to test at, where not the paper's, as in `20,100,1000`; beyond "
        "500, a graph of each family.",
        show_default=False,
    ),
]
JSON_OPTION = typer.Option(
    False, "--json", help="Print one JSON document to standard output, and nothing else there."
)


def load_noted(name: str, *, made_anew: bool = False) -> Model:
    """A model by its folder or by an algorithm's name; its notes are told.

    made_anew: what lies beside the weights is, so that only these matter.
    """
    model = al.load(name)
    about_weights = filter(None, [model.weights_note])
    for text in about_weights if made_anew else model.notes:
        note(f"note: {text}")
    return model


def read_sizes(text: str) -> tuple[int, ...]:
    """Numbers of nodes as a user types them: ``20,50,100``."""
    return read_numbers(text, "--sizes", SIZE, SIZES)


def read_numbers(
    text: str, said: str, allowed: WholeRange = SEED, how_many: WholeRange = SEEDS
) -> tuple[int, ...]:
    """Whole numbers as a user types them: ``0-4``, ``20,50,100``; unless said, seeds."""
    numbers: list[int] = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        is_number = first.isdecimal() and (not dash or last.isdecimal())
        low = allowed.read(first, f"a number of {said}") if is_number else 0
        high = allowed.read(last, f"a number of {said}") if is_number and dash else low
        if not is_number or high < low:
            raise AlgoLensError(
                f"{said} '{text[:MOST_SHOWN]}' should be whole numbers, as in 0-4 or 20,50,100; "
                f"'{part[:MOST_SHOWN]}' is none."
            )
        how_many.check(len(numbers) + high - low + 1, f"how many numbers {said} names")
        numbers += range(low, high + 1)
    if len(set(numbers)) < len(numbers):
        raise AlgoLensError(f"{said} '{brief(text)}' names a number twice; give each once.")
    return tuple(numbers)


def read_options(given: list[str] | None) -> dict[str, int]:
    """Options of an algorithm as a user types them: ``colors=7``."""
    # what it may be, the algorithm says; none takes a number of more than 62 bits
    return {
        name: TYPED.read(value, f"--option {brief(name)}")
        for name, value in read_pairs(given, "--option", "colors=7")
    }


def read_settings(given: list[str] | None, **by_options: Any) -> dict[str, Any]:
    """Settings as a user types them: ``beta2=0.95``, the value in JSON, or else text.

    by_options: settings that have options of their own; None where such an option was not given.
    """
    from algolens.reading import record_from

    settings = {name: value for name, value in by_options.items() if value is not None}
    for name, value in read_pairs(given, "--set", "beta2=0.95"):
        if name in settings:
            raise AlgoLensError(f"--set {brief(name)}: it is given twice; give it once.")
        try:
            settings[name] = record_from(value.encode(), Setting, name)  # type: ignore[arg-type]
        except ReadingError:
            settings[name] = value
    return settings


def read_pairs(given: list[str] | None, said: str, example: str) -> Iterator[tuple[str, str]]:
    """Names and values as a user types them: ``source=Mill``. said: the option's name."""
    for text in given or []:
        name, equals, value = text.partition("=")
        if not equals:
            raise AlgoLensError(
                f"{said} '{brief(text)}' should be a name and a value, as in {example}."
            )
        yield name, value
