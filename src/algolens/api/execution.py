"""One run on one graph, in the user's own names: results, steps and reasons."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from algolens import __version__
from algolens.algorithms import Algorithm
from algolens.api import By
from algolens.disk import check_writable, json_number, path_of, write_file
from algolens.engines import Intervention, Run, Stopped, run_algorithm
from algolens.errors import AlgoLensError, UnknownNameError, WritingError
from algolens.evaluation.rightness import Side, compared_fields
from algolens.graphs import At, Graph, NamedGraph, to_networkx
from algolens.graphs.attributes import Attribute, Letter, as_written
from algolens.graphs.convert import edges_as_named
from algolens.graphs.scales import Scale
from algolens.language.fields import Field
from algolens.lazy import Library, csv, nx, pa, parquet, require
from algolens.limits import STEP
from algolens.logic.rule_set import RuleSet
from algolens.reading import through_json
from algolens.text.declared import pseudocode_text
from algolens.text.display import Shown, as_text
from algolens.text.names import element_name, value_in_words
from algolens.text.outcome import count_in_words, outcome_summary
from algolens.text.sentences import Sentences, reasons_at
from algolens.text.steps import steps

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# slow to import: Matplotlib; and what lays graphs out
pictures, player = Library("algolens.api.pictures"), Library("algolens.player.page")


class Outputs(Mapping[str, "ByElement"]):
    """The values of each output, computed on first access; unknown names raise an error."""

    def __init__(self, execution: Execution) -> None:
        self._execution, self._names = execution, tuple(execution.run.outputs)
        self._made: dict[str, ByElement] = {}

    def __getitem__(self, name: str) -> ByElement:
        if name not in self._names:
            raise UnknownNameError(f"output of {self._execution.algorithm}", name, self._names)
        if name not in self._made:
            self._made[name] = self._execution.values_of(name)
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


class ByElement(dict[Any, Any]):
    """A value for each node, or for each edge by its ends, in either order if undirected.

    >>> weights = ByElement({("a", "b"): 1}, "edge", directed=False)
    >>> weights["b", "a"], weights.get(("b", "a")), ("b", "a") in weights
    (1, 1, True)
    """

    def __init__(self, values: dict[Any, Any], what: str, *, directed: bool) -> None:
        super().__init__(values)
        self.what, self.directed = what, directed

    def __missing__(self, element: Any) -> Any:
        if element not in self:
            raise UnknownNameError(f"{self.what} of this graph", element, self)
        return self[self._known(element)]

    def __contains__(self, element: object) -> bool:
        return super().__contains__(element) or self._known(element) is not None

    def get(self, element: Any, default: Any = None) -> Any:
        """The value of an element; the default where there is no such element."""
        if element not in self:
            return default
        return self[element]

    def _known(self, element: object) -> Any:
        """What the user calls an element that is named otherwise: by its text, or turned round."""
        named = self._named(element)
        found = self._by_name.get(named)
        if found is None and self.what == "edge" and not self.directed:
            found = self._by_name.get(named[::-1])
        return found

    def _named(self, element: object) -> tuple[str, ...]:
        # 3, and a file that calls it '3'
        if self.what == "edge" and isinstance(element, tuple):
            return tuple(map(str, element))
        return (str(element),)

    @cached_property
    def _by_name(self) -> dict[tuple[str, ...], Any]:
        return {self._named(known): known for known in self}


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Execution(Shown, Side):
    """The result of ``al.execute``: a whole run, in the user's own names and numbers.

    ``print`` shows the result, ``.table()`` shows every step, and ``al.play`` plays the run. Nodes
    keep the user's identifiers: objects in NetworkX, numbers in PyTorch Geometric and SciPy, cells
    in a table, and names in a file. Steps are counted from 1; -1 is the last.

    Attributes
    ----------
    by : str
        What ran it: algorithm, network or rules.
    run : Run
        Every field over time.
    rule_set : RuleSet
        The rules that give the reasons.
    given : NamedGraph
        The graph as it was read, with the user's names for its nodes.
    notes : tuple of str
        What the user should know, such as what was drawn at random.
    seed : int, optional
        Seed for inputs that the graph lacks.
    interventions : tuple of Intervention
        Concepts that the user overrode.
    asked : str, optional
        What the user asked to run.
    engine : str, optional
        The database that ran it.
    """

    given: NamedGraph
    notes: tuple[str, ...] = ()
    seed: int | None = None
    interventions: tuple[Intervention, ...] = ()
    asked: str | None = None
    engine: str | None = None

    @property
    def algorithm(self) -> str:
        """The name of the algorithm."""
        return self.run.algorithm.name

    @property
    def steps(self) -> int:
        """The number of steps."""
        return self.run.num_steps

    @property
    def is_cut_short(self) -> bool:
        """Whether the run reached its step limit, so that its outputs are not final."""
        return bool(self.run.is_cut_short[0])

    @property
    def nodes(self) -> tuple[Hashable, ...]:
        """The nodes, under the user's names."""
        return self.given.nodes

    @property
    def _location(self) -> At:
        return self.run.algorithm.declaration.location

    @cached_property
    def elements(self) -> tuple[Any, ...]:
        """The elements of concepts and outputs: the nodes, or the edges as pairs of nodes.

        Edges are in the order and direction in which they were given.
        """
        if self._location == "node":
            return self.nodes
        graph = self.run.graph
        ends = graph.ends(self._location)[:, graph.named_order(self._location)]
        one, other = (map(self.nodes.__getitem__, side) for side in ends.tolist())
        return tuple(zip(one, other, strict=True))

    # ---- what came of it

    @cached_property
    def result(self) -> Mapping[str, Mapping[Any, Any]]:
        """The value of each output at each node (or edge) after the last step.

        Categories are labels; pointers are the nodes that they point to, or None. Numbers have the
        type of the input; a float is the one nearest to the exact number.
        """
        return Outputs(self)

    def values_of(self, output: str) -> ByElement:
        """Return the values of an output at all elements after the last step."""
        values = zip(self.elements, self._own_values(output), strict=True)
        what, directed = self._location, self.run.graph.directed
        return ByElement(dict(values), what, directed=directed)

    def _own_values(self, output: str, step: int | None = None) -> list[Any]:
        """An output after a step, counted from 0 (None: the last), under the user's node names.

        Edges are in the user's order.
        """
        run = self.run
        shown = run.shown(output, step)
        values = [shown[place] for place in run.graph.named_order(self._location).tolist()]
        if run.scale_of(output).type is Decimal and not self.given.has_decimals:
            return [None if value is None else float(value) for value in values]
        if run.algorithm.declaration.outputs[output].to != "node":
            return values
        place_of, nodes = run.graph.place_of, self.nodes
        return [None if name is None else nodes[place_of[name]] for name in values]

    @property
    def outcomes(self) -> dict[str, bool]:
        """Results about the whole graph, such as whether it is bipartite."""
        return {name: bool(value[0]) for name, value in self.run.outcomes.items()}

    def to_arrow(self) -> pa.Table:
        """Return the result as an Arrow table: a row for each node, or edge by source and target.

        A missing value is null. Edges are in the user's order and direction.
        """
        run, declaration = self.run, self.run.algorithm.declaration
        nodes, order = _as_column(self.nodes), run.graph.named_order(self._location)
        columns: dict[str, Any] = {"node": nodes}
        if self._location != "node":
            ends = run.graph.ends(self._location)[:, order]
            columns = {
                name: nodes.take(pa.array(end))
                for name, end in zip(("source", "target"), ends, strict=True)
            }
        for name, field in declaration.outputs.items():
            # what an array holds as the user reads it needs no look at each value
            is_plain = field.kind == "mask" or (
                field.kind == "number" and run.scale_of(name) == Scale()
            )
            if is_plain and name not in {*declaration.only_where, *declaration.endless}:
                columns[name] = pa.array(run.final(name)[order])
            else:
                columns[name] = _as_column(self._own_values(name))
        return pa.table(columns)

    def save_result(self, path: str | Path) -> Path:
        """Write the table of ``to_arrow`` as a new file: .csv, .tsv or .parquet."""
        place = path_of(path, "save_result")
        check_result_file(place)
        table, ending = self.to_arrow(), place.suffix.lower()
        if ending == ".parquet":
            write_file(place, lambda file: parquet.write_table(table, file))
        else:
            options = csv.WriteOptions(delimiter="\t" if ending == ".tsv" else ",")
            write_file(place, lambda file: csv.write_csv(table, file, options))
        return place

    # ---- beside the algorithm itself

    @property
    def agrees(self) -> bool:
        """Whether the run equals the algorithm's own run in every field of every step."""
        return self.mistake is None

    @property
    def first_difference(self) -> str | None:
        """A sentence on where the run first differs from the algorithm's own run, or None."""
        return None if self.mistake is None else self.verdict

    @property
    def verdict(self) -> str:
        """A sentence on whether the run equals the algorithm's own run."""
        first = self.mistake
        if first is None:
            fields = ", ".join(compared_fields(self.run))
            return f"It agrees with the algorithm in every step. Compared are {fields}."
        where = "the graph"
        if first.element is not None:
            name = self.run.graph.name_at(first.at, first.element)
            where = f"{first.at} {name}"
        return (
            f"It first differs from the algorithm at step {first.step}: {first.field} of {where} "
            f"is {first.found}, and {first.true} by the algorithm."
        )

    @property
    def cut_short(self) -> str | None:
        """The warning for a run that reached its step limit, or None."""
        if not self.is_cut_short:
            return None
        most = count_in_words(self.steps, "step")
        return (
            f"by {self.by}, it is cut short after {most}, the most it may take, though it asks for "
            "more: outputs are not final."
        )

    @cached_property
    def truth(self) -> Execution:
        """The algorithm's own run on the same graph: ``al.play(execution, execution.truth)``."""
        if self.compare is None:
            return self
        algorithm = self.run.algorithm
        run = run_algorithm(algorithm, self.run.graph, self.run.inputs, check=False)
        run = replace(run, scales=self.run.scales)
        rule_set = algorithm.declaration.rule_set
        notes = tuple(note for note in self.notes if note != self.cut_short)
        true = Execution(
            By.ALGORITHM.value, run, rule_set, given=self.given, notes=notes, seed=self.seed
        )
        return replace(true, notes=(*notes, *filter(None, [true.cut_short])))

    # ---- every step

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each step and each node (or edge): concepts, outputs and reasons.

        Edges have the columns source and target. The columns ``because_OUTPUT`` hold the clause
        that fired, and ``told`` holds the sentences about the element in that step.
        """
        pandas = require("pandas")
        run, rules, location = self.run.with_trace(), self.rule_set, self._location
        order, steps_taken = run.graph.named_order(location).tolist(), range(self.steps)
        if self.steps * len(order) > MOST_ROWS:
            raise AlgoLensError(
                f"a table of {self.steps:,} steps at {len(order):,} {location}s has too many "
                f"rows ({MOST_ROWS:,} at most): read run[name][step], or explain(...)."
            )
        columns: dict[str, list[Any]] = {"step": [step + 1 for step in steps_taken for _ in order]}
        if location == "node":
            columns["node"] = [*self.nodes] * self.steps
        else:
            for i, name in enumerate(("source", "target")):
                columns[name] = [pair[i] for pair in self.elements] * self.steps
        sentences = Sentences(run, rules)
        of_steps: dict[str, Callable[[int], Sequence[Any]]] = {}
        if run.has_concepts:
            for name in run.algorithm.declaration.concepts:
                columns[name] = run[name].dense()[:, order].flatten().tolist()
        for name in run.outputs:
            of_steps[name] = partial(self._own_values, name)
        for name in rules.rules if run.has_concepts else ():
            of_steps[f"because_{name}"] = partial(_because, run, name, rules, order)
        of_steps["told"] = partial(_told, sentences, order)
        for name, of_step in of_steps.items():
            columns[name] = [value for step in steps_taken for value in of_step(step)]
        return pandas.DataFrame(columns)

    def to_json(self, *, trace: bool = False) -> dict[str, Any]:
        """Return what ``algolens execute --json`` prints, with every step if ``trace``.

        Values at edges are lists of objects with ``source``, ``target`` and ``value``.
        """
        name = self.asked or self.algorithm
        document = run_as_json(
            self,
            asked={"name": name, "graph": self.given.name, "seed": self.seed},
            notes=self.notes,
            interventions=self.interventions,
            trace=trace,
        )
        return dict(through_json(document, json_number))

    def to_networkx(self) -> nx.Graph:
        """Return the graph with results as attributes, and outcomes as attributes of the graph."""
        graph = to_networkx(self.given.in_plain_numbers)
        graph = nx.relabel_nodes(graph, dict(zip(list(graph), self.nodes, strict=True)))
        put = nx.set_node_attributes if self._location == "node" else nx.set_edge_attributes
        for name, values in self.result.items():
            put(graph, values, name)
        graph.graph.update(self.outcomes)
        return graph

    def explain(self, element: Hashable, step: int = -1, *, formulas: bool = False) -> str:
        """Explain the state of a node (or of an edge, a pair of nodes) after a step.

        Parameters
        ----------
        element
            A node, or a pair of nodes.
        step
            The step, counted from 1; -1 is the last.
        formulas
            Whether to add the rules, moves and statements behind the sentences.

        Returns
        -------
        str
            A line for each output, then a line for each concept with its reason.
        """
        place, number = element_of(element, self.run.algorithm, self.run.graph), self._step(step)
        return "\n".join(self._explained(place, number - 1, formulas))

    def _explained(self, place: int, step: int, formulas: bool) -> Iterator[str]:
        """The lines of ``explain``. step: from 0 on."""
        run, declaration = self.run, self.run.algorithm.declaration
        sentences = Sentences(run, self.rule_set)
        name = element_name(run.graph, declaration.location, place)
        yield f"{name}, step {step + 1} of {self.steps}, by {self.by}:"
        told = [sentences.about(step, output, place) for output in run.outputs]
        for each in [each for each in told if not each.is_silent] or told:
            yield each.sentence
            if formulas and each.formula:
                yield f"    {each.name}: {each.formula}"
        for concept in declaration.concepts if run.has_concepts else ():
            answer = value_in_words(bool(run[concept][step][place]))
            yield f"  {concept}: {answer} ({sentences.reason(step, concept, place)})"
            if formulas and concept in declaration.statements:
                yield f"    {declaration.statements[concept].text}"

    @property
    def pseudocode(self) -> str:
        """The algorithm in pseudo-code."""
        return pseudocode_text(self.run.algorithm)

    # ---- pictures

    @cached_property
    def places(self) -> Mapping[int, tuple[float, float]]:
        """The position of each node, by its number; edges have a length of about 1."""
        places: Mapping[int, tuple[float, float]] = pictures.laid_out_places(self.run)
        return places

    def plot(self, step: int = -1, *, axes: Axes | None = None) -> Axes:
        """Draw the graph after a step (0: the start) on these Matplotlib axes, or on new ones."""
        return pictures.plot(self, self._step(step, first=0), axes)

    def table(self, *, everything: bool = False) -> str:
        """Return every step as the command shows it; ``everything`` includes unchanged values."""
        return as_text([*self.steps_shown(everything=everything), *self._notes()])

    def save_html(
        self, path: str | Path, *others: Execution, around: Hashable | None = None
    ) -> Path:
        """Write a page that plays this run, and others next to it, as one file.

        ``around`` shows only the part of a large graph near this node.
        """
        place = path_of(path, "save_html")
        player.write_page(place, self.page(*others, around=around))
        return place

    def page(self, *others: Execution, compact: bool = False, around: Any = None) -> str:
        """Return a page that plays this run, and others next to it; ``compact`` fits a frame."""
        node = node_near(around, self.run.graph)
        page: str = player.player_page(
            [self, *others], self.given.title, compact=compact, around=node
        )
        return page

    def _step(self, step: int, first: int = 1) -> int:
        """A step as it is counted from 1; negative ones from the end."""
        self.run.with_trace()
        given = STEP.check(step, "the step")
        number = given + self.steps + 1 if given < 0 else given
        if not first <= number <= self.steps:
            start = ", 0 for the start" if first == 0 else ""
            raise AlgoLensError(
                f"step {given} does not exist: this run has {self.steps}, counted from 1{start}, "
                "or -1 for the last."
            )
        return number

    # ---- how it is shown

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield self._heading(f", {self._length()}")
        yield from outcome_summary(self.run)
        yield from self._judged()
        yield from self._notes()

    def steps_shown(self, *, everything: bool = False) -> Iterator[RenderableType]:
        """Yield every step that is kept, and the end; ``everything`` includes unchanged values."""
        yield self._heading()
        if self.engine is None:
            yield from steps(self.run.with_trace(), rule_set=self.rule_set, everything=everything)
        else:
            yield from outcome_summary(self.run)
            verb = "Cut short" if self.is_cut_short else "Finished"
            yield f"{verb} after {count_in_words(self.steps, 'step')}."
        yield from self._judged()

    def _heading(self, more: str = "") -> RenderableType:
        graph = self.run.graph
        nodes, edges = count_in_words(graph.num_nodes, "node"), graph.num_edges
        size = "" if self.given.described else f": {nodes}, {count_in_words(edges, 'edge')}"
        on = "" if self.engine is None else f" on {self.engine}"
        heading = f" on {self.given.title}{size}{more}, by {self.by}{on}."
        return Text.assemble((self.run.algorithm.title, "bold"), heading)

    def _length(self) -> str:
        cut = "cut short after " if self.is_cut_short else ""
        return f"{cut}{count_in_words(self.steps, 'step')}"

    def _judged(self) -> Iterator[RenderableType]:
        if self.compare is not None:
            yield Text(self.verdict)

    def _notes(self) -> Iterator[RenderableType]:
        return (Text(f"note: {note}", "dim") for note in self.notes)

    def _repr_html_(self) -> str:
        return f"{super()._repr_html_()}{self.picture()}"

    def picture(self) -> str:
        """Return the graph after the last step as an SVG element, or nothing if it is too large."""
        has_room = self.run.has_trace and self.run.graph.num_nodes <= MOST_DRAWN
        is_drawn = has_room and all(map(find_spec, ("igraph", "matplotlib")))
        return pictures.as_svg(self) if is_drawn else ""

    def __repr__(self) -> str:
        return f"Execution({self.algorithm} on {self.given.name}, {self._length()}, by {self.by})"


MOST_ROWS = 20_000_000
MOST_DRAWN = 60  # nodes of a graph that a notebook draws beside what came of it


def _because(
    run: Run, output: str, rules: RuleSet, order: Sequence[int], step: int
) -> Sequence[str]:
    reasons = reasons_at(run, step, output, rules)
    return [reasons[place] for place in order]


def _told(sentences: Sentences, order: Sequence[int], step: int) -> Sequence[str]:
    """Of each element, what a step says of it."""
    said: dict[int, list[str]] = {place: [] for place in order}
    for told in sentences.told(step):
        if told.at == sentences.declaration.location:
            said[told.element].append(told.sentence)
    return list(map("; ".join, said.values()))


def _as_column(values: Any) -> pa.Array:
    """Values as Arrow has them; as text where it has no one type for them."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


