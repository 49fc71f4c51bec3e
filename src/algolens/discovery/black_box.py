"""A class with ``start`` and ``step`` in Python as a teacher: on one graph at a time."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Iterator, Mapping
from types import CodeType
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data.small_graphs import drawn
from algolens.discovery.recorded import as_tensor, graph_with_inputs, plain_values
from algolens.discovery.teachers import (
    DIRECTIONS,
    Episodes,
    Schema,
    StepAnswer,
    StepTeacher,
    episode,
    joined_episodes,
    joined_states,
    values_on,
)
from algolens.errors import DefinitionError, UnknownNameError, brief
from algolens.graphs import Graph
from algolens.language.fields import Field

MOST_STEPS = 10_000
READ = ("start", "step", "state", "inputs", "outputs", "graphs", "name")  # of a box


class BlackBox(StepTeacher):
    """An object that begins and takes steps, of which nothing else is known.

    Parameters
    ----------
    box : object
        With ``state``, a mapping of names to fields, and two methods. ``start(graph)`` gives the
        first state, ``step(graph, state)`` the next one, or None where it has finished. The graph
        is NetworkX's, its nodes are 0, 1, ..., its attributes are the inputs. Values of a field are
        by node, or by edge. Optional: ``inputs``, ``outputs`` (names; by default, all that sits
        where the first does), ``graphs`` (``undirected``, the default, ``directed`` or ``any``) and
        ``name``. Any other attribute that no method of its own reads is refused.
    """

    def __init__(self, box: Any) -> None:
        try:
            self.box = box() if isinstance(box, type) else box
        except Exception as problem:  # it is another's code: any error in it is told
            raise DefinitionError(
                f"{box.__name__}() failed ({type(problem).__name__}: {brief(problem)}): a black "
                "box is made without arguments. In Python, give an object of the class."
            ) from problem
        for method in ("start", "step"):
            if not callable(getattr(self.box, method, None)):
                raise DefinitionError(
                    f"{type(self.box).__name__} has no {method}(): a black box has start(graph) "
                    "and step(graph, state)."
                )
        for name in _unread(self.box):
            raise UnknownNameError(
                "attribute of a black box",
                name,
                READ,
                f" {type(self.box).__name__} has it, and none of its methods reads it: "
                + ("write graphs = 'directed'" if name == "directed" else "take it away")
                + ", or begin its name with _.",
            )
        state = getattr(self.box, "state", None)
        if not isinstance(state, Mapping) or not state:
            raise DefinitionError(
                f"{type(self.box).__name__} names no state: write state = "
                '{"visited": at_node(Mask())}, say.'
            )
        for name, declared in {**getattr(self.box, "inputs", {}), **state}.items():
            if not isinstance(declared, Field):
                raise DefinitionError(
                    f"{type(self.box).__name__} declares '{name}' as {declared!r}: say where it "
                    "sits, as in at_node(Mask())."
                )
        location = next(iter(state.values())).location
        outputs = getattr(self.box, "outputs", None) or [
            name for name, field in state.items() if field.location is location
        ]
        missing = [name for name in outputs if name not in state]
        if missing:
            raise DefinitionError(f"the output '{missing[0]}' is no state: name it in state.")
        graphs = str(getattr(self.box, "graphs", "undirected"))
        if graphs not in DIRECTIONS:
            raise UnknownNameError("kind of graphs of a black box", graphs, DIRECTIONS)
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(self.box).__name__).lower()
        self.schema = Schema(
            name=getattr(self.box, "name", words),
            location=state[outputs[0]].location,
            inputs=dict(getattr(self.box, "inputs", {})),
            state=dict(state),
            outputs={name: state[name] for name in outputs},
            graphs=graphs,
        )

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        return drawn(self.schema.inputs, graph, rng)

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        # one after the other: a box may keep something to itself from its start on
        runs = [
            episode(part.graph, alone, self._states(part.graph, alone))
            for part in (graph.take([number]) for number in range(graph.num_graphs))
            for alone in [values_on(self.schema.inputs, inputs, part)]
        ]
        return joined_episodes(self.schema, runs, graph, inputs)

    def begin(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        states = []
        for number in range(graph.num_graphs):
            part = graph.take([number])
            alone = values_on(self.schema.inputs, inputs, part)
            given = graph_with_inputs(part.graph, self.schema.inputs, alone)
            states.append(self._read(part.graph, self._called("start", given)))
        return joined_states(self.schema, states, graph)

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        states, goes_on = [], torch.ones(graph.num_graphs, dtype=torch.long)
        for number in range(graph.num_graphs):
            part = graph.take([number])
            alone = values_on(self.schema.inputs, inputs, part)
            before = values_on(self.schema.state, state, part)
            given = graph_with_inputs(part.graph, self.schema.inputs, alone)
            after = self._called("step", given, self._shown(part.graph, before))
            goes_on[number] = after is not None
            states.append(before if after is None else self._read(part.graph, after))
        return StepAnswer(joined_states(self.schema, states, graph), goes_on)

    def most_steps(self, graph: Graph) -> Tensor:
        return torch.full((graph.num_graphs,), MOST_STEPS)

    def _states(self, graph: Graph, inputs: Values) -> list[dict[str, Tensor]]:
        given = graph_with_inputs(graph, self.schema.inputs, inputs)
        state, states = self._called("start", given), []
        while state is not None:
            states.append(self._read(graph, state))
            if len(states) > MOST_STEPS:
                raise DefinitionError(
                    f"{self.schema.name} takes more than {MOST_STEPS:,} steps on {graph}: let "
                    "step() give None where it has finished."
                )
            state = self._called("step", given, self._shown(graph, states[-1]))
        return states

    def _shown(self, graph: Graph, state: Values) -> dict[str, Any]:
        """A state as the box sees it."""
        return {
            name: plain_values(field, state[name], graph)
            for name, field in self.schema.state.items()
        }

    def _called(self, method: str, *given: Any) -> Any:
        """What a method gives; what fails in it is told in a line."""
        try:
            return getattr(self.box, method)(*given)
        except Exception as problem:  # it is another's code: any error in it is told
            raise DefinitionError(
                f"{method}() of {type(self.box).__name__} failed ({type(problem).__name__}: "
                f"{brief(problem)}): correct it, or name the graphs that it takes (graphs = "
                "'directed')."
            ) from problem

    def _read(self, graph: Graph, state: Mapping[str, Any]) -> dict[str, Tensor]:
        nodes = {node: node for node in range(graph.num_nodes)}
        if not isinstance(state, Mapping):
            raise DefinitionError(
                f"{self.schema.name} gave a {type(state).__name__} as a state: give a mapping, "
                f"{{'{next(iter(self.schema.state))}': ...}}."
            )
        unknown = [name for name in state if name not in self.schema.state]
        if unknown:
            raise DefinitionError(
                f"{self.schema.name} gave '{unknown[0]}', which is no state: declare it in state."
            )
        missing = [name for name in self.schema.state if name not in state]
        if missing:
            raise DefinitionError(
                f"{self.schema.name} gave no '{missing[0]}': give a value for all that state names."
            )
        return {
            name: as_tensor(name, field, state[name], graph, nodes)
            for name, field in self.schema.state.items()
        }


def _unread(box: object) -> Iterator[str]:
    """Public attributes of a box that neither we nor its own methods read, such as ``directed``."""
    codes = [
        code
        for cls in type(box).__mro__
        for value in vars(cls).values()
        for function in (getattr(value, "__func__", getattr(value, "fget", value)),)
        if isinstance(code := getattr(inspect.unwrap(function), "__code__", None), CodeType)
    ]
    read, kept = set(READ), set()
    for code in codes:
        codes += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        for one in dis.get_instructions(code):
            if one.opname == "STORE_ATTR":
                kept.add(one.argval)
            elif one.opname.startswith(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER", "LOAD_CONST")):
                read.add(one.argval)
    own = [cls for cls in type(box).__mro__ if cls.__module__ == type(box).__module__]
    for name, value in ((name, value) for cls in own for name, value in vars(cls).items()):
        # a method of an algorithm, such as sample(), would be taken to be called
        if not (callable(value) or isinstance(value, classmethod)) or name in vars(Algorithm):
            kept.add(name)
    yield from (n for n in sorted(kept - read) if not n.startswith("_") and hasattr(box, n))
