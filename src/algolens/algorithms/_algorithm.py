"""What every algorithm is: a declaration and three small functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self, dataclass_transform

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms._declaration import Declaration
from algolens.algorithms._inputs import attributes_at, read_inputs
from algolens.errors import DefinitionError
from algolens.fields import Field, Number
from algolens.graphs import Graph, Recipe
from algolens.logic.names import objection

Values = Mapping[str, Tensor]  # fields by name


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Algorithm(ABC):
    """A classical algorithm, step by step, on whole batches of graphs at once.

    A subclass is one file. It declares its fields, what it sees, its rules and its start (``declare``); all else follows.
    What the language of looks cannot say is written in Python: ``start`` and ``perceive``. Annotated class attributes are its
    options, as in a frozen dataclass. A declaration that contradicts itself is refused when the class is defined.
    """

    name: ClassVar[str]
    recipe: ClassVar[Recipe] = Recipe()
    graphs: ClassVar[Literal["undirected", "directed", "any"]] = "undirected"  # on which graphs it makes sense

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, kw_only=True)(cls)
        if cls.declare is Algorithm.declare:
            raise DefinitionError(f"algorithm {cls.__name__} has no declare(): write one ({Algorithm.declare.__doc__})")
        if not getattr(cls, "name", ""):
            raise DefinitionError(f'algorithm {cls.__name__} has no name: write name = "{cls.__name__.lower()}" in the class.')
        wrong = objection(cls.name)
        if wrong is not None:
            raise DefinitionError(f"{cls.name!r} cannot name algorithm {cls.__name__}: {wrong}")
        cls._checked()

    @classmethod
    def _checked(cls) -> None:
        try:
            algorithm = cls()
            for method in ("start", "perceive"):
                if algorithm.declaration.seen is None and getattr(cls, method) is getattr(Algorithm, method):
                    raise DefinitionError(
                        f"there is no look, and no {method}() in Python: declare what is seen in look, or write {method}()."
                    )
        except DefinitionError as problem:
            raise DefinitionError(f"algorithm '{cls.name}': {problem}") from problem

    def __post_init__(self) -> None:
        _ = self.declaration

    @abstractmethod
    def declare(self) -> Declaration:
        """Its fields and its true rules."""

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        """The first state: a tensor for each state field. Unless overridden, as declared."""
        assert self.declaration.seen is not None
        return self.declaration.seen.first_state(graph, inputs)

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        """The true concepts and hints in any state, reached or not: a tensor for each. Unless overridden, as declared."""
        assert self.declaration.seen is not None
        return self.declaration.seen.on(graph)(inputs, state)

    @property
    def is_declared(self) -> bool:
        """Whether all that it sees is declared as statements, so that a network for it can be proven right."""
        return self.declaration.seen is not None

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        """Random inputs for graphs; unless overridden, each drawn as its kind draws."""
        return {name: field.kind.draw(graph, field.location, rng) for name, field in self.declaration.inputs.items()}

    def max_steps(self, graph: Graph) -> Tensor:
        """[G] the steps it takes where it has no rule for going on, and the most it may take where it has one."""
        return graph.node_counts

    def reference(self, graph: nx.Graph, inputs: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """What a trusted implementation gives on one graph; None where there is none. ``algolens check`` compares it.

        graph: nodes 0, 1, ..., with what is read at nodes and edges as attributes. inputs: what the graph has one of, as
        ``source``, a node. To give: for outputs and outcomes, as many as it knows, a value for each node, or each edge (u, v);
        of an outcome, the value. What a node is left out of is false, or None.
        """
        return None

    @cached_property
    def declaration(self) -> Declaration:
        """What ``declare`` gave, checked."""
        return self.declare()

    @property
    def options(self) -> dict[str, Any]:
        """Its options by name."""
        return asdict(self)  # type: ignore[call-overload]

    def check(self, graph: Graph, inputs: Values) -> None:
        """Raises a GraphError where it cannot run on a user's inputs; unless overridden, it can on all."""
        return

    def with_room_for(self, graph: Graph) -> Self:
        """Itself, with as many ``bits`` as a graph needs where the declared ones are too few."""
        bits = self.options.get("bits")
        needed = max((_bits_needed(graph, name, field) for name, field in self.declaration.inputs.items()), default=0)
        return self if bits is None or needed <= bits else replace(self, bits=needed)  # type: ignore[type-var]

    def read(
        self, graph: Graph, rng: np.random.Generator, *, draw_all: bool = False, **arguments: Any
    ) -> tuple[dict[str, Tensor], list[str]]:
        """Inputs for one graph of a user: from the arguments, the graph's attributes, or drawn; and what to tell the user.

        draw_all: draw also what a user's graph must carry, as for a graph of a random family.
        arguments: for inputs that a whole graph has one of: the name of a node (``source="Amsterdam"``), a class, a number.
        """
        return read_inputs(self, graph, rng, arguments, draw_all=draw_all)


def _bits_needed(graph: Graph, name: str, field: Field) -> int:
    if not isinstance(field.kind, Number) or not field.kind.distinct:
        return 0
    if field.kind.distinct == "graph" or name in attributes_at(graph, field.location):
        most = int(graph.counts(field.location).max())
    else:
        most = int(torch.bincount(graph.edges.flatten(), minlength=1).max()) + 1
    return (most + field.kind.low - 1).bit_length()
