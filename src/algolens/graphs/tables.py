"""Tables of edges and of nodes as columns, from Parquet, pandas and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from algolens.errors import GraphError, GraphFileError, brief
from algolens.graphs.attributes import Attribute, as_written, column, hold_something
from algolens.lazy import is_instance, pa, parquet

ENDS = ("source", "target")
MOST_NAMED = 5


@dataclass
class UserTable:
    """Values by column, None where a cell is empty, and where each row stands."""

    columns: dict[str, Attribute]
    where: Callable[[int], str]
    name: str  # of the file, or what messages call it
    notes: list[str] = field(default_factory=list)
    is_file: bool = False
    ends: np.ndarray | None = None  # [2, R] codes of sources and targets, where these are texts

    def refusal(self, row: int, problem: str) -> GraphError:
        """What is raised where a row is wrong."""
        return (GraphFileError if self.is_file else GraphError)(f"{self.where(row)}: {problem}")


def read_parquet(path: Path, wanted: Sequence[str]) -> UserTable:
    """The table of a Parquet file, which has the wanted columns."""
    try:
        read = parquet.read_table(path)
        read.validate(full=True)  # text in it need not be UTF-8
    except (pa.ArrowException, UnicodeDecodeError) as problem:
        raise GraphFileError(
            f"{path}: not Parquet ({brief(problem)}). Correct the file."
        ) from problem
    return _checked(_of_arrow(read), wanted, str(path), f"{path}, row {{}}", GraphFileError)


def table_of(given: Any, wanted: Sequence[str], what: str) -> UserTable:
    """A table of pandas, Arrow, Polars, or of any library that hands out Arrow's tables."""
    if is_instance(given, "pandas", "DataFrame"):
        columns = [(str(name), _of_pandas(cells)) for name, cells in given.items()]
    else:
        columns = _of_arrow(pa.table(given))
    return _checked(columns, wanted, what, f"row {{}} of {what}", GraphError)


def _checked(
    named: Sequence[tuple[str, Attribute]],
    wanted: Sequence[str],
    what: str,
    where: str,
    error: type[GraphError],
) -> UserTable:
    columns = dict(named)
    if len(columns) < len(named):
        names = ", ".join(name for name, _ in named)
        raise error(f"{what} has two columns of one name, among {names}. Rename one of them.")
    for name in wanted:
        if name not in columns:
            raise error(
                f"{what} has no column '{name}'; it has {', '.join(columns) or 'none'}. Rename one "
                "of them."
            )
    return UserTable(columns, where.format, what, is_file=error is GraphFileError)


def _of_pandas(cells: Any) -> Attribute:
    if isinstance(cells.dtype, np.dtype) and cells.dtype.kind in "bf" and not cells.hasnans:
        return cells.to_numpy(copy=True)
    return column(cells.astype(object).where(cells.notna(), None).tolist())


def _of_arrow(table: pa.Table) -> list[tuple[str, Attribute]]:
    return list(zip(table.column_names, map(_values, table.columns), strict=True))


def _values(cells: pa.ChunkedArray) -> Attribute:
    """Cells of Arrow as an attribute: numbers as they are, and texts."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        return _values(cells.cast(kind.value_type))
    if not (cells.null_count or pa.types.is_uint64(kind)):
        if pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            return from_arrow(cells)
        if pa.types.is_integer(kind):
            return from_arrow(cells.cast(pa.int64()))
    is_text = any(
        of(kind) for of in (pa.types.is_string, pa.types.is_large_string, pa.types.is_decimal)
    )
    return by_distinct(cells) if is_text else column(cells.to_pylist())


def by_distinct(
    cells: pa.Array | pa.ChunkedArray, read: Callable[[Any], Any] = lambda cell: cell
) -> Attribute:
    """What cells say, each different one read once, and one object wherever it stands.

    >>> by_distinct(pa.array(["a", None, "a"]))
    array(['a', None, 'a'], dtype=object)
    """
    coded = cells.dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    none = [None] if cells.null_count else []
    # an index of -1 is that of the last value
    return column([*map(read, coded.dictionary.to_pylist()), *none])[
        from_arrow(coded.indices.fill_null(-1))
    ]


def from_arrow(numbers: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """[R] a copy of numbers or truth values, none of which is null; Arrow's own imports pandas."""
    if isinstance(numbers, pa.ChunkedArray):
        numbers = numbers.combine_chunks()
    if pa.types.is_boolean(numbers.type):
        return from_arrow(numbers.cast(pa.uint8())).view(bool)
    return np.from_dlpack(numbers).copy()


# ---- nodes


def join_nodes(
    nodes: list[Hashable], attributes: Mapping[str, Attribute], table: UserTable, notes: list[str]
) -> tuple[list[Hashable], dict[str, Attribute]]:
    """The nodes with those that only the table has, and all their attributes.

    An empty cell says nothing. notes: takes what a user should know.
    """
    own = as_written(table.columns["node"])
    listed: set[str] = set()
    for row, node in enumerate(own):
        if node is None:
            raise table.refusal(row, "the node is missing. Name it, or take the row out.")
        if str(node) in listed:
            raise table.refusal(row, f"node '{node}' stands twice. Keep one of the rows.")
        listed.add(str(node))
    known = set(map(str, nodes))
    added = [node for node in own if str(node) not in known]
    nodes = [*nodes, *added]
    place = {str(node): number for number, node in enumerate(nodes)}
    places = [place[str(node)] for node in own]
    there = {}
    for name in dict.fromkeys([*attributes, *table.columns]):
        known_values = as_written(attributes.get(name, column([])))
        values = known_values + [None] * (len(nodes) - len(known_values))
        said = as_written(table.columns.get(name, column([])))
        for row, (number, value) in enumerate(zip(places, said, strict=False)):
            if value is not None and values[number] is not None:
                raise table.refusal(
                    row,
                    f"the graph itself says that {name} of node '{own[row]}' is "
                    f"'{values[number]}'. Keep one of them.",
                )
            values[number] = values[number] if value is None else value
        there[name] = column(values)
    notes += table.notes
    if added and table.is_file:
        shown = ", ".join(f"'{node}'" for node in added[:MOST_NAMED])
        more = ", ..." if len(added) > MOST_NAMED else ""
        notes.append(
            f"{table.name} lists nodes that no edge has; they are added as lone nodes: "
            f"{shown}{more}."
        )
    del there["node"]
    return nodes, {name: values for name, values in there.items() if hold_something(values).any()}
