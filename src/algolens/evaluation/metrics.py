"""Every number the paper measures, and some more: defined here, once.

All compare a run with the true trace of the same graphs, graph by graph; a figure of a set is the
mean over its graphs, so that it does not depend on how graphs are batched. Accuracies are fractions
here, and percentages where they are shown.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import torch
from torch import Tensor

from algolens.evaluation.rightness import right_graphs
from algolens.execution import Run, perceive_truly
from algolens.graphs import Graph, Location

AT_ONCE = 2**22  # values that are averaged in one go


@dataclass(frozen=True)
class Scores:
    """The scores of a run on a set of graphs."""

    graphs: int
    mean_step: float  # outputs right, over the elements and the steps the run took
    last_step: float  # final outputs right, over the elements
    # go on or stop, right over the steps the run took; None where there is none to learn
    termination: float | None
    concepts_mean_step: float | None  # None where there are no concepts
    concepts_last_step: float | None
    per_concept_mean_step: Mapping[str, float]
    per_concept_last_step: Mapping[str, float]
    graphs_right_last: float  # share of graphs whose final outputs are right in every element
    # share of graphs right in every field of every step, hints included: see ``right_graphs``
    graphs_right: float
    # by name: the standard deviation of each over the graphs
    spread: Mapping[str, float] = field(default_factory=dict)

    def selection(self) -> float:
        """What a model is selected by, on validation: the mean of the accuracies that are there."""
        parts = [
            self.mean_step,
            self.last_step,
            self.termination,
            self.concepts_mean_step,
            self.concepts_last_step,
        ]
        there = [part for part in parts if part is not None]
        return sum(there) / len(there)


def score(run: Run, truth: Run) -> Scores:
    """Score a run.

    Parameters
    ----------
    run : Run
        A run of a network, or by rules.
    truth : Run
        The true trace of the same graphs.

    Returns
    -------
    Scores
        Means over the graphs, as fractions.
    """
    declaration, graph, steps = run.algorithm.declaration, run.graph, run.num_steps
    took, location = run.is_alive, declaration.location
    right = torch.ones(steps, graph.count(location), dtype=torch.bool, device=graph.device)
    last = torch.ones(graph.count(location), dtype=torch.bool, device=graph.device)
    for name, values in run.outputs.items():
        right &= values.dense() == _prolonged(truth.outputs[name].dense(), steps)
        last &= run.final(name) == truth.final(name)
    last_share = per_graph(last, graph, location)
    by_graph = {  # [G] each
        "mean_step": _over_steps(per_graph(right, graph, location), took),
        "last_step": last_share,
        "graphs_right_last": (last_share == 1).double(),
        "graphs_right": right_graphs(run, truth).double(),
    }
    if declaration.terminates:
        stops_right = run.goes_on == _prolonged(truth.goes_on, steps, after=False)
        by_graph["termination"] = _over_steps(stops_right.double(), took)
    means: dict[str, Any] = {name: float(shares.mean()) for name, shares in by_graph.items()}
    by_concept: dict[str, dict[str, float]] = {"mean_step": {}, "last_step": {}}
    for name, shares_of_concept in _concept_shares(run, truth) if run.has_concepts else ():
        for metric, shares in shares_of_concept.items():
            by_concept[metric][name] = float(shares.mean())
            part = shares / len(declaration.concepts)
            by_graph[f"concepts_{metric}"] = by_graph.get(f"concepts_{metric}", 0) + part
    for metric, figures in by_concept.items():
        means[f"concepts_{metric}"] = sum(figures.values()) / len(figures) if figures else None
        means[f"per_concept_{metric}"] = figures
    spread = {name: float(shares.std(correction=0)) for name, shares in by_graph.items()}
    return Scores(graphs=graph.num_graphs, **{"termination": None, **means}, spread=spread)


def _concept_shares(run: Run, truth: Run) -> Iterator[tuple[str, dict[str, Tensor]]]:
    """For each concept, [G] the share of each graph's elements that are right, by metric."""
    declaration, steps, took = run.algorithm.declaration, run.num_steps, run.is_alive
    for name, true in _true_concepts(truth, steps):
        seen = run.concepts[name].dense()
        in_steps = per_graph(seen == true, run.graph, declaration.location)
        # values are held after a graph's end, so the last row is each graph's own last step
        at_end = (
            seen[-1] == truth.concepts[name].last()
            if steps
            else torch.ones_like(truth.concepts[name].first)
        )
        yield (
            name,
            {
                "mean_step": _over_steps(in_steps, took),
                "last_step": per_graph(at_end, run.graph, declaration.location),
            },
        )