FORMS = (".csv", ".tsv", ".parquet")


def check_result_file(path: Path) -> None:
    """Raise an error if no table can be written to a path, or if something is already there."""
    if path.suffix.lower() not in FORMS:
        raise WritingError(
            f"{path}: results are written as {', '.join(FORMS)}, not as '{path.suffix}'. Use "
            "one of these endings."
        )
    if path.exists():
        raise WritingError(f"{path} exists already and is not overwritten: give another path.")
    check_writable(path)


# ---- an element by its name

BETWEEN = re.compile(r"\s*->?\s*")  # the two ends of an edge, in its name
MOST_NAMED = 50


def element_of(element: object, algorithm: Algorithm, graph: Graph) -> int:
    """Return the index of a node, or of an edge by its ends or name; raise if there is none."""
    location = algorithm.declaration.location
    place = find_element(element, algorithm, graph)
    if place is None:
        names = [graph.name_at(location, i) for i in range(min(graph.count(location), MOST_NAMED))]
        raise UnknownNameError(f"{location} of this graph", element, names)
    return place


def node_near(name: object | None, graph: Graph) -> int | None:
    """Return the index of the node around which a page shows a graph, or None."""
    if name is None:
        return None
    place = graph.place_of.get(str(name))
    if place is None:
        names = [graph.name_of(node) for node in range(min(graph.num_nodes, MOST_NAMED))]
        raise UnknownNameError("node of this graph", name, names)
    return place


