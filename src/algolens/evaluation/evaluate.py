"""Networks on graphs: free running, scores, and their means over seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from statistics import fmean, pstdev
from typing import Any

from algolens.algorithms import check_inputs
from algolens.evaluation.metrics import Scores, joined_scores, score
from algolens.execution import Continues, Decide, Perceive, Run, goes_on_by, run_trusted
from algolens.logic.rule_set import RuleSet
from algolens.models import Network, NetworkParts

ROOM = 2**23  # elements times steps that are run and scored at once: some hundred megabytes


def in_portions(trace: Run, room: int = ROOM) -> Iterator[Run]:
    """A trace in portions of graphs that take about as many steps, each as large as there is room
    for, or one graph.
    """
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
    """The run of one seed's network on a trace's graphs: from the first state on, it sees only what
    it gave itself.
    """
    return _run(network, truth, **NetworkParts(network).sockets)  # type: ignore[arg-type]


def rule_parts(network: Network, rule_set: RuleSet) -> dict[str, object]:
    """What fits the loop's sockets for a run by rules: the network sees, its rule set decides and
    says when to go on.
    """
    declaration = network.algorithm.declaration
    continues = (
        {"continues": goes_on_by(rule_set, declaration.location)} if declaration.terminates else {}
    )
    return {"perceive": NetworkParts(network).perceive, "decide": rule_set.decide, **continues}


def run_by_rules(network: Network, rule_set: RuleSet, truth: Run) -> Run:
    """The run by a rule set, over the concepts that one seed's network sees, on a trace's
    graphs.
    """
    return _run(network, truth, **rule_parts(network, rule_set))  # type: ignore[arg-type]


def _run(
    network: Network,
    truth: Run,
    perceive: Perceive,
    decide: Decide,
    continues: Continues | None = None,
) -> Run:
    if truth.algorithm != network.algorithm:
        # of other options, as many bits of a weight
        check_inputs(network.algorithm, truth.graph, truth.inputs)
    return run_trusted(
        network.algorithm,
        truth.graph,
        truth.inputs,
        perceive=perceive,
        decide=decide,
        continues=continues,
    )


def score_network(
    network: Network,
    tests: Mapping[int, Run | Iterable[Run]],
    rule_sets: Sequence[RuleSet] | None = None,
) -> dict[int, list[Scores]]:
    """The scores of every seed at every size: of the network, or with each seed's rule set deciding
    over its concepts.

    tests: the true traces of each size, in one or in portions.
    """
    alone = [network.only(place) for place in range(len(network.seeds))]
    found: dict[int, list[Scores]] = {}
    for size, traces in tests.items():
        portions: list[list[Scores]] = []
        for trace in in_portions(traces) if isinstance(traces, Run) else traces:
            truth = trace.to(network.device)
            runs = (
                free_run(each, truth)
                if rule_sets is None
                else run_by_rules(each, rule_sets[place], truth)
                for place, each in enumerate(alone)
            )
            portions.append([score(run, truth) for run in runs])
        found[size] = [joined_scores(seed) for seed in zip(*portions, strict=True)]
    return found


FORMULA_METRICS = ("mean_step", "last_step", "termination", "graphs_right_last", "graphs_right")


def seeds_summary(scores: Mapping[int, Sequence[Scores]]) -> dict[str, dict[str, Any]]:
    """By size and metric: percentages, ``{"mean", "std"}`` each when there are several seeds (of
    the population).

    Under 'spread', by metric, how far single graphs lie from a seed's mean: the standard deviation,
    of a typical seed.
    """
    return {str(size): _at_size([asdict(each) for each in seeds]) for size, seeds in scores.items()}


def formula_summary(scores: Mapping[int, Sequence[Scores]]) -> dict[str, dict[str, Any]]:
    """The same of runs by rules, under the names of the formula metrics."""
    found = seeds_summary(scores)
    return {
        size: {"graphs": values["graphs"]}
        | {f"formula_{name}": values[name] for name in FORMULA_METRICS if name in values}
        | {
            "spread": {
                f"formula_{name}": each
                for name, each in values["spread"].items()
                if name in FORMULA_METRICS
            }
        }
        for size, values in found.items()
    }


def _at_size(seeds: list[dict[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {"graphs": seeds[0]["graphs"]}
    for name, first in seeds[0].items():
        if name in ("graphs", "spread") or first is None:
            continue
        if isinstance(first, Mapping):
            result[name] = {
                concept: _percent([each[name][concept] for each in seeds]) for concept in first
            }
        else:
            result[name] = _percent([each[name] for each in seeds])
    names = seeds[0]["spread"]
    result["spread"] = {
        name: 100 * math.sqrt(fmean(each["spread"][name] ** 2 for each in seeds)) for name in names
    }
    return result


def _percent(values: list[float]) -> Any:
    percent = [100 * value for value in values]
    return percent[0] if len(percent) == 1 else {"mean": fmean(percent), "std": pstdev(percent)}
