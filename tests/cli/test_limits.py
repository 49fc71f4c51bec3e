"""Odd sizes are refused before work, in a line with a figure; no option is without its bounds."""

from __future__ import annotations

import re
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import typer

from algolens import limits
from algolens.algorithms import algorithms, variants
from algolens.cli.app import COMMANDS, app
from algolens.cli.options import RANGES
from algolens.graphs import FAMILIES, sample, stream
from algolens.graphs.family_sizes import EDGES
from algolens.limits import OPTION
from algolens.memory import VARIABLE, MemoryNeedError, check_memory, memory_there, read_size

DIGITS = "9" * 5_000
# arguments that a command cannot do without
NEEDED = {
    "execute": ("bfs", "grid:50"),
    "play": ("bfs", "grid:50"),
    "train": ("bfs",),
    "evaluate": ("bfs",),
    "explain": ("bfs",),
    "distil": ("bfs",),
    "discover": ("bfs",),
    "check": ("bfs",),
    "clrs": (),
    "compare": ("bfs", "bfs"),
    "reproduce": (),
}
# text that numbers stand in, and where their ranges are checked: each is tried below
NUMBERS_IN_TEXT = {
    *("graph", "--seeds", "--sizes", "--graphs", "--option", "--max-memory"),
    *("--input", "--set", "--engine-option"),
}
# text without numbers: names, files, formats, devices
OTHER_TEXT = {
    *("algorithm", "algorithms", "model", "models", "oracle", "name", "code"),
    *("first", "second", "tasks", "--preset", "--processor", "--network", "--family"),
    *("--cluster", "--device", "--by", "--source", "--around", "--why", "--engine"),
    *("--check-with", "--format", "--unseen", "--cases", "--at"),
    *("--weights", "--nodes", "--html", "--out", "--markdown", "--judge", "--smtlib", "--picture"),
    *("--save", "--figures", "--same-as"),
}


def options() -> dict[tuple[str, str], Any]:
    """What commands take besides flags, by command and name."""
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    return {
        (command, option.opts[0]): option.type_descriptor
        for command, taken in commands.items()
        for option in taken.params
        if option.type_descriptor.annotation is not bool
    }


def numbers() -> dict[tuple[str, str], Any]:
    """The options that are numbers, each with its range; None where it has none."""
    kinds = (int, float, list[int], list[float])
    return {
        name: RANGES.get(described.parameter_info.callback)
        for name, described in options().items()
        if described.annotation in kinds
    }


def test_every_number_has_a_range_of_the_one_place():
    declared = [value for value in vars(limits).values() if isinstance(value, limits._Range)]
    assert [name for name, allowed in numbers().items() if allowed not in declared] == []


def test_it_is_known_of_every_text_whether_numbers_stand_in_it():
    texts = {name for command, name in options() if (command, name) not in numbers()}
    assert texts - NUMBERS_IN_TEXT - OTHER_TEXT == set(), "say here whether numbers stand in it"
    assert (NUMBERS_IN_TEXT | OTHER_TEXT) - texts == set()


def test_every_option_of_every_algorithm_has_a_range():
    for cls in (algorithms() | variants()).values():
        for name, value in cls().options.items():
            if not isinstance(value, bool):
                known = cls.range_of(name)
                assert known.most < OPTION.most, f"{cls.name} declares no range of {name}"


def test_every_command_takes_a_bound_of_memory():
    assert {command for command, name in options() if name == "--max-memory"} == set(COMMANDS)


