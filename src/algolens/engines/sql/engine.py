"""What a database is to a program: tables made anew, and queries; and the loop of steps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from pathlib import Path
from time import perf_counter
from typing import Any, ClassVar

from algolens.engines import Stopped
from algolens.engines.program import Program
from algolens.engines.sql_select import sql_column
from algolens.engines.sql_source import SqlParts
from algolens.errors import AlgoLensError, GraphError, UnknownNameError
from algolens.language.ir import At, Quantified, parts_of
from algolens.limits import ENGINE_NUMBER

# what does the same in few steps
INSTEAD = {
    "dag_shortest_paths": "bellman_ford",
    "dijkstra": "bellman_ford",
    "prim": "boruvka",
    "kruskal": "boruvka",
    "dfs": "bfs_tree, where any tree of a search will do",
}
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
    def columns(self, query: str) -> dict[str, Any]:
        """What a query gives, as arrays of NumPy by name."""

    @abstractmethod
    def write_parquet(self, query: str, path: Path) -> None:
        """Writes what a query gives."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Forgets a table."""


@dataclass(frozen=True)
class Engine(ABC):
    """A database, and how it is to be used.

    Attributes
    ----------
    max_steps : int, optional
        The most steps, where fewer than the algorithm may take.
    """

    name: ClassVar[str]
    called: ClassVar[str]

    max_steps: int | None = None

    @abstractmethod
    def opened(self) -> AbstractContextManager[Tables]:
        """The database without tables; refused where it is not installed."""


ENGINES: dict[str, type[Engine]] = {}


def find_engine(given: Engine | str, options: Mapping[str, str] | None = None) -> Engine:
    """The engine that a user names, with options as text."""
    if isinstance(given, Engine):
        return given
    if given not in ENGINES:
        raise UnknownNameError("engine", given, ENGINES)
    cls = ENGINES[given]
    read: dict[str, Any] = {}
    known = {field.name: str(field.type) for field in fields(cls)}
    for name, text in (options or {}).items():
        if name not in known:
            raise UnknownNameError(f"option of engine {given}", name, known)
        is_number = "int" in known[name]
        said = f"option {name} of engine {given}"
        read[name] = ENGINE_NUMBER.read(text, said) if is_number else text
    return cls(**read)


def on_steps(program: Program) -> str | None:
    """What to know of how many steps a program takes, where that does not suit a database."""
    for let in program.program.lets:
        for part in parts_of(let.value, Quantified):
            if part.view.words.startswith("other "):
                return (
                    f"{program.name} picks one {part.view.rows} of the whole graph in a step "
                    f"({let.name}), so it takes about a step a {program.limit.per.value}, "
                    f"{_each_costs(program)}"
                )
    if program.limit.times > 1:  # it walks from node to node
        return f"{program.name} may take {program.limit}, {_each_costs(program)}"
    return None


def _each_costs(program: Program) -> str:
    instead = INSTEAD.get(program.name)
    return "and each costs a database some queries" + (
        f": on a large graph take {instead}." if instead else "."
    )


def take_steps(
    tables: Tables, parts: SqlParts, program: Program, most: int, tell: Tell | None = None
) -> tuple[int, Stopped]:
    """Takes the steps of a program, of tables that are filled: how many, and why it stopped."""
    tables.make(parts.start)
    _see(tables, parts, program, 0)
    steps, stopped = 0, Stopped.BY_COUNT if parts.goes_on is None else Stopped.BY_LIMIT
    while steps < most:
        began = perf_counter()
        tables.make(parts.step)
        steps += 1
        _see(tables, parts, program, steps)
        if tell is not None:
            tell(steps, perf_counter() - began)
        if parts.goes_on is not None and not tables.rows(parts.goes_on)[0][1]:
            return steps, Stopped.BY_RULE
    return steps, stopped if steps else Stopped.BY_RULE


def _see(tables: Tables, parts: SqlParts, program: Program, step: int) -> None:
    """Looks; a number that has left its bits is refused."""
    for batch in parts.look:
        tables.make(batch)
    if parts.out_of_bits is None:
        return
    for name, element in tables.rows(parts.out_of_bits):
        if element is not None:
            raise GraphError(_left_its_bits(tables, program, name, element, step))


def _left_its_bits(tables: Tables, program: Program, name: str, element: int, step: int) -> str:
    field = program.program.state.get(name)
    if field is None:
        return f"'{name}' grows beyond 62 bits on this graph: give smaller numbers."
    least, most = field.bounds
    value = tables.rows(f'SELECT "{name}" FROM "{field.at}" WHERE "id" = {element}')[0][0]
    when = f"becomes {value} in step {step}" if step else f"starts as {value}"
    return (
        f"'{name}' of {field.at} {element} {when}, and {field.bits} bits hold {least} to {most}: "
        "give smaller numbers, or declare more bits."
    )


def outcomes_of(tables: Tables, program: Program) -> dict[str, bool]:
    """What is found of the whole graph."""
    names = program.program.outcomes
    row = (
        tables.rows(f'SELECT "id", {", ".join(map(sql_column, names))} FROM "graph"')[0][1:]
        if names
        else ()
    )
    return dict(zip(names, map(bool, row), strict=True))


def count_of(tables: Tables, at: At) -> int:
    """How many rows a table has."""
    return int(tables.rows(f'SELECT COUNT(*) FROM "{at}"')[0][0])


def missing(called: str, extra: str) -> AlgoLensError:
    """What to say where a database is not installed."""
    return AlgoLensError(f"{called} is not installed: pip install 'algolens[{extra}]'.")


def refuse_missing_folder(engine: Engine, folder: str | None) -> None:
    """Refuses a folder that is not there."""
    if folder is not None and not Path(folder).is_dir():
        raise AlgoLensError(
            f"option folder of engine {engine.name} is '{folder}': there is no such folder. Make "
            "it first."
        )


def fresh_names(prefix: str) -> Iterator[str]:
    """Names that are not taken yet."""
    number = 0
    while True:
        number += 1
        yield f"{prefix} {number}"
