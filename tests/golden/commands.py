"""What twenty commands print, so that a rebuilding changes none of it.

Guards of a rebuilding, beside the laws that judge what is right: here is kept what was printed.

python -m tests.golden.commands     writes commands, pages and scores anew, after a wanted change
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

from algolens.cli import main
from tests.golden import pages, scores
from tests.golden.keeping import write

ROOT = Path(__file__).parents[2]
FILES = ("examples/village.csv", "examples/roads.csv", "tests/discovery/boxes.py")
COMMANDS = (
    "list --json",
    "check bfs --json",
    "check kmp_matcher --json",
    "execute bfs village.csv --source Mill --trace --json",
    "execute bfs village.csv --source Mill --set has_visited_neighbours=false@Bridge --json",
    "execute bfs_tree village.csv --source Mill --why Church",
    "execute dijkstra roads.csv --source Amsterdam --trace --json",
    "execute kruskal roads.csv --json",
    "execute coloring village.csv --seed 3 --option colors=4 --json",
    "execute coloring nx:petersen --by network --trace --json",
    "execute topological_sort village.csv --directed --trace --json",
    "execute quicksort grid:9 --trace --json",
    "execute lcs_length grid:9 --json",
    "explain coloring --save coloring.json --json",
    "compare bfs bfs --json",
    "compare coloring coloring.json --json",
    "evaluate bfs --sizes 8,12 --graphs 8 --first-mistakes --json",
    "certify bfs --json",
    "clrs bfs --judge stored --by algorithm --json",
    "discover boxes.py:Spread --nodes 3 --runs 8 --out found.py --json",
)
# by the last two keys of their path: versions, times, the program's own form, fingerprints, and
# how many cases the certificate of a shipped model had
UNSTABLE = frozenset(
    {
        ".algolens",
        ".seconds",
        ".program",
        "about.configuration",
        "about.weights",
        "about.declaration",
        "about.code",
        "algorithms.cases",
    }
)


def printed(command: str) -> dict[str, Any]:
    """The status of a command run in this process, and its JSON or lines, without the unstable."""
    said, status = io.StringIO(), 0
    words = ["algolens", *command.split()]
    with (
        patch.object(sys, "argv", words),
        redirect_stdout(said),
        redirect_stderr(io.StringIO()) as told,
    ):
        try:
            main()
        except SystemExit as left:
            status = int(left.code or 0)
    assert said.getvalue(), f"{command} printed nothing: {told.getvalue()}"
    is_json = "--json" in words
    return {
        "status": status,
        "printed": _stable(json.loads(said.getvalue())) if is_json else said.getvalue().split("\n"),
    }


def _stable(value: Any, key: str = "") -> Any:
    """JSON without what is unstable."""
    if isinstance(value, dict):
        return {
            name: _stable(each, name)
            for name, each in value.items()
            if not UNSTABLE & {f".{name}", f"{key}.{name}"}
        }
    return [_stable(each, key) for each in value] if isinstance(value, list) else value


@contextmanager
def desk() -> Iterator[None]:
    """A folder of its own with the files that commands name, and a cache of its own."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for name in FILES:
            shutil.copy(ROOT / name, folder)
        with patch.dict(os.environ, {"ALGOLENS_CACHE": f"{folder}/cache", "COLUMNS": "100"}):
            os.environ.pop("ALGOLENS_ALGORITHMS", None)
            yield


def drawn() -> dict[str, Any]:
    """What every command prints."""
    with desk():
        return {command: printed(command) for command in COMMANDS}


if __name__ == "__main__":
    write("commands", drawn())
    write("pages", pages.drawn())
    write("scores", scores.drawn())
