"""What came of a run as a table: a row for each node or edge, a column for each output."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from algolens.disk import check_writable, write_file
from algolens.engines import Run
from algolens.errors import WritingError
from algolens.graphs import Location, NamedGraph
from algolens.graphs.scales import Scale
from algolens.language.fields import Pointer
from algolens.lazy import csv, pa, parquet

FORMS = (".csv", ".tsv", ".parquet")


def own_values(run: Run, given: NamedGraph, output: str, step: int | None = None) -> list[Any]:
    """An output after a step, from 0 on (None: the last); nodes as the user calls them.

    Edges are in the user's order.
    """
    kind, location = run.algorithm.declaration.outputs[output], run.algorithm.declaration.location
    of_all = run.shown(output, step)
    values = [of_all[place] for place in run.graph.named_order(location).tolist()]
    if run.scale_of(output).type is Decimal and not given.has_decimals:
        return [None if value is None else float(value) for value in values]
    if not isinstance(kind, Pointer) or kind.to is not Location.NODE:
        return values
    place_of = run.graph.place_of
    return [None if name is None else given.nodes[place_of[name]] for name in values]


def result_table(run: Run, given: NamedGraph) -> pa.Table:
    """A row for each node, or for each edge by its source and target; null where there is none.

    Edges are in the user's order and direction.
    """
    declaration, nodes = run.algorithm.declaration, _as_column(given.nodes)
    columns: dict[str, Any] = {}
    order = run.graph.named_order(declaration.location)
    if declaration.location is Location.NODE:
        columns["node"] = nodes
    else:
        source, target = run.graph.ends(declaration.location)[:, order]
        columns |= {"source": nodes.take(pa.array(source)), "target": nodes.take(pa.array(target))}
    for name, kind in declaration.outputs.items():
        # what a tensor holds as the user reads it needs no look at each value
        is_plain = kind.is_truth_value or (kind.is_number and run.scale_of(name) == Scale())
        if is_plain and name not in {*declaration.only_where, *declaration.endless}:
            columns[name] = pa.array(run.final(name)[order])
        else:
            columns[name] = _as_column(own_values(run, given, name))
    return pa.table(columns)


def _as_column(values: Any) -> pa.Array:
    """Values as Arrow has them; as text where it has no one type for them."""
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        return pa.array([None if value is None else str(value) for value in values])


def check_result_file(path: Path) -> None:
    """Refuses a place where no table can be written, or where something is already."""
    if path.suffix.lower() not in FORMS:
        raise WritingError(
            f"{path}: results are written as {', '.join(FORMS)}, and not as '{path.suffix}'. Give "
            "one of these endings."
        )
    if path.exists():
        raise WritingError(
            f"{path} is there already: nothing is written over it. Give another place."
        )
    check_writable(path)


def write_result(path: Path, table: pa.Table) -> Path:
    """Writes a table, in the form that the ending says, piece by piece; gives the place."""
    check_result_file(path)
    if path.suffix.lower() == ".parquet":
        write_file(path, lambda file: parquet.write_table(table, file))
    else:
        separator = "\t" if path.suffix.lower() == ".tsv" else ","
        options = csv.WriteOptions(delimiter=separator)
        write_file(path, lambda file: csv.write_csv(table, file, options))
    return path
