"""Tables of edges and of nodes as columns, from texts, Parquet, pandas and Arrow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from algolens.errors import GraphError, GraphFileError, brief
from algolens.graphs.attributes import (
    Attribute,
    column,
    exact_number,
    hold_something,
    number_or_text,
    picked,
)
from algolens.graphs.lines import Line
from algolens.graphs.text_tables import TextTable, from_arrow, read_text_table, to_arrow
from algolens.lazy import pa, parquet, pc

COLUMNS = ("source", "target", "weight")
PLAIN = "^-?[0-9]{1,18}$"  # whole numbers as they are mostly written, which an int64 holds
# two of these words in the first line make it a header; its columns are then found by name and
# never guessed
HEADER_WORDS = {
    "source",
    "target",
    "weight",
    "from",
    "to",
    "src",
    "dst",
    "start",
    "end",
    "head",
    "tail",
    "origin",
    "destination",
    "node1",
    "node2",
    "node_1",
    "node_2",
    "cost",
    "distance",
    "length",
}
# the cells of a column: of Arrow, null where there is none; or Python's own, None where there is
# none
Cells: TypeAlias = "pa.ChunkedArray | np.ndarray"


@dataclass
class UserTable:
    """Cells by column, and where each row stands."""

    columns: dict[str, Cells]
    where: Callable[[int], str]
    name: str = ""  # of the file
    notes: list[str] = field(default_factory=list)
    is_file: bool = False
    of_numbers: tuple[str, ...] = ()  # columns whose texts are numbers

    @property
    def error(self) -> type[GraphError]:
        """What is raised where a row is wrong."""
        return GraphFileError if self.is_file else GraphError

    def attribute(self, name: str, rows: np.ndarray | None = None) -> Attribute:
        """The values of a column in some rows, or in all."""
        cells = self.columns[name] if rows is None else taken(self.columns[name], rows)
        return _numbers(cells) if name in self.of_numbers else _values(cells)

    def row(self, number: int) -> dict[str, Any]:
        """The cells of a row by column, without empty ones."""
        only = np.array([number])
        cells = {name: self.attribute(name, only).tolist()[0] for name in self.columns}
        return {name: cell for name, cell in cells.items() if cell is not None}


def cells_there(cells: Cells) -> np.ndarray:
    """[R] bools: does a cell hold something?"""
    if isinstance(cells, np.ndarray):
        return hold_something(cells)
    if not cells.null_count:
        return np.ones(len(cells), dtype=bool)
    return from_arrow(cells.is_valid())


def taken(cells: Cells, rows: np.ndarray) -> Cells:
    """The cells of some rows."""
    return cells[rows] if isinstance(cells, np.ndarray) else cells.take(to_arrow(rows))


def _values(cells: Cells) -> Attribute:
    """Cells as an attribute: numbers as they are, and texts."""
    if isinstance(cells, np.ndarray):
        return column(cells.tolist())
    kind = cells.type
    if pa.types.is_string(kind) or pa.types.is_decimal(kind):
        return _by_distinct(cells, list)
    if cells.null_count == 0:
        if pa.types.is_floating(kind) or pa.types.is_boolean(kind):
            return from_arrow(cells)
        if pa.types.is_integer(kind) and (kind != pa.uint64() or pc.max(cells).as_py() < 2**63):
            return from_arrow(cells.cast(pa.int64()))
    return column(cells.to_pylist())


def _numbers(texts: pa.ChunkedArray) -> Attribute:
    """The numbers that texts say; the text itself where it says none."""
    if not texts.null_count and pc.all(pc.match_substring_regex(texts, PLAIN)).as_py():
        return from_arrow(texts.cast(pa.int64()))
    return _by_distinct(texts, partial(map, number_or_text))


def _by_distinct(texts: pa.ChunkedArray, read: Callable[[list[str]], Any]) -> Attribute:
    """What texts say, each different one read once."""
    distinct, codes = encoded(texts)
    values = column([*read(distinct.to_pylist()), *([None] if texts.null_count else [])])
    return picked(values, codes)


def encoded(cells: pa.ChunkedArray) -> tuple[pa.Array, np.ndarray]:
    """The different cells in the order they come in, and [R] which each is; -1 where it is none."""
    coded = cells.combine_chunks().dictionary_encode()
    indices, none = coded.indices, to_arrow(np.full(len(cells), -1, dtype=np.int32))
    return coded.dictionary, from_arrow(pc.coalesce(indices, none))


# ---- texts


def read_edge_text(path: Path) -> UserTable:
    """``source,target[,weight]`` a line, or as a header says; a source alone is a lone node."""
    table = read_text_table(path, "source, target and weight", _edge_columns)
    table.columns = table.columns or {name: pa.chunked_array([], pa.string()) for name in COLUMNS}
    return _of_text(table, of_numbers=("weight",))


def _edge_columns(first: Line) -> tuple[Sequence[str], bool]:
    """The columns by a header, in any order, and whether the first line is one."""
    cells = first.cells
    names = [cell.lower() for cell in cells]
    if {"source", "target"} <= set(names):
        _check_header(names, first)
        both = zip(names, cells, strict=True)
        return tuple(name if name in COLUMNS else cell for name, cell in both), True
    numbers = [exact_number(cell) for cell in cells]
    if (
        len(names) > 1
        and set(names[:2]) <= HEADER_WORDS
        and not any(n is not None for n in numbers)
    ):
        raise GraphFileError(
            f"{first.where}: this reads like a header, and '{', '.join(names)}' does not say "
            "which columns are source and target. Name them source, target and weight; or put "
            "such a line above, if these are nodes."
        )
    if len(cells) == len(COLUMNS) and all(cells) and numbers[-1] is None:
        raise GraphFileError(
            f"{first.where}: 'weight' of edge ({cells[0]}, {cells[1]}) is '{cells[2]}', which is "
            "no number. Correct the file or, if this line is a header, name its columns source, "
            "target and weight."
        )
    return COLUMNS, False


def read_node_text(path: Path) -> UserTable:
    """A header with a column ``node``, then a line for each node; cells are texts."""
    table = read_text_table(path, "the columns", _node_columns)
    if not table.columns:
        raise GraphFileError(
            f"{path}: the file is empty. Write a header, as in node,wall, and a line for each node."
        )
    return _of_text(table)


def _node_columns(header: Line) -> tuple[Sequence[str], bool]:
    columns = ["node" if cell.lower() == "node" else cell for cell in header.cells]
    if "node" not in columns:
        raise GraphFileError(
            f"{header.where}: the header '{', '.join(columns)}' has no column 'node', which names "
            "the nodes. Write one, as in node,wall."
        )
    _check_header(columns, header)
    return columns, True


def _check_header(names: list[str], line: Line) -> None:
    """Refuses a header that names a column twice, or not at all."""
    if len(set(names)) < len(names):
        raise GraphFileError(
            f"{line.where}: the header names a column twice ({', '.join(names)}). Name each once."
        )
    if "" in names:
        raise GraphFileError(
            f"{line.where}: column {names.index('') + 1} of the header has no name. Name it, or "
            "take it out."
        )


def _of_text(table: TextTable, of_numbers: tuple[str, ...] = ()) -> UserTable:
    return UserTable(table.columns, table.where, str(table.path), table.notes, True, of_numbers)


# ---- Parquet, Arrow, pandas


def read_parquet(path: Path, wanted: Sequence[str]) -> UserTable:
    """The table of a Parquet file, which has the wanted columns."""
    try:
        read = parquet.read_table(path)
        read.validate(full=True)  # text in it need not be UTF-8
    except (pa.ArrowException, UnicodeDecodeError) as problem:
        raise GraphFileError(
            f"{path}: not Parquet ({brief(problem)}). Correct the file."
        ) from problem
    columns = {
        name: _in_plain_type(cells)
        for name, cells in zip(read.column_names, read.columns, strict=True)
    }
    return _checked(columns, wanted, str(path), f"{path}, row {{}}", is_file=True)


def table_of(given: Any, wanted: Sequence[str], what: str) -> UserTable:
    """A table of pandas, Arrow, Polars, or of any library that hands out Arrow's tables."""
    if hasattr(given, "dtypes") and hasattr(given, "iloc"):
        names, cells = (
            [str(name) for name in given.columns],
            [_of_pandas(given.iloc[:, i]) for i in range(given.shape[1])],
        )
    else:
        table = pa.table(given)
        names, cells = table.column_names, [_in_plain_type(part) for part in table.columns]
    if len(set(names)) < len(names):
        raise GraphError(
            f"{what} has two columns of one name, among {', '.join(names)}. Rename one of them."
        )
    columns = dict(zip(names, cells, strict=True))
    return _checked(columns, wanted, what, f"row {{}} of {what}", is_file=False)


