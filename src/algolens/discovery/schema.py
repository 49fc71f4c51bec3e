"""What is known of a black box: which fields it has, and runs of it. No concept, no rule."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Limit
from algolens.engines import Run
from algolens.errors import DefinitionError
from algolens.graphs import Graph, Recipe
from algolens.language import ir
from algolens.language.fields import Field, Location, Number

# whether graphs are directed, by what a black box takes
DIRECTIONS = {"undirected": (False,), "directed": (True,), "any": (False, True)}


@dataclass(frozen=True)
class Schema:
    """The fields of a black box, and the graphs that it takes.

    Parameters
    ----------
    name : str
        What the algorithm that is discovered will be called.
    location : Location
        Where its outputs sit.
    inputs : mapping of str to Field
        What it reads from a graph.
    state : mapping of str to Field
        What a step changes.
    outputs : mapping of str to Field
        What it gives after every step: fields of the state, and others that follow from it.
    outcomes : tuple of str
        What it tells of a whole graph in the end.
    graphs : str
        ``undirected``, ``directed`` or ``any``.
    most_steps : Limit, optional
        The most steps that it may take; None: not known.
    """

    name: str
    location: Location
    inputs: Mapping[str, Field]
    state: Mapping[str, Field]
    outputs: Mapping[str, Field]
    outcomes: tuple[str, ...] = ()
    only_where: Mapping[str, str] = field(default_factory=dict)
    endless: Mapping[str, str] = field(default_factory=dict)
    graphs: str = "undirected"
    most_steps: Limit | None = None
    loops_matter: bool = False
    parallel_edges_matter: bool = False
    recipe: Recipe = field(default_factory=Recipe)

    def __post_init__(self) -> None:
        for name, output in self.outputs.items():
            if output.location is not self.location:
                raise DefinitionError(
                    f"output '{name}' sits at the {output.location.value}, others at the "
                    f"{self.location.value}: give outputs of one location, and keep others in "
                    "state."
                )

    @property
    def decided(self) -> dict[str, Field]:
        """What a step decides: state and outputs, the state first."""
        return {**self.state, **self.outputs}

    @property
    def before(self) -> dict[str, Field]:
        """What statements may name: inputs that steps read, and the state."""
        inputs = {name: field for name, field in self.inputs.items() if not field.start_only}
        return {**inputs, **self.state}


def as_column(field: Field) -> ir.Field:
    """A field as statements speak of it."""
    kind = field.kind
    if isinstance(kind, Number):
        sizes = (kind.bits, kind.signed, None, kind.distinct, kind.low)
        return ir.Field(field.location.value, "number", (), *sizes, drawn=field.drawn)
    if kind.points_to is not None:
        return ir.Field(
            field.location.value,
            "pointer",
            to=kind.points_to.value,
            drawn=field.drawn,
            itself_is_none=kind.itself_is_none,
        )
    if kind.is_truth_value:
        return ir.Field(field.location.value, "mask", drawn=field.drawn)
    return ir.Field(field.location.value, "category", kind.labels, drawn=field.drawn)


@dataclass(frozen=True, eq=False)
class Episodes:
    """Runs of a black box on a batch of graphs, step by step."""

    graph: Graph
    inputs: Mapping[str, Tensor]
    # T + 1 frames of the state and of outputs; the first has the state alone
    frames: Sequence[Mapping[str, Tensor]]
    lengths: Tensor  # [G] steps taken
    # [T, G]: whether another step was wanted after this one; where it is not known, the last step
    # of a run cut short, -1
    asked: Tensor
    outcomes: Mapping[str, Tensor] = field(default_factory=dict)  # each [G]

    @classmethod
    def of(cls, run: Run) -> Episodes:
        """The fields of a run, without its concepts."""
        declaration = run.algorithm.declaration
        names = dict.fromkeys((*declaration.state, *declaration.outputs))
        later = [{name: run[name][step] for name in names} for step in range(run.num_steps)]
        return cls(
            run.graph,
            run.inputs,
            [dict(run.start), *later],
            run.lengths,
            run.goes_on.long()
            if declaration.terminates
            else torch.full_like(run.goes_on, -1, dtype=torch.long),
            run.outcomes,
        )


@dataclass(frozen=True)
class GraphSizes:
    """How many runs there were, and on how large graphs."""

    runs: int
    nodes: tuple[int, int]  # of the smallest and the largest graph
    degree: int  # the most edges at a node

    @classmethod
    def of(cls, episodes: Iterable[Episodes]) -> GraphSizes:
        """Those of some runs."""
        graphs = [some.graph for some in episodes]
        nodes = torch.cat([graph.node_counts for graph in graphs])
        degrees = [int(graph.edges.flatten().bincount(minlength=1).max()) for graph in graphs]
        return cls(len(nodes), (int(nodes.min()), int(nodes.max())), max(degrees))

    def __str__(self) -> str:
        """The graphs alone, without the number of runs."""
        least, most = self.nodes
        nodes = f"{most}" if least == most else f"{least} to {most}"
        return f"graphs of {nodes} nodes with at most {self.degree} edges at a node"


class RunTeacher(ABC):
    """A black box: a schema, and runs."""

    schema: Schema
    can_run = True  # whether it may be asked for more runs
    can_step = False  # and for a step from any state: a StepTeacher

    @abstractmethod
    def run(self, graph: Graph, inputs: Mapping[str, Tensor]) -> Episodes:
        """Its runs on a batch of graphs."""

    @abstractmethod
    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        """Random inputs for a batch of graphs."""
