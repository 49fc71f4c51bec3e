"""Disturbs commands, gives them again, and compares what is left with what should be."""

from __future__ import annotations

import contextlib
import importlib
import os
import random
import shutil
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import torch

from algolens.algorithms import algorithms
from algolens.graphs import Recipe
from benchmarks.soak.children import begun, fill_at, kill_at

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "src" / "algolens" / "shipped" / "bfs"
GRAPH = {"source": ["a", "b", "a"], "target": ["b", "c", "c"]}
SMALL = Recipe(families=("ladder", "tree"), size=6, train=8, held_out=3, test_sizes=(6,))
TRAIN = ["train", "bfs", "--seeds", "0", "--out", "made", "--device", "cpu"]
# each of the words of a command, and whether it is about a run that is there, in `run`
COMMANDS: dict[str, tuple[list[str], bool]] = {
    "train": ([*TRAIN, "--preset", "exact", "--epochs", "30"], False),
    "explain --redraw": (["explain", "run", "--redraw"], True),
    "report": (["report", "run", "--out", "report", "--markdown", "page.md"], True),
    "certify": (["certify", "run"], True),
    "reproduce --jobs": (["reproduce", "bfs", "--quick", "--seeds", "1", "--jobs", "1"], False),
    "execute --engine": (
        ["execute", "bfs", "g.parquet", "--engine", "duckdb", "--out", "t"],
        False,
    ),
    "discover": (["discover", "bfs", "--runs", "4", "--out", "found.py"], False),
    "export": (["explain", "run", "--save", "program.json"], True),
}
LOADED = (
    *("algolens.api.model", "algolens.api.discovering"),
    *("algolens.reproduction.report", "algolens.reproduction.plan", "algolens.api.own_data"),
    *(
        "algolens.proofs.smt",
        "algolens.engines.sql.parquet",
        "algolens.api.progress",
    ),
)
Files = dict[str, bytes]


@dataclass
class Whole:
    """A command that nobody disturbed: what it left, and what of that is the same each time."""

    files: Files
    stable: set[str]
    seconds: float
    touches: int


@dataclass
class Tally:
    """What was tried, and what was left wrong."""

    tried: Counter[tuple[str, str]] = field(default_factory=Counter)
    hit: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def soak(
    counts: dict[str, int],
    seed: int,
    seconds: float,
    names: list[str] | None = None,
    told: Callable[[str], None] = lambda *_: None,
) -> Tally:
    """Disturbs commands so often in each way, for so many seconds at most.

    ``told`` hears of a fault at once.
    """
    began = time.monotonic()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    tally, draw = Tally(), random.Random(f"{seed}/{names}")
    for module in LOADED:  # once, for all the processes that are forked
        importlib.import_module(module)
    chosen = names or list(COMMANDS)
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings = {"ALGOLENS_CACHE": str(Path(folder) / "cache")}
        stack.enter_context(mock.patch.dict(os.environ, settings))
        for cls in algorithms().values():
            stack.enter_context(mock.patch.object(cls, "recipe", SMALL))
        wholes = {name: _whole(name, Path(folder)) for name in chosen}
        for kind, number in _turns(counts):
            if time.monotonic() - began > seconds:
                break
            name = chosen[number % len(chosen)]
            place = _place(name, Path(folder) / "here")
            tally.tried[name, kind] += 1
            wrong = _disturbed(kind, name, wholes[name], place, draw, tally)
            if wrong:
                tally.faults.append(f"{name}, {kind} {number}: {wrong}")
                told(tally.faults[-1])
    return tally


def _turns(counts: dict[str, int]) -> list[tuple[str, int]]:
    """The disturbances in an order that has of each kind its share, wherever time ends it."""
    turns = [
        ((number + 0.5) / count, kind, number)
        for kind, count in counts.items()
        for number in range(count)
    ]
    return [(kind, number) for _, kind, number in sorted(turns)]


def _disturbed(
    kind: str, name: str, whole: Whole, place: Path, draw: random.Random, tally: Tally
) -> str | None:
    """Disturbs a command once, and gives it again: what is wrong then, in words."""
    words = COMMANDS[name][0]
    match kind:
        case "kill":
            child = begun(words, place)
            time.sleep(draw.random() * whole.seconds)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.process, signal.SIGKILL)
            tally.hit[name, kind] += child.ended()[0] == -signal.SIGKILL
        case "chosen kill":
            at = draw.randrange(whole.touches)
            status, _ = begun(words, place, before=lambda: kill_at(at, place)).ended()
            tally.hit[name, kind] += status == -signal.SIGKILL
        case "full":
            most = draw.choice([0, 1, 100, 1000, 3000, 10_000, 30_000, 100_000])
            status, said = begun(words, place, before=lambda: fill_at(most)).ended()
            tally.hit[name, kind] += status == 2
            errors = [line for line in said.splitlines() if line.startswith("error: ")]
            if "Traceback" in said or status not in (0, 2) or (status == 2) != (len(errors) == 1):
                return f"status {status} at {most} bytes: {said[-1500:]}"
        case "pair":
            both = [begun(words, place), begun(words, place)]
            ends = [child.ended() for child in both]
            tally.hit[name, kind] += any(status == 2 for status, _ in ends)
            if any(s not in (0, 2) or "Traceback" in said for s, said in ends) or all(
                status for status, _ in ends
            ):
                return str(ends)[-1500:]
    return _given_again(words, place, whole)


def _given_again(words: list[str], place: Path, whole: Whole) -> str | None:
    """What is wrong once the command was given again; where all is there, it may refuse."""
    status, said = begun(words, place).ended()
    wrong = _difference(_files(place), whole)
    if wrong or status not in (0, 1, 2):
        return f"{wrong}; given again, it ends with {status}: {said[-1000:]}"
    return None


def _difference(files: Files, whole: Whole) -> str | None:
    if missing := sorted(set(whole.files) - set(files)):
        return f"missing: {missing}"
    if more := sorted(set(files) - set(whole.files)):
        return f"left behind: {more}"
    other = sorted(name for name in whole.stable if files[name] != whole.files[name])
    return f"not as they should be: {other}" if other else None


# ---- what a command leaves


def _whole(name: str, folder: Path) -> Whole:
    """What is left of a command, of two times."""
    left, began, seconds = [], 0.0, 0.0
    for _ in range(2):
        place = _place(name, folder / "here")
        began = time.monotonic()
        status, said = begun(COMMANDS[name][0], place).ended()
        seconds = time.monotonic() - began
        if status not in (0, 1):
            raise SystemExit(f"{name} ends with {status}: {said[-2000:]}")
        left.append(_files(place))
    place = _place(name, folder / "here")
    counter = folder / "counter"
    counter.write_bytes(b"")

    def told() -> None:
        with contextlib.suppress(OSError):
            os.write(number, b".")

    number = os.open(counter, os.O_WRONLY | os.O_APPEND)
    begun(COMMANDS[name][0], place, before=lambda: kill_at(0, place, told)).ended()
    os.close(number)
    one, other = left
    stable = {file for file in one if one[file] == other.get(file)}
    return Whole(one, stable, seconds, max(1, len(counter.read_bytes())))


def _place(name: str, folder: Path) -> Path:
    """A folder as a command finds it, made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with contextlib.suppress(ImportError):
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table(GRAPH), folder / "g.parquet")
    if COMMANDS[name][1]:
        shutil.copytree(SHIPPED, folder / "run")
    return folder


def _files(folder: Path) -> Files:
    """All files in a folder, and the folders in it, by their paths."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
    }
