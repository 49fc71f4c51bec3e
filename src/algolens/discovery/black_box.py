"""A class with ``start`` and ``step`` in Python as an oracle: on one graph at a time."""

from __future__ import annotations

import dis
import inspect
import re
from collections.abc import Iterator, Mapping
from typing import Any

import networkx as nx
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Values
from algolens.data.small_graphs import DIRECTIONS
from algolens.discovery.oracle import (
    Episodes,
    Oracle,
    Schema,
    StepAnswer,
    episodes_of,
    joined_states,
    values_on,
)
from algolens.discovery.recorded import graph_with_inputs, plain_values, read_values
from algolens.errors import DefinitionError, UnknownNameError, brief
from algolens.graphs import Graph
from algolens.language.fields import NOWHERE, Field

MOST_STEPS = 10_000
READ = ("start", "step", "state", "inputs", "outputs", "graphs", "name")  # of a box


class BlackBox(Oracle):
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

    can_step = True

    def __init__(self, box: Any) -> None:
        try:
            self.box = box() if isinstance(box, type) else box
        except Exception as problem:  # it is another's code: any error in it is told
            raise DefinitionError(
                f"{box.__name__}() failed ({type(problem).__name__}: {brief(problem)}): a black "
                "box is made without arguments. In Python, give an object of the class."
            ) from problem
        self.called = called = type(self.box).__name__
        for method in ("start", "step"):
            if not callable(getattr(self.box, method, None)):
                raise DefinitionError(
                    f"{called} has no {method}(): a black box has start(graph) and step(graph, "
                    "state)."
                )
        for name in _unread(self.box):
            raise UnknownNameError(
                "attribute of a black box",
                name,
                READ,
                f" {called} has it, and none of its methods reads it: "
                + ("write graphs = 'directed'" if name == "directed" else "take it away")
                + ", or begin its name with _.",
            )
        state, inputs = getattr(self.box, "state", None), getattr(self.box, "inputs", {})
        if not isinstance(state, Mapping) or not state:
            raise DefinitionError(
                f'{called} names no state: write state = {{"visited": Node(mask)}}, say.'
            )
        for name, declared in {**inputs, **state}.items():
            if not isinstance(declared, Field) or declared.at == NOWHERE:
                said = f"a {declared.kind}" if isinstance(declared, Field) else repr(declared)
                raise DefinitionError(
                    f"{called} declares '{name}' as {said}: say where it sits, as in Node(mask)."
                )
        location = next(iter(state.values())).at
        outputs = getattr(self.box, "outputs", None) or [
            name for name, field in state.items() if field.at == location
        ]
        for name in outputs:
            if name not in state:
                raise DefinitionError(f"the output '{name}' is no state: name it in state.")
        graphs = str(getattr(self.box, "graphs", "undirected"))
        if graphs not in DIRECTIONS:
            raise UnknownNameError("kind of graphs of a black box", graphs, DIRECTIONS)
        words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", called).lower()
        self.schema = Schema(
            getattr(self.box, "name", words),
            state[outputs[0]].at,
            dict(inputs),
            dict(state),
            {name: state[name] for name in outputs},
            graphs=graphs,
        )

    def run(self, graph: Graph, inputs: Values) -> Episodes:
        # one after the other: a box may keep something to itself from its start on
        runs = [self._states(part, given) for part, given in self._alone(graph, inputs)]
        return episodes_of(self.schema, graph, inputs, runs)

    def begin(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        states = [self._first(part, given) for part, given in self._alone(graph, inputs)]
        return joined_states(self.schema, states, graph)

    def step(self, graph: Graph, inputs: Values, state: Values) -> StepAnswer:
        states, goes_on = [], []
        for number, (part, given) in enumerate(self._alone(graph, inputs)):
            before = values_on(self.schema.state, state, graph.take([number]))
            after = self._next(part, given, before)
            goes_on.append(after is not None)
            states.append(after or before)
        return StepAnswer(joined_states(self.schema, states, graph), torch.tensor(goes_on).long())

    def most_steps(self, graph: Graph) -> Tensor:
        return torch.full((graph.num_graphs,), MOST_STEPS)

    def _alone(self, graph: Graph, inputs: Values) -> Iterator[tuple[Graph, nx.Graph]]:
        """Each graph of a batch, and the same as the box sees it."""
        fields = self.schema.inputs
        for number in range(graph.num_graphs):
            part = graph.take([number])
            alone = values_on(fields, inputs, part)
            yield part.graph, graph_with_inputs(part.graph, fields, alone)

    def _states(self, graph: Graph, given: nx.Graph) -> list[dict[str, Tensor]]:
        states = [self._first(graph, given)]
        while after := self._next(graph, given, states[-1]):
            states.append(after)
            if len(states) > MOST_STEPS:
                raise DefinitionError(
                    f"{self.schema.name} takes more than {MOST_STEPS:,} steps on {graph}: let "
                    "step() give None where it has finished."
                )
        return states

    def _first(self, graph: Graph, given: nx.Graph) -> dict[str, Tensor]:
        return self._read(graph, self._call("start", given))

    def _next(self, graph: Graph, given: nx.Graph, state: Values) -> dict[str, Tensor] | None:
        """The state after another one; None where it has finished."""
        fields = self.schema.state.items()
        shown = {name: plain_values(field, state[name], graph) for name, field in fields}
        after = self._call("step", given, shown)
        return None if after is None else self._read(graph, after)

    def _call(self, method: str, *given: Any) -> Any:
        """What a method gives; what fails in it is told in a line."""
        try:
            return getattr(self.box, method)(*given)
        except Exception as problem:  # it is another's code: any error in it is told
            raise DefinitionError(
                f"{method}() of {self.called} failed ({type(problem).__name__}: "
                f"{brief(problem)}): correct it, or name the graphs that it takes (graphs = "
                "'directed')."
            ) from problem

    def _read(self, graph: Graph, state: Any) -> dict[str, Tensor]:
        fields = self.schema.state
        if not isinstance(state, Mapping):
            raise DefinitionError(
                f"{self.schema.name} gave a {type(state).__name__} as a state: give a mapping, "
                f"{{'{next(iter(fields))}': ...}}."
            )
        for name in state:
            if name not in fields:
                raise DefinitionError(
                    f"{self.schema.name} gave '{name}', which is no state: declare it in state."
                )
        return read_values(fields, state, graph, {node: node for node in range(graph.num_nodes)})


def _unread(box: object) -> list[str]:
    """Public attributes of a box that neither we nor its own methods read, such as ``directed``."""
    classes, read, kept = type(box).__mro__, {*READ}, {*getattr(box, "__dict__", {})}
    members = [value for cls in classes for value in vars(cls).values()]
    functions = [getattr(one, "__func__", getattr(one, "fget", one)) for one in members]
    codes = [one.__code__ for one in map(inspect.unwrap, functions) if inspect.isfunction(one)]
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
        for one in dis.get_instructions(code):
            if one.opname.startswith(("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER", "LOAD_CONST")):
                read.add(one.argval)
    for cls in classes:
        for name, value in vars(cls).items() if cls.__module__ == type(box).__module__ else ():
            # a method of an algorithm, such as sample(), would be taken to be called
            is_method = callable(value) or isinstance(value, classmethod)
            if not is_method or name in vars(Algorithm):
                kept.add(name)
    return sorted(name for name in kept - read if not name.startswith("_"))
