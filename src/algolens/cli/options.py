"""How a command says what it takes, and what a shell completes: nothing here is slow to import.

A command is a function. What stands before ``*`` are its arguments, what stands behind are its
options, and the section "Options" of its docstring says what each of them is. A type may carry a
range of ``algolens.limits``, and how the option is spelt where that is not as the parameter.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import algolens as al
from algolens.errors import MOST_SHOWN, AlgoLensError, ReadingError, brief
from algolens.limits import SEED, SEEDS, SIZE, SIZES, TYPED, RealRange, WholeRange
from algolens.protocol import PRESETS

Directed = Annotated[bool | None, "--directed/--undirected"]
Command = Callable[..., None]
RANGES: dict[Any, WholeRange | RealRange] = {}  # of options that are numbers, by what checks them


class Shared:
    """Options that several commands share.

    Options
    -------
    algorithm
        The algorithm: a name from `algolens list`; your own file, `FILE.py` or `FILE.py:CLASS`; a
        model's folder, to run its network; or a program in a .json file, as written by `algolens
        explain --save`.
    graph
        A file (edge list .csv, .tsv or .parquet with `source,target[,weight]`, .graphml, node-link
        .json), a NetworkX built-in (`nx:karate_club`), a family and a size (`grid:50`), or edges
        (`A-B:4,B-C:2`). For algorithms on numbers, points or words, give these: `5,2,9,1`, `0,0 3,1
        1,4` or `ABCBDAB BDCABA`. By default, the algorithm's own example.
    json
        Print a single JSON document to standard output.
    model
        A model's folder, as written by `algolens train`, or an algorithm's name for the model that
        ships for it.
    option
        An option of the algorithm, such as `colors=7`; `algolens check NAME` lists them. May be
        repeated.
    family
        Draw graphs from your own family: a function of a number of nodes and a random generator,
        such as `my_file.py:my_family`.
    directed
        Read an edge list as directed, from source to target; or drop the directions of any graph.
        By default, GraphML and JSON files decide, an edge list is undirected, and a family is what
        the algorithm needs.
    cluster
        Run on a Ray cluster: `ray` (at RAY_ADDRESS, or on this machine), or an address such as
        `ray://head:10001`.
    device
        `auto` (CUDA if available), `cpu` or `cuda`.
    overwrite
        Replace an existing file or folder.
    html
        Write a page that plays the run in a browser, as one self-contained file.
    around
        Show the part of a large graph near this node. By default, the page shows the whole graph,
        or part of it if it is too large for a browser.
    markdown
        Also write the report to this file, as a Markdown page.
    figures
        Also write each figure in this format, besides SVG.
    """


def described(command: object) -> tuple[str, dict[str, str]]:
    """What a command does, and what each of its parameters is."""
    does, _, listed = (inspect.getdoc(command) or "").partition("\n\nOptions\n-------\n")
    found = re.findall(r"^(\w+)\n((?:    .*\n?)+)", listed, re.MULTILINE)
    return does, {name: " ".join(said.split()) for name, said in found}


def declared(command: Command) -> Iterator[inspect.Parameter]:
    """A command's parameters, as Typer reads them."""
    said = described(Shared)[1] | described(command)[1]
    for name, taken in inspect.signature(command, eval_str=True).parameters.items():
        kind, *more = get_args(taken.annotation) if _is_annotated(taken) else (taken.annotation,)
        default: Any = ... if taken.default is taken.empty else taken.default
        if taken.kind is taken.VAR_KEYWORD:  # what another function takes is taken, too
            yield from declared(*more)
            continue
        if kind is not typer.Context:
            settings: dict[str, Any] = {"help": said[name], "autocompletion": COMPLETED.get(name)}
            names = [f"--{name.replace('_', '-')}"]
            if kind == bool | None or default is True:
                names = [f"{names[0]}/--no-{names[0][2:]}"]
            for each in more:
                if isinstance(each, str):
                    names = [each] if "/" in each else [*names, each]
                else:
                    settings |= _limited(each, said[name])
            if taken.kind is taken.KEYWORD_ONLY:
                default = typer.Option(default, *names, **settings)
            else:
                default = typer.Argument(default, **settings)
            taken = taken.replace(default=default)
        yield taken.replace(annotation=kind, kind=taken.KEYWORD_ONLY)


def _is_annotated(taken: inspect.Parameter) -> bool:
    return hasattr(taken.annotation, "__metadata__")


def _limited(allowed: WholeRange | RealRange, said: str) -> dict[str, Any]:
    """Settings of an option that is a number of a range, or several such."""

    def read(option: typer.CallbackParam, given: Any) -> Any:
        if isinstance(given, list):
            return [read(option, one) for one in given]
        # a default is no text
        return allowed.read(given, option.opts[0]) if isinstance(given, str) else given

    RANGES[read] = allowed
    # Typer's own reading would not say what came, nor what may
    return {"help": f"{said} [{allowed.in_short}]", "parser": str, "callback": read}


# ---- what a shell completes

FAMILIES = [
    *("ladder", "grid", "tree", "erdos_renyi", "barabasi_albert", "community", "caveman"),
    *("configuration", "intervals", "barabasi_albert_5", "connected_erdos_renyi"),
    "community_by_number",
]
MOST_FILES = 200  # of a folder that are looked at


def complete_algorithms(incomplete: str) -> list[str]:
    """Algorithms that come with the package."""
    folder = Path(al.__file__).parent / "algorithms"
    return _beginning(incomplete, (path.stem for path in folder.glob("[a-z]*.py")))


def complete_models(incomplete: str) -> list[str]:
    """Models' folders, here or below what is typed so far; and those that ship, by algorithm."""
    folders = (
        str(folder) if (folder / "experiment.json").is_file() else f"{folder}/"
        for place in ([incomplete] if incomplete else ["", "runs/"])
        for folder in _inside(place)
        if folder.is_dir()
    )
    return [*complete_algorithms(incomplete), *_beginning(incomplete, folders)]


def complete_runnable(incomplete: str) -> list[str]:
    """Algorithms, files with one, models and programs."""
    return [*complete_models(incomplete), *_files(incomplete, ".json", ".py")]


def complete_graphs(incomplete: str) -> list[str]:
    """Graphs: files, families (a size follows), and NetworkX's (a name follows)."""
    named = [*(f"{family}:" for family in FAMILIES), "nx:"]
    files = _files(incomplete, ".csv", ".tsv", ".parquet", ".graphml", ".json")
    return [*_beginning(incomplete, named), *files]


def complete_presets(incomplete: str) -> list[str]:
    """Presets."""
    return _beginning(incomplete, PRESETS)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _files(incomplete: str, *endings: str) -> list[str]:
    return _beginning(
        incomplete, (str(path) for path in _inside(incomplete) if path.suffix in endings)
    )


def _inside(incomplete: str) -> list[Path]:
    """What is in the folder that is typed so far."""
    folder = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    with suppress(OSError):
        return sorted(folder.iterdir())[:MOST_FILES]
    return []


# by the name of a parameter
COMPLETED: dict[str, Callable[[str], list[str]]] = {
    **dict.fromkeys(("algorithm", "first", "second", "oracle", "same_as"), complete_runnable),
    **dict.fromkeys(("model", "models"), complete_models),
    "algorithms": complete_algorithms,
    "graph": complete_graphs,
    "preset": complete_presets,
}


# ---- what users type

# a value of a setting
Setting = bool | int | float | str | None | list[int | float] | dict[str, float | dict[str, float]]


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
    from algolens.reading import record_from  # slow to import

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