def find_element(element: object, algorithm: Algorithm, graph: Graph) -> int | None:
    """Return the index of a node, or of an edge as ``("Mill", "Bridge")`` or ``Mill - Bridge``."""
    if algorithm.declaration.location == "node":
        return graph.place_of.get(str(element))
    name = str(element)
    ends = [(name[: at.start()], name[at.end() :]) for at in BETWEEN.finditer(name)]
    if isinstance(element, tuple) and len(element) == 2:
        ends = [(str(element[0]), str(element[1]))]
    for one, other in ends:
        u, v = graph.place_of.get(one), graph.place_of.get(other)
        if u is None or v is None:
            continue
        tails, heads = graph.edges
        is_edge = (tails == u) & (heads == v)
        if not graph.directed:
            is_edge |= (tails == v) & (heads == u)
        if is_edge.any():
            return int(is_edge.argmax())
    return None


# ---- as JSON: the keys are in docs/export.md

NOTHING = {"name": None, "graph": None, "seed": None}


def run_as_json(
    side: Side,
    *,
    asked: Mapping[str, Any] = NOTHING,
    notes: Sequence[str] = (),
    interventions: Sequence[Intervention] = (),
    trace: bool = False,
) -> dict[str, Any]:
    """What was read, and what came of it.

    asked: what a user named: the ``name`` of what was run, the ``graph`` and the ``seed``. trace:
    with every step.
    """
    run, mistake = side.run, side.mistake
    graph, declaration = run.graph, run.algorithm.declaration
    location = declaration.location
    document = {
        "algolens": __version__,
        "algorithm": run.algorithm.name,
        "options": dict(run.algorithm.options),
        "by": side.by,
        "asked": dict(asked),
        "notes": list(notes),
        "graph": _node_link(graph),
        # as used: a number that was replaced by its rank is that rank
        "inputs": _values(run, declaration.inputs, run.inputs),
        "interventions": [_intervention(given, graph, location) for given in interventions],
        "start": _values(run, declaration.predicted, run.start),
        "steps": run.num_steps,
        "stopped": Stopped(int(run.stopped[0])).word,
        "outputs": {name: _by_name(graph, location, run.shown(name)) for name in run.outputs},
    }
    if run.outcomes:
        document["outcome"] = {name: bool(value[0]) for name, value in run.outcomes.items()}
    document["agrees"] = mistake is None  # with the algorithm, in every step
    document["compared"] = list(compared_fields(run))
    if mistake is not None:
        place = mistake.element
        name = None if place is None else _element(graph, mistake.at, place)
        document["first_mistake"] = {**mistake.to_json(), "name": name}
    if trace:
        sentences = Sentences(run.with_trace(), side.rule_set)
        document["trace"] = [_step(run, step, sentences) for step in range(run.num_steps)]
    return document