def joined_scores(portions: Sequence[Scores]) -> Scores:
    """The scores of all graphs, from those of portions of them."""
    if len(portions) == 1:
        return portions[0]
    total = sum(scores.graphs for scores in portions)

    def mean(values: Sequence[Any]) -> Any:
        if values[0] is None:
            return None
        if isinstance(values[0], Mapping):
            return {key: mean([value[key] for value in values]) for key in values[0]}
        weighted = zip(values, portions, strict=True)
        return sum(value * scores.graphs for value, scores in weighted) / total

    names = [field.name for field in fields(Scores) if field.name not in ("graphs", "spread")]
    means = {name: mean([getattr(scores, name) for scores in portions]) for name in names}
    spread = {}
    for name in portions[0].spread:
        squares = [
            scores.spread[name] ** 2 + (getattr(scores, name) - means[name]) ** 2
            for scores in portions
        ]
        spread[name] = math.sqrt(mean(squares))
    return Scores(graphs=total, **means, spread=spread)


def per_graph(values: Tensor, graph: Graph, location: Location) -> Tensor:
    """[..., G] the mean of values [..., N] over each graph's elements; 1 where it has none."""
    owner = graph.owner(location)
    rows = values.flatten(0, -2) if values.dim() > 1 else values[None]
    sums = torch.zeros(len(rows), graph.num_graphs, dtype=torch.float64, device=values.device)
    # some rows at a time: in double precision, all steps of a long run on a large graph would fill
    # the memory
    at_once = max(1, AT_ONCE // max(rows.shape[1], 1))
    for part, total in zip(rows.split(at_once), sums.split(at_once), strict=True):
        total.index_add_(-1, owner, part.double())
    sums = sums.view(*values.shape[:-1], graph.num_graphs)
    counts = graph.counts(location)
    return torch.where(counts > 0, sums / counts.clamp(min=1), 1.0)


def _over_steps(values: Tensor, took: Tensor) -> Tensor:
    """[G] the mean over the steps each graph took; 1 where it took none."""
    steps = took.sum(0)
    return torch.where(steps > 0, (values * took).sum(0) / steps.clamp(min=1), 1.0)


def _prolonged(values: Tensor, steps: int, *, after: bool | None = None) -> Tensor:
    """[steps, ...] the trace as if it went on so long: its last row again, or a value."""
    if len(values) >= steps:
        return values[:steps]
    more = values[-1:].expand(steps - len(values), *values.shape[1:])
    return torch.cat([values, more if after is None else torch.full_like(more, after)])


def _true_concepts(truth: Run, steps: int) -> Iterator[tuple[str, Tensor]]:
    """Each true concept, [steps, N]; after a graph's end, that of its final state."""
    declaration = truth.algorithm.declaration
    final = {name: truth.final(name) for name in declaration.state}
    resting = perceive_truly(truth.algorithm)(truth.graph, truth.inputs, final, None).concepts
    lengths = truth.lengths[truth.graph.owner(declaration.location)]
    ended = torch.arange(steps, device=lengths.device)[:, None] >= lengths
    for (name, over_time), at_rest in zip(truth.concepts.items(), resting.unbind(1), strict=True):
        yield name, torch.where(ended, at_rest, _prolonged(over_time.dense(), steps))
