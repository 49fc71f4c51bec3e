"""Randomness for graphs and their inputs: streams by seed, recipes, drawing without repeats."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from algolens.errors import DefinitionError, GraphError

MAX_ROUNDS = 10_000
SEVEN_FAMILIES = (
    "ladder",
    "grid",
    "tree",
    "erdos_renyi",
    "barabasi_albert",
    "community",
    "caveman",
)


# by its name; or an author's function of a number of nodes and a random stream, or where it stands,
# as "my_file.py:my_family"
Family = str | Callable[[int, np.random.Generator], Any]


def is_own(family: Family) -> bool:
    """Whether a family is an author's function."""
    return not isinstance(family, str) or ".py:" in family


def family_name(family: Family) -> str:
    """What tables and messages call a family."""
    return family if isinstance(family, str) else getattr(family, "__name__", "a function")


@dataclass(frozen=True)
class Recipe:
    """The graphs of a data set, as in the paper's appendix on data; the split is 10:1:1."""

    families: tuple[Family, ...] = SEVEN_FAMILIES
    size: int = 20  # nodes of a graph to train and to validate on
    train: int = 100  # graphs of each family
    held_out: int = 10  # graphs of each family for validation, and for the test at each size
    test_sizes: tuple[int, ...] = (20, 50, 100)
    # every edge gets a direction, along an order of the nodes or, in some graphs, at random
    directed: bool = False
    # graphs of each test in all, shared out evenly; None: as many as held_out of each family
    tested: int | None = None

    def __post_init__(self) -> None:
        families: Any = self.families
        right = isinstance(families, tuple | list) and families
        if not right or not all(isinstance(one, str) or callable(one) for one in families):
            raise DefinitionError(
                f"families={families!r} of a recipe: write a tuple of names and functions, as in "
                'families=("tree", my_family).'
            )

    def counts(self, split: str) -> dict[Family, int]:
        """The graphs of each family in a set; of an uneven share, the first have one more.

        >>> Recipe(families=("ladder", "grid", "tree"), tested=800).counts("test")
        {'ladder': 267, 'grid': 267, 'tree': 266}
        """
        if split != "test" or self.tested is None:
            return dict.fromkeys(self.families, self.train if split == "train" else self.held_out)
        share, left = divmod(self.tested, len(self.families))
        return {family: share + (place < left) for place, family in enumerate(self.families)}


def stream(seed: int, *purpose: str | int) -> np.random.Generator:
    """A random stream for a purpose: the same on every machine, and independent of the others."""
    words = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in purpose]
    return np.random.default_rng([seed, *words])


def draw_distinct(
    owner: np.ndarray,
    draw: Callable[[np.ndarray], np.ndarray],
    *,
    span: int,
    first: np.ndarray | None = None,
) -> np.ndarray:
    """A value for each element, no two alike of one owner: only the repeats are drawn again.

    draw takes the indices of the elements that need a value and gives whole numbers in [0, span).
    first: values to begin with, where they are not to be drawn so.
    """
    most = int(np.bincount(owner).max(initial=0))
    if most > span:
        raise GraphError(
            f"{most} different values are needed and only {span} exist: allow a wider range."
        )
    values = draw(np.arange(len(owner))) if first is None else first.copy()
    for _ in range(MAX_ROUNDS):
        keys = owner * span + values
        order = np.argsort(keys, kind="stable")
        repeats = order[1:][keys[order[1:]] == keys[order[:-1]]]
        if repeats.size == 0:
            return values
        values[repeats] = draw(repeats)
    raise GraphError(
        f"no {most} different values out of {span} were found in {MAX_ROUNDS} rounds: allow a "
        "wider range."
    )


def successes(trials: int, probability: float, rng: np.random.Generator) -> np.ndarray:
    """Which of so many trials succeed, each with this probability.

    Gaps between successes are geometric, so they are drawn instead of the trials (Batagelj and
    Brandes 2005): it takes time proportional to the successes.
    """
    if probability <= 0 or trials <= 0:
        return np.empty(0, dtype=np.int64)
    if probability >= 1:
        return np.arange(trials)
    mean = trials * probability
    room = int(mean + 6 * np.sqrt(mean) + 16)
    places = np.empty(0, dtype=np.int64)
    last = -1
    while last < trials:
        # a gap that ends far beyond the last trial counts as one that ends just beyond it
        with np.errstate(over="ignore"):
            gaps = np.minimum(np.log1p(-rng.random(room)) / np.log1p(-probability), trials)
        more = last + np.cumsum(gaps.astype(np.int64) + 1)
        places = np.concatenate([places, more])
        last = int(more[-1])
    return places[places < trials]