OUT_OF_RANGE = [
    (command, option, str(number))
    for (command, option), allowed in numbers().items()
    if allowed is not None  # a test above says which
    for number in (
        allowed.least - 1,
        allowed.most + 1,
        "10" * 30,
        DIGITS,
        f"-{DIGITS}",
        "x",
        "",
        "١٢ 1",
    )
]
TOO_LARGE = [
    *(("execute", "bfs", f"{family}:{10**18}") for family in FAMILIES),
    *(("execute", "bfs", f"{family}:200000000") for family in FAMILIES),
    ("execute", "bfs", f"grid:{DIGITS}"),
    ("execute", "bfs", "community:100000"),
    ("execute", "bfs", "grid:0"),
    ("execute", "bfs", "tree:1000000"),
    ("execute", "kruskal", "grid:3000000"),
    ("execute", "bubble_sort", "ladder:100000"),
    ("execute", "floyd_warshall", "grid:100000"),
    ("execute", "lcs_length", "ladder:2001"),
    ("execute", "matrix_chain_order", "ladder:301"),
    ("play", "bfs", "caveman:100000"),
    ("train", "bfs", "--seeds", "0-99999999"),
    ("train", "bfs", "--seeds", DIGITS),
    ("train", "bfs", "--seeds", "0-9999"),
    ("train", "bfs", "--seeds", "0-99", "--set", "width=4096"),
    ("train", "bfs", "--set", "batch_size=1000000", "--set", "width=4096"),
    ("train", "bfs", "--sizes", "20,100000"),
    ("train", "bfs", "--sizes", DIGITS),
    ("train", "bfs", "--sizes", "1-99999"),
    ("train", "bfs", "--set", f"epochs={DIGITS}"),
    ("train", "bfs", "--set", "epochs=100000000"),
    ("train", "bfs", "--set", "batch_size=100000000"),
    ("train", "bfs", "--set", "learning_rate=1e300"),
    ("train", "bfs", "--set", "validate_every=0"),
    ("train", "coloring", "--option", "colors=255"),
    ("train", "coloring", "--option", f"colors={DIGITS}"),
    ("train", "coloring", "--preset", "exact", "--option", "colors=64"),  # cases of its proof
    ("train", "k_core", "--option", "k=1000000000"),
    ("train", "dijkstra", "--option", "bits=63"),
    ("check", "coloring", "--option", "colors=65"),
    ("check", "k_core", "--option", "k=0"),
    ("check", "prim", "--option", "bits=0"),
    ("execute", "coloring", "grid:20", "--option", "colors=1000"),
    ("execute", "bfs", "grid:20", "--input", f"source={DIGITS}"),
    ("execute", "bfs", "grid:20", "--set", f"has_been_visited=true#{DIGITS}"),
    ("execute", "bfs", "grid:20", "--engine", "duckdb", "--engine-option", f"threads={DIGITS}"),
    ("execute", "bfs", "grid:20", "--engine", "duckdb", "--engine-option", f"max_steps={DIGITS}"),
    ("evaluate", "bfs", "--graphs", "999999999"),
    ("evaluate", "bfs", "--graphs", DIGITS),
    ("evaluate", "bfs", "--graphs", "1000000", "--sizes", "100"),
    ("evaluate", "bfs", "--sizes", "1000000"),
    ("distil", "bfs", "--graphs", "community:100000"),
    ("distil", "bfs", "--graphs", f"grid:{DIGITS}"),
    ("reproduce", "--jobs", "1000"),
    ("list", "--max-memory", "3"),
    ("list", "--max-memory", DIGITS),
]


def refused(run, *words: str) -> str:
    """What a command says that is refused: one line with a figure."""
    began = time.process_time()
    status, out, err = run(*words)
    seconds = time.process_time() - began
    assert (status, out) == (2, ""), (words, err[-300:])
    (line,) = [line for line in err.splitlines() if not line.startswith("note: ")]
    assert line.startswith("error: ")
    assert re.search(r"\d", line), line
    assert len(line) < 2_100
    assert seconds < 5, "it was refused after work"
    return line


@pytest.mark.parametrize(("command", "option", "number"), OUT_OF_RANGE)
def test_a_number_outside_its_range_is_refused_with_the_range(run, command, option, number):
    line = refused(run, command, *NEEDED[command], f"{option}={number}")
    assert option in line


@pytest.mark.parametrize("words", TOO_LARGE, ids=lambda words: " ".join(words)[:60])
def test_what_does_not_fit_is_refused_before_work(run, monkeypatch, tmp_path, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv(VARIABLE, "1GB")
    refused(run, *words)
    assert [path.name for path in tmp_path.iterdir()] == []


def test_there_are_a_hundred_odd_sizes():
    assert len(OUT_OF_RANGE) + len(TOO_LARGE) >= 100


@pytest.mark.parametrize("family", FAMILIES)
def test_the_edges_of_a_family_are_known_before(family):
    drawn = sample(family, 400, 5, stream(0, "edges")).num_edges
    assert 0.8 * drawn < 5 * EDGES[family](400) < 1.25 * drawn


def told_free() -> int:
    """The bytes that Linux says are free for new work."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return 1024 * int(line.split()[1])
    raise AssertionError("the system does not say what is free")


@pytest.mark.skipif(sys.platform != "linux", reason="where the system says what is free")
def test_the_bound_of_a_user_counts_and_else_what_is_free(monkeypatch):
    monkeypatch.setenv(VARIABLE, "20 GB")
    left, allowed = memory_there()
    assert allowed == 20 * 10**9
    assert 0 < left < allowed  # what this process takes by now counts
    check_memory(0.9 * left, "this", "do less")
    wanted = r"this needs about 20\.1 GB of memory, and [\d.]+ GB of the 20\.0 GB that are allowed"
    with pytest.raises(MemoryNeedError, match=wanted):
        check_memory(20.1e9, "this", "do less")
    monkeypatch.delenv(VARIABLE)
    free, allowed = memory_there()
    assert allowed == 0
    whole = told_free()
    assert 0.5 * whole < free < 2 * whole
    assert read_size("1.5gb", "") == 1_500_000_000
