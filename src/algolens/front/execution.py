"""One run on one graph, by the names that its user gave: what came of it, every step, and why."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import networkx as nx
from rich.console import RenderableType
from rich.text import Text

from algolens.errors import AlgoLensError
from algolens.execution import Run, run_trusted
from algolens.fields import Kind, Pointer
from algolens.front.arguments import element_of, path_of, whole_number
from algolens.front.by import By
from algolens.front.display import Shown
from algolens.front.given_graph import GivenGraph
from algolens.front.results import ByElement, Outputs
from algolens.front.task import cut_short, verdict
from algolens.graphs import Location, to_networkx
from algolens.player.data import Side
from algolens.player.page import player_page, write_page
from algolens.terminal.names import element_name, value_in_words
from algolens.terminal.outcome import count_in_words, outcome_summary
from algolens.terminal.reasons import StepSeen
from algolens.terminal.steps import because, steps

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Execution(Shown):
    """What ``al.execute`` gives. ``print`` shows what came of it, ``.table()`` every step,
    ``al.play`` plays it.

    Nodes go by what the user calls them: by their own objects in NetworkX, by number in PyTorch
    Geometric and SciPy, by the cells of a table, and by name in a file. Steps are counted from 1,
    and from the end with -1.
    """

    side: Side
    given: GivenGraph
    notes: tuple[str, ...]  # what to know of it: what was drawn at random, say
    is_the_algorithm: bool  # nothing stood in the algorithm's place, and nothing was set by hand

    @property
    def run(self) -> Run:
        """The run itself: every field over time, as tensors."""
        return self.side.run

    @property
    def by(self) -> str:
        """What carried it out: algorithm, network, layers, rules or rules-alone."""
        return self.side.by

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self.run.algorithm.name

    @property
    def steps(self) -> int:
        """How many steps it took."""
        return self.run.num_steps

    @property
    def is_cut_short(self) -> bool:
        """Whether it asked for another step when it had taken the most that it may: what came of it
        is then not final.
        """
        return bool(self.run.is_cut_short[0])

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes, as the user calls them."""
        return self.given.nodes

    @cached_property
    def elements(self) -> tuple[Any, ...]:
        """What concepts and outputs sit at: the nodes, or the edges as pairs of nodes."""
        if self._location is Location.NODE:
            return self.nodes
        return tuple((self.nodes[u], self.nodes[v]) for u, v in self.run.graph.edges.T.tolist())

    @property
    def _location(self) -> Location:
        return self.run.algorithm.declaration.location

    # ---- what came of it

    @cached_property
    def result(self) -> Mapping[str, Mapping[Any, Any]]:
        """What came of it: for each output, its value at each node (or edge) when all was done.

        A class is its label, a pointer the node that it points to, a number as the user counts,
        None where there is none.
        """
        what, directed = self._location.value, self.run.graph.directed
        values = {
            name: dict(zip(self.elements, self._shown(name), strict=True))
            for name in self.run.outputs
        }
        return Outputs(
            self.algorithm,
            {name: ByElement(each, what, directed=directed) for name, each in values.items()},
        )

    @property
    def outcomes(self) -> dict[str, bool]:
        """What was found of the whole graph, where the algorithm declares such: whether it is
        bipartite, say.
        """
        return {name: bool(value[0]) for name, value in self.run.outcomes.items()}

    def _shown(self, name: str, step: int | None = None) -> list[Any]:
        kind = self.run.algorithm.declaration.outputs[name]
        values = self.run.shown(name, step)
        return [self._as_given(value) for value in values] if _points_to_nodes(kind) else values

    def _as_given(self, name: str | None) -> Any:
        return None if name is None else self.nodes[self.run.graph.place_of[name]]

    # ---- beside the algorithm itself

    @property
    def agrees(self) -> bool:
        """Whether it is the algorithm's own run, in every step, in all that can be compared."""
        return self.side.mistake is None

    @property
    def first_difference(self) -> str | None:
        """Where it first differs from the algorithm's own run, in a sentence; None where it does
        not.
        """
        return None if self.side.mistake is None else verdict(self.run, self.side.mistake)

    @cached_property
    def truth(self) -> Execution:
        """The run of the algorithm itself on the same graph and inputs: ``al.play(execution,
        execution.truth)`` shows both.
        """
        if self.is_the_algorithm:
            return self
        run, own = (
            run_trusted(self.run.algorithm, self.run.graph, self.run.inputs),
            self.run.algorithm.declaration.rule_set,
        )
        side = Side(By.ALGORITHM.value, run, own)
        notes = [note for note in self.notes if note not in cut_short(self.side)]
        return Execution(side, self.given, (*notes, *cut_short(side)), True)

    # ---- every step

    def to_pandas(self) -> pd.DataFrame:
        """A table with a row for each step and each node (or edge): concepts, outputs after the
        step, and why.

        An edge has the columns source and target. The columns ``because_OUTPUT`` hold the part of
        the rule that fired.
        """
        pd = _pandas()
        run, declaration = self.run.with_trace(), self.run.algorithm.declaration
        count, places = self.steps, range(len(self.elements))
        columns: dict[str, list[Any]] = {
            "step": [step + 1 for step in range(count) for _ in places]
        }
        if self._location is Location.NODE:
            columns["node"] = list(self.nodes) * count
        else:
            columns |= {
                end: [pair[i] for pair in self.elements] * count
                for i, end in enumerate(("source", "target"))
            }
        if run.has_concepts:
            columns |= {name: run[name].flatten().tolist() for name in declaration.concepts}
        columns |= {
            name: [value for step in range(count) for value in self._shown(name, step)]
            for name in run.outputs
        }
        if run.has_concepts:
            for name in self.side.rule_set.rules:
                columns[f"because_{name}"] = self._reasons(name)
        return pd.DataFrame(columns)

    def _reasons(self, output: str) -> list[str]:
        """Why an output is as it is, in every step at every element; found once for what was seen
        and decided.
        """
        run, count = self.run, len(self.elements)
        known: dict[tuple[Any, ...], str] = {}
        found = []
        for i, seen in enumerate(
            zip(
                run.outputs[output].flatten().tolist(),
                *run.concepts.flatten(0, 1).T.tolist(),
                strict=True,
            )
        ):
            if seen not in known:
                known[seen] = because(run, i // count, i % count, output, self.side.rule_set)
            found.append(known[seen])
        return found

    def to_networkx(self) -> nx.Graph:
        """The graph as it was read, with what came of it as attributes of nodes (or edges), and
        outcomes as the graph's own.
        """
        graph = to_networkx(self.run.graph)
        graph = nx.relabel_nodes(graph, dict(zip(list(graph), self.nodes, strict=True)))
        put = nx.set_node_attributes if self._location is Location.NODE else nx.set_edge_attributes
        for name, values in self.result.items():
            put(graph, values, name)
        graph.graph.update(self.outcomes)
        return graph

    def explain(self, element: Hashable, step: int = -1) -> str:
        """Why a node (or an edge, a pair of nodes) is as it is after a step: a line for each
        output, and for each concept.

        Of an output, the part of its rule that fired, or how it moved. Of a concept, its statement
        and who makes it so.
        """
        place, number = element_of(element, self.run.algorithm, self.run.graph), self._step(step)
        return "\n".join(_explained(self, place, number - 1))

    # ---- pictures

    @cached_property
    def places(self) -> Mapping[int, tuple[float, float]]:
        """Where each node is drawn, by its number, an edge being about 1 long."""
        from algolens.front.pictures import laid_out_places

        return laid_out_places(self.run)

    def plot(self, step: int = -1, *, axes: Axes | None = None) -> Axes:
        """Draws the graph after a step (0: at the start) on Matplotlib's axes; on new ones where
        none are given.
        """
        from algolens.front.pictures import plot

        return plot(self, self._step(step, first=0), axes)

    def animate(self, *, seconds: float = 0.8) -> FuncAnimation:
        """Every step as an animation of Matplotlib, each so many seconds long; a notebook shows it
        with ``to_jshtml()``.
        """
        from algolens.front.pictures import animate

        self.run.with_trace()
        return animate(self, seconds)

    def table(self, *, everything: bool = False) -> str:
        """Every step as the command shows it. everything: also what does not change."""
        return str(_Steps(self, everything))

    def save_html(self, path: str | Path) -> Path:
        """Writes a page that plays it in a browser: one file, which needs nothing else. Over what
        is no such page, nothing.
        """
        place = path_of(path, "save_html")
        write_page(place, self.page())
        return place

    def page(self, *others: Execution, compact: bool = False) -> str:
        """The page that plays it, and others beside it, in HTML. compact: for a frame inside
        another page.
        """
        return player_page(
            [self.side, *(each.side for each in others)], self.given.name, compact=compact
        )

    def _step(self, step: int, first: int = 1) -> int:
        """A step as it is counted from 1; negative ones from the end."""
        self.run.with_trace()
        given = whole_number(step)
        if given is None:
            raise AlgoLensError(
                f"step {step!r} is no step: give a whole number, from 1 on, or -1 for the last."
            )
        number = given + self.steps + 1 if given < 0 else given
        if not first <= number <= self.steps:
            start = ", 0 for the start" if first == 0 else ""
            raise AlgoLensError(
                f"step {given} is not there: this run has {self.steps}, counted from 1{start}, or "
                "-1 for the last."
            )
        return number

    # ---- how it is shown

    def _heading(self) -> Iterator[RenderableType]:
        graph = self.run.graph
        size = (
            f"{count_in_words(graph.num_nodes, 'node')}, {count_in_words(graph.num_edges, 'edge')}"
        )
        yield Text(
            f"{self.algorithm} on {self.given.name}: {size}, {self._length()}, by {self.by}.",
            style="bold",
        )

    def _length(self) -> str:
        return (
            f"{'cut short after ' if self.is_cut_short else ''}{count_in_words(self.steps, 'step')}"
        )

    def _ending(self) -> Iterator[RenderableType]:
        if not self.is_the_algorithm:
            yield Text(verdict(self.run, self.side.mistake))
        for note in self.notes:
            yield Text(f"note: {note}", style="dim")

    def parts(self) -> Iterator[RenderableType]:
        yield from self._heading()
        yield from outcome_summary(self.run)
        yield from self._ending()

    def _repr_html_(self) -> str:
        from algolens.front.pictures import MOST_DRAWN, as_svg

        if self.run.graph.num_nodes > MOST_DRAWN or not self.run.has_trace:
            return super()._repr_html_()
        return f"{super()._repr_html_()}{as_svg(self)}"

    def __repr__(self) -> str:
        agrees = (
            ""
            if self.is_the_algorithm
            else ", agrees"
            if self.agrees
            else ", differs from the algorithm"
        )
        return (
            f"Execution({self.algorithm} on {self.given.name}, {self._length()}, by "
            f"{self.by}{agrees})"
        )


@dataclass(frozen=True, eq=False, repr=False)
class _Steps(Shown):
    """All steps of an execution."""

    execution: Execution
    everything: bool

    def parts(self) -> Iterator[RenderableType]:
        shown = self.execution
        yield from shown._heading()
        yield from steps(
            shown.run.with_trace(), rule_set=shown.side.rule_set, everything=self.everything
        )
        yield from shown._ending()


def _explained(execution: Execution, place: int, step: int) -> Iterator[str]:
    """Why an element is as it is after a step, from 0 on: line by line."""
    run, rules = execution.run, execution.side.rule_set.rules
    declaration = run.algorithm.declaration
    seen = None if declaration.seen is None else StepSeen(run, step)
    name = element_name(run.graph, declaration.location, place)
    yield f"{name}, step {step + 1} of {execution.steps}, by {execution.by}:"
    for output in run.outputs:
        found = execution._shown(output, step)[place]
        told = f"{output} is {value_in_words(found)}"
        if output in rules and run.has_concepts:
            told += f", because {because(run, step, place, output, execution.side.rule_set)}"
        elif seen is not None and (moved := seen.moved(output, place)) is not None:
            told += f": {moved}"
        yield told
    for concept in declaration.concepts if run.has_concepts else ():
        value = bool(run[concept][step, place])
        if seen is None:
            yield f"  {concept} is {value_in_words(value)}"
            continue
        otherwise = seen.declared(concept, place) is not value
        reasons = "; ".join(map(str, seen.reasons(concept, place)))
        unlike = ", though as declared it would not be" if otherwise else ""
        yield f"  {concept} is {value_in_words(value)}{unlike}: {reasons}"


def _points_to_nodes(kind: Kind) -> bool:
    return isinstance(kind, Pointer) and kind.to is Location.NODE


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise AlgoLensError("pandas is not installed: pip install 'algolens[table]'.") from missing
    return pandas
