"""Rules: minimising formulas, finding termination rules, applying programs; torch-explain beside it
where it is installed.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import algorithm
from algolens.extraction.termination import smallest_exists
from algolens.logic import minimal_rules, pack

SAMPLES = 10_000
NODES = 1_000_000
PEER_SECONDS = 60  # after which torch-explain is stopped; then nothing larger is asked of it
TARGETS = 5  # random formulas for each number of concepts, of which the slowest counts


def main(console: Console) -> None:
    """Prints the three tables."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    minimal_rules(["a"], np.array([0]), np.array([1]))
    _minimisation(console)
    _termination(console)
    _application(console)
    torch.set_num_threads(threads)


def hidden_formula(num_concepts: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Samples [M, C] of a random formula with 4 clauses of 3 literals, and its truth [M]."""
    random = np.random.default_rng(seed)
    clauses = [
        (random.choice(num_concepts, 3, replace=False), random.random(3) > 0.5) for _ in range(4)
    ]
    patterns = random.random((SAMPLES, num_concepts)) > 0.5
    return patterns, np.any(
        [(patterns[:, places] == signs).all(1) for places, signs in clauses], axis=0
    )


def _minimisation(console: Console) -> None:
    title = (
        f"Minimising a formula with 4 clauses of 3 literals from {SAMPLES:,} samples, one core: "
        f"the slowest of {TARGETS}"
    )
    table = Table(title=title, title_justify="left")
    for column in (
        "concepts",
        "seconds",
        "clauses",
        "proven smallest",
        "torch-explain, seconds",
        "its clauses",
        "it is right on",
    ):
        table.add_column(column, justify="right")
    asks_peer, note = True, ""
    for num_concepts in (7, 10, 14, 20, 24):
        seconds, clauses, proven = [], [], []
        for seed in range(TARGETS):
            patterns, holds = hidden_formula(num_concepts, seed)
            began = time.perf_counter()
            packed = pack(patterns)
            found = minimal_rules(
                [f"c{i}" for i in range(num_concepts)], packed[holds], packed[~holds]
            )
            seconds.append(time.perf_counter() - began)
            clauses.append(len(found.clauses))
            proven.append(found.proven)
        peer = _peer(num_concepts) if asks_peer else {"seconds": "", "clauses": "", "right": ""}
        asks_peer, note = asks_peer and "stop" not in peer, note or str(peer.get("stop", ""))
        row = [
            f"{max(seconds):.4f}",
            f"{min(clauses)} to {max(clauses)}",
            f"{sum(proven)} of {TARGETS}",
        ]
        table.add_row(
            str(num_concepts), *row, *(str(peer[key]) for key in ("seconds", "clauses", "right"))
        )
    console.print(table)
    console.print(
        f"Fewer than 4 clauses are fewer than were drawn: some draws repeat each other. {note}\n",
        style="dim",
    )


def _peer(num_concepts: int) -> dict[str, Any]:
    """What torch-explain makes of the first target: in a process of its own, which can be
    stopped.
    """
    command = [sys.executable, "-m", "benchmarks.peer", str(num_concepts), str(PEER_SECONDS)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PEER_SECONDS + 120, check=True
        )
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.SubprocessError, ValueError, IndexError):
        return {"seconds": "failed", "clauses": "", "right": "", "stop": "torch-explain failed."}


def _termination(console: Console) -> None:
    table = Table(
        title="The smallest exists-combination over 500 steps, one core", title_justify="left"
    )
    for column in (
        "concepts",
        "literals",
        "elements a step",
        "seconds",
        "one by one, seconds",
        "ratio",
    ):
        table.add_column(column, justify="right")
    for num_concepts, num_literals, num_elements in ((12, 4, 20), (20, 6, 20), (20, 6, 100)):
        names = [f"c{i}" for i in range(num_concepts)]
        patterns, goes_on = planted_steps(num_concepts, num_literals, num_elements)
        step = np.repeat(np.arange(500), num_elements)
        seconds = _best(
            partial(smallest_exists, names, patterns.reshape(-1, num_concepts), step, goes_on)
        )
        plain = _seconds(partial(_one_by_one, patterns, goes_on)) if num_concepts == 12 else None
        told = ("", "") if plain is None else (f"{plain:.2f}", f"{plain / seconds:.0f}")
        table.add_row(
            str(num_concepts), str(num_literals), str(num_elements), f"{seconds:.3f}", *told
        )
    console.print(table)
    console.print()


def planted_steps(
    num_concepts: int, num_literals: int, num_elements: int
) -> tuple[np.ndarray, np.ndarray]:
    """[500, elements, C] random concepts, and [500] which steps go on: those with an element of the
    first concepts alone.
    """
    random = np.random.default_rng(0)
    patterns, goes_on = (
        random.random((500, num_elements, num_concepts)) > 0.5,
        random.random(500) < 0.6,
    )
    patterns[goes_on, 0, :num_literals] = True
    stopping = patterns[~goes_on]
    stopping[stopping[..., :num_literals].all(-1), 0] = False
    patterns[~goes_on] = stopping
    return patterns, goes_on


def _one_by_one(patterns: np.ndarray, goes_on: np.ndarray) -> object:
    """Every combination, small ones first, each asked of step after step until one says
    otherwise.
    """
    num_concepts = patterns.shape[-1]
    for size in range(num_concepts + 1):
        for places in itertools.combinations(range(num_concepts), size):
            seen = [step[:, places] for step in patterns]
            for signs in itertools.product((True, False), repeat=size):
                if all(
                    (step == signs).all(1).any() == goes
                    for step, goes in zip(seen, goes_on, strict=True)
                ):
                    return places, signs
    return None


def _application(console: Console) -> None:
    table = Table(
        title=f"Coloring's rules (7 concepts, 6 classes) on {NODES:,} nodes, one core",
        title_justify="left",
    )
    for column in (
        "layout",
        "milliseconds",
        "np.packbits of each node, ms",
        "ratio",
        "np.packbits without gaps, ms",
        "ratio",
    ):
        table.add_column(column, justify="right" if column != "layout" else "left")
    rule_set = algorithm("coloring").declaration.rule_set
    by_nodes = np.random.default_rng(0).random((NODES, 7)) > 0.5
    by_concepts = np.ascontiguousarray(by_nodes.T)
    layouts = {
        "node after node": (by_nodes, 1, torch.from_numpy(by_nodes)),
        "concept after concept": (by_concepts, 0, torch.from_numpy(by_concepts).T),
    }
    for layout, (array, axis, tensor) in layouts.items():
        ours = _best(partial(rule_set.decide, tensor))
        each = _best(partial(np.packbits, array, axis=axis))
        whole = _best(partial(np.packbits, array))
        shown = [
            f"{1e3 * ours:.2f}",
            f"{1e3 * each:.2f}",
            f"{ours / each:.2f}",
            f"{1e3 * whole:.2f}",
            f"{ours / whole:.1f}",
        ]
        table.add_row(layout, *shown)
    console.print(table)
    console.print()


def _best(work: Callable[[], object]) -> float:
    work()
    return min(_seconds(work) for _ in range(7))


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main(Console(width=140))
