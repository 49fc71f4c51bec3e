"""Wrong decisions: an algorithm that errs by chance, and runs that contradict one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.discovery.schema import AlgorithmTeacher, Episodes, Schema
from algolens.discovery.situations import Block, _unrolled
from algolens.execution import decides_by
from algolens.fields import Field, Location, Mask


class NoisyTeacher(AlgorithmTeacher):
    """An algorithm whose outputs are wrong now and then; it goes on from what it gave.

    Outputs are those that rules decide: masks and classes. A wrong mask is turned, a wrong class is
    one of the others.

    Parameters
    ----------
    algorithm : Algorithm
        What is run.
    share : float
        How often an output of an element is wrong in a step.
    seed : int
        Of what is wrong.
    """

    def __init__(self, algorithm: Algorithm, share: float, seed: int = 0) -> None:
        declaration = algorithm.declaration
        true = decides_by(declaration.rule_set)
        rng = np.random.default_rng(seed)

        def decide(concepts: Tensor) -> dict[str, Tensor]:
            return {name: self._wrong(name, value, rng) for name, value in true(concepts).items()}

        super().__init__(algorithm, {"decide": decide})
        self.share = share

    def _wrong(self, name: str, values: Tensor, rng: np.random.Generator) -> Tensor:
        kind = self.schema.outputs[name].kind
        size = 2 if isinstance(kind, Mask) else len(kind.labels)
        shift = torch.from_numpy(rng.integers(1, max(size, 2), len(values)))
        is_wrong = torch.from_numpy(rng.random(len(values)) < self.share)
        turned = (values.long() + shift) % size
        return torch.where(is_wrong, turned.to(values.dtype), values)


def contradictions(schema: Schema, episodes: Sequence[Episodes]) -> int:
    """States of one graph that came up before, and were followed by another one then."""
    followed: dict[bytes, bytes] = {}
    count = 0
    for some in episodes:
        block = _unrolled(schema, some)
        befores = _by_graph(block, block.values, schema.before)
        afters = _by_graph(block, block.after, schema.decided)
        for graph in np.flatnonzero(block.has_step.numpy()):
            before, after = befores[graph], afters[graph]
            count += followed.setdefault(before, after) != after
    return count


def _by_graph(
    block: Block, values: Mapping[str, Tensor], fields: Mapping[str, Field]
) -> list[bytes]:
    """Of each graph, its edges and the values of fields on it."""
    graph = block.graph
    ends = graph.edges - graph.first(Location.NODE)[graph.owner(Location.EDGE)]
    columns = [(Location.EDGE, ends.T)]
    columns += [(fields[name].location, value) for name, value in values.items()]
    parts: list[list[bytes]] = [[bytes([graph.directed])] for _ in range(graph.num_graphs)]
    for location, value in columns:
        owner = graph.owner(location).numpy()
        order = np.argsort(owner, kind="stable")
        cuts = np.searchsorted(owner[order], np.arange(1, graph.num_graphs))
        for number, part in enumerate(np.split(value.numpy()[order], cuts)):
            parts[number].append(b"%d:" % len(part) + part.tobytes())
    return [b"|".join(part) for part in parts]
