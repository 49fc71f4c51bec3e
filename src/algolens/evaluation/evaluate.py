"""Networks on graphs: free running, scores, and their means over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean, pstdev
from typing import Any

from msgspec import to_builtins
from torch import Tensor

from algolens.engines import Run, decides_by, goes_on_by, run_algorithm
from algolens.evaluation.metrics import Scores, mean_scores, shares
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase
from algolens.models import Network, NetworkParts

# elements times steps that are run and scored at once: some hundred megabytes, and on a GPU some
# gigabytes
ROOM, ROOM_ON_GPU = 2**23, 2**26


def in_portions(trace: Run, room: int = ROOM) -> Iterator[Run]:
    """A trace in portions of graphs of similar length, each as large as there is room for."""
    counts = trace.graph.counts(trace.algorithm.declaration.location)
    if trace.num_steps * int(counts.sum()) <= room:
        yield trace
        return
    portion: list[int] = []
    elements, order = 0, trace.lengths.argsort(stable=True)
    for graph, steps, count in zip(
        order.tolist(), trace.lengths[order].tolist(), counts[order].tolist(), strict=True
    ):
        if portion and steps * (elements + count) > room:
            yield trace.take(portion)
            portion, elements = [], 0
        portion.append(graph)
        elements += count
    yield trace.take(portion)


def free_run(network: Network, truth: Run) -> Run:
    """Run one seed's network on a trace's graphs: it sees only what it gave itself."""
    return _run(network, truth, NetworkParts(network).sockets)


def run_and_score(network: Network, truth: Run) -> list[Scores]:
    """Every seed's scores in free running on a trace's graphs."""
    return [mean_scores([seed]) for seed in _free_shares(network, truth)]


def _free_shares(network: Network, truth: Run) -> list[dict[str, dict[str, Tensor]]]:
    """The ``shares`` of every seed's free run; on a GPU all run at once, where they can."""
    seeds, graphs = range(len(network.seeds)), range(truth.graph.num_graphs)
    if not _runs_together(network):
        return [shares(free_run(network.only(place), truth), truth) for place in seeds]
    every, is_training = truth.take([*graphs] * len(seeds)), network.training
    run = _run(network, every, {**NetworkParts(network, together=True).sockets, "shrinks": False})
    network.train(is_training)
    together = shares(run, every)
    return [
        {
            metric: {name: x.view(len(seeds), -1)[place] for name, x in measured.items()}
            for metric, measured in together.items()
        }
        for place in seeds
    ]


def _runs_together(network: Network) -> bool:
    several, on_gpu = len(network.seeds) > 1, network.device.type != "cpu"
    return several and on_gpu and network.perceiver.runs_seeds


def rule_parts(network: Network, rule_set: RuleSet) -> dict[str, Any]:
    """Parts for a run by rules: the network sees, its rules decide and say when to go on."""
    declaration = network.algorithm.declaration
    parts = {"perceive": NetworkParts(network).perceive, "decide": decides_by(rule_set)}
    if declaration.terminates:
        parts["continues"] = goes_on_by(rule_set, declaration.location)
    return parts


def run_by_rules(network: Network, rule_set: RuleSet, truth: Run) -> Run:
    """Run by rules on a trace's graphs, over the concepts that one seed's network sees."""
    return _run(network, truth, rule_parts(network, rule_set))


def _run(network: Network, truth: Run, sockets: Mapping[str, Any]) -> Run:
    truth = truth.to(network.device)
    # inputs are checked again for other options, as fewer bits of a weight
    check = truth.algorithm != network.algorithm
    return run_algorithm(network.algorithm, truth.graph, truth.inputs, **sockets, check=check)


def score_network(
    network: Network,
    tests: Mapping[int, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None = None,
) -> dict[int, list[Scores]]:
    """Score every seed at every size.

    Parameters
    ----------
    network : Network
        With as many seeds as it has.
    tests : mapping of int to Run, or to an iterable of Run
        The true traces of each size, in one or in portions.
    rule_sets : sequence of RuleSet, optional
        The rules of each seed; where given, they decide over its concepts, and the metrics are
        those of runs by rules.

    Returns
    -------
    dict of int to list of Scores
        By size, the scores of each seed.
    """
    alone = [network.only(place) for place in range(len(network.seeds))]
    room = ROOM if network.device.type == "cpu" else ROOM_ON_GPU
    room = room // len(alone) if _runs_together(network) else room
    scores: dict[int, list[Scores]] = {}
    by = "" if rule_sets is None else " by its rules"
    for size, traces in tests.items():
        portions: list[list[dict[str, dict[str, Tensor]]]] = []
        at = f"at {size} nodes" if isinstance(size, int) else "on graphs of yours"
        with phase(f"scoring {network.algorithm.name}{by} {at}"):
            runs_at = [traces] if isinstance(traces, Run) else traces
            for trace in chain.from_iterable(in_portions(each, room) for each in runs_at):
                truth = trace.to(network.device)
                if rule_sets is None:
                    portions.append(_free_shares(network, truth))
                    continue
                pairs = zip(alone, rule_sets, strict=True)
                runs = (run_by_rules(seed, rule_set, truth) for seed, rule_set in pairs)
                portions.append([shares(run, truth, by_rules=True) for run in runs])
        scores[size] = [mean_scores(seed) for seed in zip(*portions, strict=True)]
    return scores


def seeds_summary(scores: Mapping[int, Sequence[Scores]]) -> dict[str, dict[str, Any]]:
    """By size and metric: percentages, and where there are several seeds, ``{"mean", "std"}``.

    Under 'spread', by metric: the standard deviation of single graphs within a typical seed.
    """
    return {
        str(size): _at_size([to_builtins(seed) for seed in seeds]) for size, seeds in scores.items()
    }


def _at_size(seeds: list[dict[str, Any]]) -> dict[str, Any]:
    summary: dict[str, Any] = {"graphs": seeds[0]["graphs"]}
    for name, first in seeds[0].items():
        if isinstance(first, Mapping) and name != "spread":
            summary[name] = {
                concept: _percent([seed[name][concept] for seed in seeds]) for concept in first
            }
        elif isinstance(first, float):
            summary[name] = _percent([seed[name] for seed in seeds])
    summary["spread"] = {
        name: 100 * math.sqrt(fmean(seed["spread"][name] ** 2 for seed in seeds))
        for name in seeds[0]["spread"]
    }
    return summary


def _percent(values: list[float]) -> Any:
    percent = [100 * value for value in values]
    return percent[0] if len(percent) == 1 else {"mean": fmean(percent), "std": pstdev(percent)}
