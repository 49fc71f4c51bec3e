"""Runs on random graphs of mixed sizes and densities, with ties among their numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import torch
from torch import Tensor

from algolens.arrays import all_to
from algolens.data.small_graphs import with_ties_and_extremes
from algolens.errors import AlgoLensError, DefinitionError
from algolens.graphs import Graph
from algolens.language.fields import Field

ATTEMPTS = 20  # at a graph that is taken
DEGREES = (1.0, 3.5)  # about so many edges at a node

Made = TypeVar("Made")


@dataclass(frozen=True)
class RandomRuns(Generic[Made]):
    """Runs of an algorithm, or of a black box, on random graphs.

    Parameters
    ----------
    inputs : mapping of str to Field
        What it reads from a graph.
    directed : tuple of bool
        Whether its graphs are directed.
    sample : callable
        Draws its inputs for a batch of graphs.
    run : callable
        Its run on a batch of graphs.
    rng : Generator
        For graphs and inputs.
    """

    inputs: Mapping[str, Field]
    directed: tuple[bool, ...]
    sample: Callable[[Graph, np.random.Generator], dict[str, Tensor]]
    run: Callable[[Graph, Mapping[str, Tensor]], Made]
    rng: np.random.Generator

    def many(
        self, count: int, sizes: tuple[int, int], joined: tuple[float, float] | None = None
    ) -> Iterator[Made]:
        """Runs on so many graphs, all together where it takes them all.

        joined: the share of pairs of nodes with an edge; by default, a node has few edges.
        """
        for way in self.directed:
            wanted = -(-count // len(self.directed))
            graphs = [random_graph(sizes, way, self.rng, joined=joined) for _ in range(wanted)]
            together = self.on(Graph.join(graphs))
            if together is not None:
                yield together
                continue
            for _ in range(ATTEMPTS * wanted):  # it takes only some graphs
                alone = self.on(random_graph(sizes, way, self.rng, joined=joined))
                if alone is not None:
                    wanted -= 1
                    yield alone
                if not wanted:
                    break

    def on(self, graph: Graph) -> Made | None:
        """A run with random inputs; None where it does not take them."""
        way = torch.from_numpy(self.rng.integers(0, 2, graph.num_graphs))
        try:
            inputs = all_to(self.sample(graph, self.rng), graph.device)
            inputs = with_ties_and_extremes(self.inputs, graph, inputs, way, self.rng)
            return self.run(graph, inputs)
        except DefinitionError:  # what is wrong with the algorithm itself
            raise
        except AlgoLensError:
            return None


def random_graph(
    sizes: tuple[int, int],
    directed: bool,
    rng: np.random.Generator,
    degrees: tuple[float, float] = DEGREES,
    joined: tuple[float, float] | None = None,
) -> Graph:
    """A graph of a random number of nodes between two, and of a random density."""
    nodes = int(rng.integers(sizes[0], sizes[1] + 1))
    pairs = np.argwhere(np.tri(nodes, k=-1, dtype=bool))
    drawn = rng.random(len(pairs))
    share = rng.uniform(*degrees) / nodes if joined is None else rng.uniform(*joined)
    kept = pairs[drawn < share]
    names = rng.permutation(nodes)
    turned = rng.random(len(kept)) < (0.5 if directed and rng.random() < 0.5 else 0.0)
    kept = np.where(turned[:, None], kept[:, ::-1], kept)
    return Graph.pack([nodes], names[kept].reshape(-1, 2), directed=directed).to("cpu")
