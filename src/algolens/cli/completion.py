"""What a shell completes: names that are known without loading anything that is slow to import."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import algolens
from algolens.protocol import PRESETS

FAMILIES = (
    "ladder",
    "grid",
    "tree",
    "erdos_renyi",
    "barabasi_albert",
    "community",
    "caveman",
    "configuration",
    "barabasi_albert_5",
    "connected_erdos_renyi",
    "community_by_number",
)
GRAPH_FILES = (".csv", ".tsv", ".graphml", ".json")
RUN_FILE = "experiment.json"  # that the folder of a run holds
MOST_FOLDERS = 200  # looked into


def complete_algorithms(incomplete: str) -> list[str]:
    """Algorithms that come with the package."""
    folder = Path(algolens.__file__).parent / "algorithms"
    return _beginning(incomplete, (path.stem for path in folder.glob("[a-z]*.py")))


def complete_models(incomplete: str) -> list[str]:
    """Folders of runs, here or below what is typed so far; and the models that ship, by their
    algorithms.
    """
    return [*complete_algorithms(incomplete), *_beginning(incomplete, _run_folders(incomplete))]


def complete_runnable(incomplete: str) -> list[str]:
    """What `execute` and `play` run: algorithms, runs and programs."""
    return [*complete_models(incomplete), *_files(incomplete, (".json",))]


def complete_checkable(incomplete: str) -> list[str]:
    """What `check` looks over: algorithms, and files with one."""
    return [*complete_algorithms(incomplete), *_files(incomplete, (".py",))]


def complete_graphs(incomplete: str) -> list[str]:
    """Graphs: files, families (a size follows), and NetworkX's (a name follows)."""
    return [
        *_beginning(incomplete, [*(f"{family}:" for family in FAMILIES), "nx:"]),
        *_files(incomplete, GRAPH_FILES),
    ]


def complete_presets(incomplete: str) -> list[tuple[str, str]]:
    """Presets, each with what it is."""
    return [
        (name, what.replace("`", ""))
        for name, what in PRESETS.items()
        if name.startswith(incomplete)
    ]


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _run_folders(incomplete: str) -> Iterator[str]:
    typed = Path(incomplete)
    above = typed if incomplete.endswith("/") else typed.parent
    places = [above] if incomplete else [Path(), Path("runs")]
    for place in places:
        for folder in _inside(place):
            if (folder / RUN_FILE).is_file():
                yield str(folder)
            elif incomplete and folder.is_dir():
                yield f"{folder}/"


def _files(incomplete: str, endings: tuple[str, ...]) -> list[str]:
    """Files of these endings, and folders in which there may be some."""
    above = Path(incomplete) if incomplete.endswith("/") else Path(incomplete).parent
    found = (
        f"{path}/" if path.is_dir() else str(path)
        for path in _inside(above)
        if path.is_dir() or path.suffix in endings
    )
    return _beginning(incomplete, (name for name in found if not Path(name).name.startswith(".")))


def _inside(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())[:MOST_FOLDERS]
    except OSError:
        return []
