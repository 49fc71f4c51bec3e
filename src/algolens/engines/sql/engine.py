"""What a database is to a program: tables made anew, and queries; the loop of steps; a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

import numpy as np

from algolens.algorithms import Algorithm
from algolens.engines import Run, Stopped
from algolens.engines.program import Program
from algolens.engines.sql.at_once import at_once
from algolens.engines.sql_source import SqlParts, sql_column, sql_parts
from algolens.engines.tensors import Columns
from algolens.engines.timeline import Timeline
from algolens.errors import AlgoLensError, GraphError
from algolens.graphs import Graph
from algolens.language.inputs import ReadInputs
from algolens.language.ir import At, Field, Quantified, parts_of

# what does the same in few steps
INSTEAD = {
    "dag_shortest_paths": "bellman_ford",
    "dijkstra": "bellman_ford",
    "prim": "boruvka",
    "kruskal": "boruvka",
    "dfs": "bfs_tree, where any tree of a search will do",
}
ONE_BY_ONE = 8  # steps that are wide on most graphs; those after them are narrow
Tell = Callable[[int, float], None]  # after each step: its number, and the seconds that it took


class Tables(ABC):
    """The tables of one run in a database that is open."""

    row_number: str  # in SQL: a number that grows with the rows of a table

    @abstractmethod
    def load(self, name: str, columns: Mapping[str, Any]) -> None:
        """A table of arrays, by the names of its columns."""

    @abstractmethod
    def open_parquet(self, name: str, path: Path) -> dict[str, str]:
        """A table that a file, or a folder of files, holds; its columns and their types."""

    @abstractmethod
    def make(self, queries: Mapping[str, str]) -> None:
        """Tables of what queries give, all made of the tables before."""

    @abstractmethod
    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a query gives."""

    @abstractmethod
    def write_parquet(self, query: str, path: Path) -> None:
        """Writes what a query gives."""

    def make_recursive(self, name: str, query: str) -> bool:
        """Make a table of what a recursive query gives; whether the database can."""
        return False

    def one(self, query: str) -> Any:
        """The first value that a query gives."""
        return self.rows(query)[0][0]


@dataclass(frozen=True)
class Engine(ABC):
    """A database, and how it is to be used.

    Attributes
    ----------
    max_steps : int, optional
        The most steps, where fewer than the algorithm may take.
    folder : str, optional
        Where tables go that do not stay in memory; unless given, a temporary folder.
    """

    name: ClassVar[str]
    called: ClassVar[str]

    max_steps: int | None = None
    folder: str | None = None

    def missing(self) -> AlgoLensError:
        """What to say where the database is not installed."""
        return AlgoLensError(
            f"{self.called} is not installed: pip install 'algolens[{self.name}]'."
        )

    def check_folder(self) -> None:
        """Refuse a folder that is not there."""
        if self.folder is not None and not Path(self.folder).is_dir():
            raise AlgoLensError(
                f"option folder of engine {self.name} is '{self.folder}': there is no such "
                "folder. Make it first."
            )

    @abstractmethod
    def opened(self) -> AbstractContextManager[Tables]:
        """The database without tables; refused where it is not installed."""


def on_steps(program: Program) -> str | None:
    """What to know of how many steps a program takes, where that does not suit a database."""
    instead = INSTEAD.get(program.name)
    costs = "and each costs a database some queries" + (
        f": on a large graph take {instead}." if instead else "."
    )
    for let in program.program.lets:
        for part in parts_of(let.value, Quantified):
            if part.view.words.startswith("other "):
                return (
                    f"{program.name} picks one {part.view.rows} of the whole graph in a step "
                    f"({let.name}), so it takes about a step a {program.limit.per}, {costs}"
                )
    if program.limit.times > 1:  # it walks from node to node
        return f"{program.name} may take {program.limit}, {costs}"
    return None


def take_steps(
    tables: Tables,
    program: Program,
    parts: SqlParts,
    most: int,
    tell: Tell | None = None,
) -> tuple[int, Stopped]:
    """Take the steps of a program, of tables that are filled: how many, and why it stopped."""
    tables.make(parts.start)
    _look(tables, parts, program, 0)
    steps, stopped = 0, Stopped.BY_COUNT if parts.goes_on is None else Stopped.BY_LIMIT
    while steps < most:
        began = perf_counter()
        taken = _all_at_once(tables, parts, most - steps) if steps == ONE_BY_ONE else 0
        if not taken:
            tables.make(parts.step)
        steps += taken or 1
        _look(tables, parts, program, steps)
        if tell is not None:
            tell(steps, perf_counter() - began)
        if parts.goes_on is not None and not tables.rows(parts.goes_on)[0][1]:
            return steps, Stopped.BY_RULE
        if taken:  # all steps that are left change nothing
            steps = most
    return steps, stopped if steps else Stopped.BY_RULE


