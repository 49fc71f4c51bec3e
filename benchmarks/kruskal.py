"""Kruskal's algorithm on the paper's sets: training and testing on one core, against the authors'
code.
"""

from __future__ import annotations

import resource
import time
from dataclasses import replace
from itertools import islice, pairwise

import torch
from rich.console import Console
from rich.table import Table

from algolens.algorithms import algorithm
from algolens.data import DataSets, fixed
from algolens.evaluation import score_network
from algolens.experiment.config import preset
from algolens.models import Network
from algolens.training import Fit

# seconds on one core of a 2-core machine, as measured on the authors' code (torch 2.13); at 50 and
# 100 nodes from a few steps
AUTHORS_EPOCH = 42.0
AUTHORS_TEST = {20: 130.0, 50: 4850.0, 100: 46700.0}
EPOCHS = 3  # of which the fastest counts


def main(console: Console) -> None:
    """Prints the table of ratios."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    sets = fixed(algorithm("kruskal_union_find"))  # as the paper's networks learn it
    table = Table(title="Kruskal's algorithm, one seed, one core: seconds", title_justify="left")
    for column in ("work", "graphs", "AlgoLens", "authors'", "authors' / AlgoLens"):
        table.add_column(column, justify="right" if column != "work" else "left")
    _add(table, "an epoch of training", sets.train.graph.num_graphs, _epoch(sets), AUTHORS_EPOCH)
    for size, authors in AUTHORS_TEST.items():
        _add(
            table,
            f"a test at {size} nodes",
            sets.tests[size].graph.num_graphs,
            _test(sets, size),
            authors,
        )
    torch.set_num_threads(threads)
    console.print(table)
    console.print(
        f"An epoch is the fastest of {EPOCHS}; a test is a run of as many steps as edges, and its "
        "scores. Most memory used: "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB.\nauthors': "
        "measured once on one core of another 2-core machine; at 50 and 100 nodes extrapolated "
        "from a few steps.\n",
        style="dim",
    )


def _epoch(sets: DataSets) -> float:
    """Seconds an epoch of training, without validation."""
    made = preset("paper", sets.train.algorithm)
    schedule = replace(made.schedule, validate_every=made.schedule.epochs + 1)
    seconds = [
        0.0,
        *(
            done.seconds
            for done in islice(Fit(sets, made.architecture, schedule, (0,), _CPU), EPOCHS)
        ),
    ]
    return min(after - before for before, after in pairwise(seconds))


def _test(sets: DataSets, size: int) -> float:
    """Seconds that a run on the test graphs and its scores take; they do not depend on what was
    learnt.
    """
    network = Network(
        sets.train.algorithm, preset("paper", sets.train.algorithm).architecture, (0,)
    )
    truth = sets.tests[size]
    started = time.perf_counter()
    score_network(network, {size: truth})
    return time.perf_counter() - started


def _add(table: Table, work: str, graphs: int, ours: float, authors: float) -> None:
    table.add_row(work, f"{graphs:,}", f"{ours:.1f}", f"{authors:,.0f}", f"{authors / ours:.1f}")


_CPU = torch.device("cpu")

if __name__ == "__main__":
    main(Console(width=140))
