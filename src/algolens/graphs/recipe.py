"""Which graphs a data set is made of."""

from __future__ import annotations

from dataclasses import dataclass

SEVEN_FAMILIES = ("ladder", "grid", "tree", "erdos_renyi", "barabasi_albert", "community", "caveman")


@dataclass(frozen=True)
class Recipe:
    """The graphs of a data set, as in the paper's appendix on data generation; the split is 10:1:1."""

    families: tuple[str, ...] = SEVEN_FAMILIES
    size: int = 20  # nodes of a graph to train and to validate on
    train: int = 100  # graphs of each family
    held_out: int = 10  # graphs of each family for validation, and for the test at each size
    test_sizes: tuple[int, ...] = (20, 50, 100)
    directed: bool = False  # every edge gets a direction, along an order of the nodes or, in some graphs, at random
