"""Data sets of a user's own graphs: split into sets, told apart by a digest, and kept."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from safetensors.torch import load, save
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.data.datasets import DataSets
from algolens.data.graph_sets import GraphSet
from algolens.engines import run_algorithm
from algolens.errors import GraphError
from algolens.graphs import stream
from algolens.memory import phase

TRAIN, VALIDATION, TEST = SPLITS = ("train", "validation", "test")
GIVEN = "given"  # the test set of graphs that were given: in the place of a number of nodes
IN_ALL = 12  # the paper's split, 10:1:1: so many graphs for each to validate and each to test on
FEWEST = len(SPLITS)  # graphs that can be split


@dataclass(frozen=True, eq=False)
class OwnSets:
    """A user's graphs in sets: ``train``, ``validation``, and the tests by their names."""

    sets: Mapping[str, GraphSet]

    @property
    def counts(self) -> dict[str, int]:
        """How many graphs each set holds."""
        return {name: part.graph.num_graphs for name, part in self.sets.items()}

    @property
    def directed(self) -> bool:
        """Whether its graphs are."""
        return next(iter(self.sets.values())).graph.directed

    @cached_property
    def sha256(self) -> str:
        """Of all graphs, their inputs, and in which set each is."""
        digest = hashlib.sha256()
        for name, value in self._tensors().items():
            digest.update(f"{name} {value.dtype} {list(value.shape)}\n".encode())
            digest.update(value.numpy().tobytes())
        return digest.hexdigest()

    def traces(self, algorithm: Algorithm, *, tests: bool = True) -> DataSets:
        """The true traces of every set; or of all but the tests."""
        kept = {name: part for name, part in self.sets.items() if tests or name in SPLITS[:2]}
        with phase(f"drawing true traces of {algorithm.name} on graphs of yours"):
            runs = {
                name: run_algorithm(algorithm, part.graph, part.inputs)
                for name, part in kept.items()
            }
        return DataSets(runs.pop(TRAIN), runs.pop(VALIDATION), runs)

    def marks(self, algorithm: Algorithm, names: Iterable[str]) -> set[int]:
        """The marks of all graphs of some sets."""
        return {mark for name in names for mark in self.sets[name].marks(algorithm).tolist()}

    def to_bytes(self) -> bytes:
        """Itself as safetensors."""
        return save(self._tensors())

    @classmethod
    def from_bytes(cls, content: bytes) -> OwnSets:
        """What ``to_bytes`` wrote."""
        by_set: dict[str, dict[str, Tensor]] = {}
        for key, value in sorted(load(content).items()):
            place, name, part = key.split("/", 2)
            by_set.setdefault(f"{place}/{name}", {})[part] = value
        return cls(
            {key.split("/")[1]: GraphSet.from_tensors(by_set[key]) for key in sorted(by_set)}
        )

    def _tensors(self) -> dict[str, Tensor]:
        """Every tensor, by the number and name of its set and its own name."""
        named = {
            f"{place:03}/{name}/{key}": value.contiguous().clone()
            for place, (name, part) in enumerate(self.sets.items())
            for key, value in part.tensors().items()
        }
        return dict(sorted(named.items()))


def split_places(count: int, seed: int) -> dict[str, list[int]]:
    """Which of so many graphs are in which set, by chance: 10:1:1, and at least one in each.

    >>> {name: len(places) for name, places in split_places(30, seed=0).items()}
    {'train': 26, 'validation': 2, 'given': 2}
    """
    if count < FEWEST:
        raise GraphError(
            f"{count} different graphs cannot be split into sets to train, to validate and to test "
            f"on: give at least {FEWEST}, or more."
        )
    held_out = max(1, count // IN_ALL)
    order = stream(seed, "split").permutation(count).tolist()
    return {
        TRAIN: sorted(order[2 * held_out :]),
        VALIDATION: sorted(order[:held_out]),
        GIVEN: sorted(order[held_out : 2 * held_out]),
    }
