"""Networks on graphs: free running, then scores."""

from __future__ import annotations

from collections.abc import Mapping

from algolens.evaluation.metrics import Scores, score
from algolens.execution import Run, execute
from algolens.models import Network, NetworkParts


def free_run(network: Network, truth: Run) -> Run:
    """The run of one seed's network on a trace's graphs: from the first state on, it sees only what it gave itself."""
    return execute(network.algorithm, truth.graph, truth.inputs, **NetworkParts(network).sockets)  # type: ignore[arg-type]


def evaluate(network: Network, tests: Mapping[int, Run]) -> dict[int, list[Scores]]:
    """The scores of every seed at every size."""
    device = network.device
    alone = [network.only(place) for place in range(len(network.seeds))]
    found: dict[int, list[Scores]] = {}
    for size, trace in tests.items():
        truth = trace.to(device)
        found[size] = [score(free_run(each, truth), truth, has_concepts=network.architecture.bottleneck) for each in alone]
    return found