def _node_link(graph: Graph) -> dict[str, Any]:
    """The graph as NetworkX writes it, with attributes as the user wrote them."""
    edges, at_edges = edges_as_named(graph)
    return {
        "directed": graph.directed,
        "multigraph": False,
        "graph": {},
        "nodes": [
            {**row, "id": graph.name_of(node)}
            for node, row in enumerate(_rows(graph.node_attributes, graph.num_nodes))
        ],
        "edges": [
            {**row, **ends}
            for ends, row in zip(_ends(graph, edges), _rows(at_edges, graph.num_edges), strict=True)
        ],
    }


def _ends(graph: Graph, pairs: np.ndarray) -> list[dict[str, str]]:
    """The names of the two ends of each pair [2, E]."""
    return [{"source": graph.name_of(u), "target": graph.name_of(v)} for u, v in pairs.T.tolist()]


def _rows(attributes: Mapping[str, Attribute], count: int) -> Iterable[dict[str, Any]]:
    """The attributes of each node or edge by name, without those that it does not have."""
    columns = {
        name: [_plain(value) for value in as_written(column)] for name, column in attributes.items()
    }
    return (
        {name: column[i] for name, column in columns.items() if column[i] is not None}
        for i in range(count)
    )


def _plain(value: Any) -> Any:
    """A value of an attribute as JSON has it; what JSON has not, as text."""
    if isinstance(value, Letter):
        return str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    is_json = value is None or isinstance(value, bool | int | str | Decimal | Fraction)
    return value if is_json else str(value)