def _all_at_once(tables: Tables, parts: SqlParts, most: int) -> int:
    """Take all steps by one recursive query: how many; 0 where they cannot be taken so."""
    made = at_once(parts, most)
    if made is None or not tables.make_recursive("all at once", made[0]):
        return 0
    if tables.rows(f'SELECT 1 FROM "all at once" WHERE {made[1]} LIMIT 1'):
        return 0
    tables.make({"node": 'SELECT * FROM "all at once"'})
    return max(1, tables.one('SELECT MAX("step") FROM "node"'))


def _look(tables: Tables, parts: SqlParts, program: Program, step: int) -> None:
    """Observe; a number that has left its bits is refused."""
    for batch in parts.look:
        tables.make(batch)
    for name, element in tables.rows(parts.out_of_bits) if parts.out_of_bits else ():
        if element is not None:
            raise GraphError(_left_its_bits(tables, program, name, element, step))


def _left_its_bits(tables: Tables, program: Program, name: str, element: int, step: int) -> str:
    field = program.program.state.get(name)
    if field is None:
        return f"'{name}' grows beyond 62 bits on this graph: give smaller numbers."
    least, most = field.bounds
    value = tables.one(f'SELECT "{name}" FROM "{field.at}" WHERE "id" = {element}')
    when = f"becomes {value} in step {step}" if step else f"starts as {value}"
    return (
        f"'{name}' of {field.at} {element} {when}, and {field.bits} bits hold {least} to {most}: "
        "give smaller numbers, or declare more bits."
    )


def outcomes_of(tables: Tables, program: Program) -> dict[str, bool]:
    """What is found of the whole graph."""
    return {
        name: bool(tables.one(f'SELECT {sql_column(name)} FROM "graph"'))
        for name in program.program.outcomes
    }


def run_in_tables(
    engine: Engine,
    program: Program,
    algorithm: Algorithm,
    graph: Graph,
    inputs: Mapping[str, np.ndarray],
    tell: Tell | None = None,
) -> Run:
    """The run of a program on one graph, by a database; its last step alone is kept."""
    parts = sql_parts(program, directed=graph.directed, sees=False)
    hir, most = program.program, int(algorithm.max_steps(graph)[0])
    with engine.opened() as tables:
        for at, names in parts.columns.items():
            tables.load(at, {name: _column(graph, at, name, hir.inputs, inputs) for name in names})
        most = min(most, engine.max_steps or most)
        steps, stopped = take_steps(tables, program, parts, most, tell)
        listed = ", ".join(map(sql_column, hir.outputs))
        rows = tables.rows(f'SELECT {listed} FROM "{program.at}" ORDER BY "id"')
        given = zip(*rows, strict=True) if rows else ((),) * len(hir.outputs)
        outcomes = outcomes_of(tables, program)
    count = graph.count(program.at)
    nothing = np.zeros((1, count), dtype=bool)
    return Run(
        algorithm=algorithm,
        graph=graph,
        inputs=dict(inputs),
        start=algorithm.start(graph, inputs),
        concepts={name: Timeline.of_rows(nothing) for name in hir.concepts},
        outputs={
            name: Timeline.of_rows(_values(field, column)[None])
            for (name, field), column in zip(hir.outputs.items(), given, strict=True)
        },
        hints={},
        goes_on=np.array([[stopped is Stopped.BY_LIMIT]]),
        lengths=np.array([steps]),
        stopped=np.array([stopped]),
        resting=np.zeros((count, len(hir.concepts)), dtype=bool),
        outcomes={name: np.array([value]) for name, value in outcomes.items()},
        has_concepts=False,
        has_trace=False,
        scales=inputs.scales if isinstance(inputs, ReadInputs) else {},
    )


def _column(
    graph: Graph, at: At, name: str, fields: Mapping[str, Field], inputs: Mapping[str, np.ndarray]
) -> np.ndarray:
    """A column of a table."""
    if name == "id":
        return np.arange(graph.count(at))
    if name not in fields:
        return np.asarray(Columns(graph)[at, name])
    labels, values = fields[name].labels, np.asarray(inputs[name]).astype(np.int64)
    return np.array(labels)[values] if labels else values


def _values(field: Field, column: tuple[Any, ...]) -> np.ndarray:
    """The values of a field as the library has them."""
    if field.labels:
        return np.array([field.labels.index(label) for label in column])
    return np.array(column, dtype=bool if field.kind == "mask" else int)
