"""Which graphs a data set is made of."""

from __future__ import annotations

from dataclasses import dataclass

SEVEN_FAMILIES = (
    "ladder",
    "grid",
    "tree",
    "erdos_renyi",
    "barabasi_albert",
    "community",
    "caveman",
)


@dataclass(frozen=True)
class Recipe:
    """The graphs of a data set, as in the paper's appendix on data generation; the split is
    10:1:1.
    """

    families: tuple[str, ...] = SEVEN_FAMILIES
    size: int = 20  # nodes of a graph to train and to validate on
    train: int = 100  # graphs of each family
    held_out: int = 10  # graphs of each family for validation, and for the test at each size
    test_sizes: tuple[int, ...] = (20, 50, 100)
    # every edge gets a direction, along an order of the nodes or, in some graphs, at random
    directed: bool = False
    # graphs of each test in all, shared out evenly; None: as many as held_out of each family
    tested: int | None = None

    def counts(self, split: str) -> dict[str, int]:
        """The graphs of each family in a set; where they cannot be shared out evenly, the first
        families have one more.

        >>> Recipe(families=("ladder", "grid", "tree"), tested=800).counts("test")
        {'ladder': 267, 'grid': 267, 'tree': 266}
        """
        if split != "test" or self.tested is None:
            return dict.fromkeys(self.families, self.train if split == "train" else self.held_out)
        each, left = divmod(self.tested, len(self.families))
        return {family: each + (place < left) for place, family in enumerate(self.families)}
