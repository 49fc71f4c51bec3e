"""A network in the loop as a teacher: its own decisions are the labels, right or wrong."""

from __future__ import annotations

from dataclasses import replace

import torch

from algolens.algorithms import Values
from algolens.discovery.teachers import AlgorithmTeacher, Episodes
from algolens.engines import run_algorithm
from algolens.graphs import Graph
from algolens.models import Network, NetworkParts


class NetworkTeacher(AlgorithmTeacher):
    """The network of one seed as a black box; what it was taught is not looked at.

    Parameters
    ----------
    network : Network
        A network of one seed, of any preset, or a module of a user's.
    """

    def __init__(self, network: Network) -> None:
        self.network = network.on_cpu()  # situations are looked at there
        self.parts = NetworkParts(self.network)
        super().__init__(network.algorithm)
        if not network.perceiver.takes_directed and self.schema.graphs == "any":
            self.schema = replace(self.schema, graphs="undirected")

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        with torch.no_grad():
            run = run_algorithm(
                self.algorithm, graph, inputs, kernel="tensor", **self.parts.sockets
            )
        return Episodes.of(run)