def edge_table(edges: Any) -> UserTable:
    """The edges of a table in memory."""
    return table_of(edges, ("source", "target"), "the table of edges")


def node_table(nodes: Any) -> UserTable | None:
    """What a table in memory says of nodes."""
    return None if nodes is None else table_of(nodes, ("node",), "the table of nodes")


def _checked(
    columns: dict[str, Cells], wanted: Sequence[str], what: str, where: str, *, is_file: bool
) -> UserTable:
    table = UserTable(columns, where.format, what, is_file=is_file)
    for name in wanted:
        if name not in columns:
            raise table.error(
                f"{what} has no column '{name}'; it has {', '.join(columns) or 'none'}. Rename one "
                "of them."
            )
    return table


def _in_plain_type(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts of any of Arrow's types for them as one type."""
    kind = cells.type.value_type if pa.types.is_dictionary(cells.type) else cells.type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        kind = pa.string()
    return cells if kind == cells.type else cells.cast(kind)


def _of_pandas(cells: Any) -> Cells:
    """A column of pandas: numbers and texts by Arrow, all else cell by cell."""
    import pandas as pd

    if cells.dtype != object or pd.api.types.infer_dtype(cells, skipna=True) == "string":
        try:
            array = pa.Array.from_pandas(cells)
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            pass
        else:
            whole = array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])
            plain = _in_plain_type(whole)
            if _is_plain(plain.type):
                return plain
    values = [None if pd.isna(cell) is True else cell for cell in cells.tolist()]
    return np.fromiter(values, dtype=object, count=len(values))


def _is_plain(kind: pa.DataType) -> bool:
    """Whether Python's own values of a type are those that pandas gives."""
    return (
        pa.types.is_string(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_boolean(kind)
    )
