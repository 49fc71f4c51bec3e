"""Commands that are killed, run out of disk, or write at the same time; and what is left of it.

    python -m benchmarks.soak --kills 200 --chosen 50 --full 48 --pairs 32 --seed 1

After each, the same command is given again. Then all files must be there that a command leaves
which nobody disturbed, those that it writes the same each time must be the same, and nothing else
may lie beside them. It ends by itself, after --seconds at the latest, prints what it tried, and its
status is 1 where anything was left wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import torch

from algolens import disk
from algolens.algorithms import algorithms
from algolens.cli.app import main as algolens_main
from algolens.graphs import Recipe

ROOT = Path(__file__).parents[1]
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
TOUCHING = {
    *("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.listdir"),
    "os.scandir",
}
LOADED = (
    *("algolens.front.explanation", "algolens.front.discovering", "algolens.front.training"),
    *("algolens.reproduction.report", "algolens.reproduction.plan", "algolens.front.own_data"),
    *(
        "algolens.certification.smt.obligations",
        "algolens.engines.parquet",
        "algolens.front.progress",
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


def main() -> int:
    """Disturbs, prints, and says by its status whether anything was left wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, count, told in (
        ("kills", 200, "kills at random moments"),
        ("chosen", 50, "kills at chosen accesses to the disk"),
        ("full", 48, "commands whose disk is full, by a limit on the size of files"),
        ("pairs", 32, "commands given twice at once"),
    ):
        parser.add_argument(f"--{name}", type=int, default=count, help=told)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--seconds", type=float, default=3600.0, help="after which it ends")
    parser.add_argument("--command", action="append", choices=[*COMMANDS], help="only this one")
    given = parser.parse_args()
    began = time.monotonic()
    counts = {"kill": given.kills, "chosen kill": given.chosen, "full": given.full}
    counts["pair"] = given.pairs
    chosen = given.command or available()
    shares = [
        ({kind: len(range(place, count, len(chosen))) for kind, count in counts.items()}, name)
        for place, name in enumerate(chosen)
    ]
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        ends = began + given.seconds
        work = [(share, given.seed, ends, [name]) for share, name in shares]
        tallies = pool.starmap(soak, work, chunksize=1)
        pool.close()
        pool.join()
    tally = Tally()
    for one in tallies:
        tally.tried += one.tried
        tally.hit += one.hit
        tally.faults += one.faults
    print(table(tally))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{tally.tried.total()} disturbed, seed {given.seed}: {len(tally.faults)} faults; "
        f"{used.ru_utime + used.ru_stime:.0f} CPU s, {time.monotonic() - began:.0f} s"
    )
    for fault in tally.faults[:20]:
        print(f"\n{fault}")
    return int(bool(tally.faults))


def available() -> list[str]:
    """The commands whose packages are here; of others, it is told."""
    left_out = [] if importlib.util.find_spec("duckdb") else ["execute --engine"]
    for name in left_out:
        print(f"left out: {name} (DuckDB is not installed)")
    return [name for name in COMMANDS if name not in left_out]


def table(tally: Tally) -> str:
    """A line for each command: how often each disturbance was tried, and how often it struck."""
    kinds = list(dict.fromkeys(kind for _, kind in tally.tried))
    lines = [f"| command | {' | '.join(kinds)} |", f"|---{'|---' * len(kinds)}|"]
    for name in dict.fromkeys(name for name, _ in tally.tried):
        cells = [f"{tally.hit[name, kind]} of {tally.tried[name, kind]}" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


def soak(counts: dict[str, int], seed: int, ends: float, names: list[str] | None = None) -> Tally:
    """Disturbs commands so often in each way, in turn, until a moment of ``time.monotonic``."""
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
        for kind, count in counts.items():
            for number in range(count):
                if time.monotonic() > ends:
                    return tally
                name = chosen[number % len(chosen)]
                place = _place(name, Path(folder) / "here")
                tally.tried[name, kind] += 1
                wrong = _disturbed(kind, name, wholes[name], place, draw, tally)
                if wrong:
                    tally.faults.append(f"{name}, {kind} {number}: {wrong}")
    return tally


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
            status, _ = begun(words, place, before=lambda: _kill_at(at, place)).ended()
            tally.hit[name, kind] += status == -signal.SIGKILL
        case "full":
            most = draw.choice([0, 1, 100, 1000, 3000, 10_000, 30_000, 100_000])
            status, said = begun(words, place, before=lambda: _full_at(most)).ended()
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
    """What is wrong once the command was given again; where it had finished, it may refuse."""
    before = _files(place)
    status, said = begun(words, place).ended()
    if status not in (0, 1) and _difference(before, whole):
        return f"given again, it ends with {status}: {said[-1000:]}; {_difference(before, whole)}"
    return _difference(_files(place), whole)


def _difference(files: Files, whole: Whole) -> str | None:
    if missing := sorted(set(whole.files) - set(files)):
        return f"missing: {missing}"
    if more := sorted(set(files) - set(whole.files)):
        return f"left behind: {more}"
    other = sorted(name for name in whole.stable if files[name] != whole.files[name])
    return f"not as they should be: {other}" if other else None


# ---- commands in processes of their own


@dataclass(frozen=True)
class Child:
    """A command that was begun."""

    process: int
    said: int  # a pipe, with what it says

    def ended(self) -> tuple[int, str]:
        """Waits for its end: the status, negative where a signal ended it, and what it said."""
        with os.fdopen(self.said, "rb") as pipe:
            said = pipe.read().decode("utf-8", "replace")
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1]), said


def begun(words: list[str], place: Path, before: Callable[[], None] = lambda: None) -> Child:
    """Begins a command in a folder, in a forked process, where all is loaded; before: done there
    first.
    """
    here, there = os.pipe()
    process = os.fork()
    if process:
        os.close(there)
        return Child(process, here)
    status = 3
    try:
        os.setsid()
        os.close(here)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.dup2(there, 2)
        os.close(there)
        sys.stdout, sys.stderr = open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
        os.chdir(place)
        sys.argv = ["algolens", *words]
        for drawn in ("abstracts", "comparison_pictures"):  # of pictures, some are enough
            mock.patch(f"algolens.reproduction.report.{drawn}", return_value=()).start()
        before()
        algolens_main()
        status = 0
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(status)


def _kill_at(number: int, place: Path, told: Callable[[], None] | None = None) -> None:
    """From now on, kills this process when it is about to touch the folder for the n-th time."""
    left = number

    def touched() -> None:
        nonlocal left
        left -= 1
        if told is not None:
            told()
        elif left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def heard(event: str, arguments: tuple[object, ...]) -> None:
        if event in TOUCHING and arguments and isinstance(arguments[0], str | bytes | os.PathLike):
            path = Path(os.fsdecode(arguments[0]))
            if not path.is_absolute() or place in path.parents:
                touched()

    sys.addaudithook(heard)
    for module, name in ((os, "fsync"), (disk, "exchange")):  # which no hook hears of
        _before(module, name, touched)


def _before(module: object, name: str, act: Callable[[], None]) -> None:
    real = getattr(module, name)

    def wrapped(*given: object, **named: object) -> object:
        act()
        return real(*given, **named)

    mock.patch.object(module, name, wrapped).start()


def _full_at(most: int) -> None:
    """From now on, no file grows over so many bytes."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))


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
    begun(COMMANDS[name][0], place, before=lambda: _kill_at(0, place, told)).ended()
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


if __name__ == "__main__":
    sys.exit(main())