def _values(
    run: Run, fields: Mapping[str, Field], values: Mapping[str, np.ndarray]
) -> dict[str, Any]:
    """Values of fields by the user's names, in the user's numbers."""
    named = {}
    for name, some in values.items():
        shown = fields[name].shown(some, run.graph)
        named[name] = _by_name(run.graph, fields[name].at, run.in_own_units(name, shown))
    return named


def _intervention(given: Intervention, graph: Graph, location: At) -> dict[str, Any]:
    elements, steps = given.elements, given.steps
    return {
        "concept": given.concept,
        "value": bool(given.value),
        f"{location}s": None
        if elements is None
        else [_element(graph, location, int(place)) for place in elements],
        "steps": None if steps is None else [step + 1 for step in steps],  # type: ignore[attr-defined]
    }


def _step(run: Run, step: int, sentences: Sentences) -> dict[str, Any]:
    declaration, rule_set = run.algorithm.declaration, sentences.rule_set
    named = partial(_by_name, run.graph, declaration.location)
    document: dict[str, Any] = {"step": step + 1}
    if run.has_concepts:
        document["concepts"] = {
            name: named(run[name][step].tolist()) for name in declaration.concepts
        }
    document["outputs"] = {name: named(run.shown(name, step)) for name in run.outputs}
    hints = {name: values[step] for name, values in run.hints.items()}
    document["hints"] = _values(run, declaration.predicted, hints)
    document["goes_on"] = bool(run.goes_on[step, 0])
    if run.has_concepts:
        document["because"] = {
            name: named(reasons_at(run, step, name, rule_set)) for name in rule_set.rules
        }
    document["told"] = [
        {"field": told.name, "sentence": told.sentence, "formula": told.formula}
        for told in sentences.told(step)
    ]
    return document


def _element(graph: Graph, location: At, place: int) -> Any:
    """A node by its name, an edge or a link by its ends."""
    if location == "node":
        return graph.name_of(place)
    source, target = graph.ends(location)[:, place].tolist()
    return {"source": graph.name_of(source), "target": graph.name_of(target)}


def _by_name(graph: Graph, location: At, values: Sequence[Any]) -> Any:
    """A value for each node by its name, for each edge or link by its ends, or the graph's.

    Edges are in the user's order.
    """
    if location == "graph":
        return values[0]
    if location == "node":
        return {graph.name_of(i): value for i, value in enumerate(values)}
    order = graph.named_order(location)
    named = _ends(graph, graph.ends(location)[:, order])
    return [
        {**ends, "value": values[place]} for ends, place in zip(named, order.tolist(), strict=True)
    ]
