"""Where a run first goes wrong."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from algolens.evaluation.metrics import per_graph
from algolens.execution import Run
from algolens.fields import Kind, Location
from algolens.graphs import Graph


@dataclass(frozen=True)
class Mistake:
    """The first mistake of a run on one graph: of its first wrong step, the first wrong field, concepts before outputs."""

    graph: int  # which one of the batch
    nodes: int  # of that graph
    step: int  # from 1 on
    field: str  # a concept, an output, or 'going on'
    element: int | None  # the node's or edge's place in its graph; None where the whole graph is meant
    wrong: int  # how many elements are wrong in that field at that step
    found: str
    true: str

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return asdict(self)


def first_mistakes(run: Run, truth: Run, most: int = 10) -> tuple[int, list[Mistake]]:
    """How many graphs are wrong in some concept or output of some step, or in when they stop; and some's first mistakes."""
    declaration, graph = run.algorithm.declaration, run.graph
    steps = min(run.num_steps, truth.num_steps)
    both = run.is_alive[:steps] & truth.is_alive[:steps]  # [T, G]
    names = (*(declaration.concepts if run.has_concepts else ()), *declaration.outputs)
    fields = {name: run[name][:steps] != truth[name][:steps] for name in names}
    wrong = torch.stack([(per_graph(each, graph, declaration.location) > 0) & both for each in fields.values()])  # [F, T, G]
    stops = ((run.goes_on[:steps] != truth.goes_on[:steps]) & both)[None]
    every = torch.cat([wrong, stops])
    graphs = every.any(0).any(0).nonzero().flatten()
    found = []
    for number in graphs[:most].tolist():
        step = int(every[:, :, number].any(0).nonzero()[0])
        place = int(every[:, step, number].nonzero()[0])
        found.append(_described(run, truth, number, step, (*fields, "going on")[place]))
    return len(graphs), found


def _told(kind: Kind, values: Tensor, graph: Graph, location: Location, place: int) -> str:
    value = kind.labels[int(values[place])] if kind.labels else kind.shown(values, graph, location)[place]
    return "none" if value is None else str(value)


def _described(run: Run, truth: Run, number: int, step: int, field: str) -> Mistake:
    graph, declaration = run.graph, run.algorithm.declaration
    nodes = int(graph.node_counts[number])
    if field == "going on":
        told = [str(bool(each.goes_on[step, number])) for each in (run, truth)]
        return Mistake(number, nodes, step + 1, field, None, 1, *told)
    inside = graph.owner(declaration.location) == number
    mine, true = run[field][step][inside], truth[field][step][inside]
    places = (mine != true).nonzero().flatten()
    kind, at = declaration.predicted[field].kind, int(inside.nonzero()[places[0]])
    told = [_told(kind, each[field][step], graph, declaration.location, at) for each in (run, truth)]
    return Mistake(number, nodes, step + 1, field, int(places[0]), len(places), *told)
