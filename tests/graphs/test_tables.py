"""Tables are read as columns, and give what reading them row by row gives."""

from __future__ import annotations

import random
import sys
from decimal import Decimal

import networkx as nx
import numpy as np
import pyarrow as pa
import pytest

import algolens as al
from algolens.errors import AlgoLensError, GraphFileError
from algolens.graphs import from_networkx, read_graph_file
from algolens.graphs.attributes import as_written, column, in_doubles, number_or_text
from algolens.graphs.scales import (
    first_negative,
    number_type,
    scale_for,
    scale_of,
    type_of,
    whole_numbers,
)
from algolens.graphs.tables import by_distinct
from algolens.graphs.text_tables import (
    BLANKS,
    COLUMNS,
    SEPARATORS,
    Line,
    _edge_columns,
    _numbers,
)

CELLS = ["a", "b", "c", "d", "a b", "é", "7", "07", "n" * 9, '"q"', '"x,y"', '"u"', '" "', ""]
ODD_CELLS = [*CELLS, " a", "b ", "#a", "a;b", "a\tb", 'a"b', '"', '"a"b', '""', "\xa0", "\u2028"]
NUMBERS = ["1", "2", "07", "0.5", "0.50", "-3", "12.25", "1000000"]
ODD_NUMBERS = [*NUMBERS, "+5", "1e5", "5.", ".5", "-0.0", "123456789012345678901", "0." + "1" * 20]
WRONG = [*ODD_NUMBERS, "nan", "heavy", ""]


def drawn_table(rng):
    """The text of a table: plain for the most part, with something odd here and there."""
    separator = rng.choice([",", ",", ";", "\t"])
    columns = list(COLUMNS) + (["weight_back", "note"] if rng.random() < 0.3 else [])
    has_header = len(columns) > 3 or rng.random() < 0.5
    width = rng.choice([2, 3]) if len(columns) == 3 else len(columns)
    cells = rng.choice([CELLS[:10], CELLS, ODD_CELLS])
    numbers = rng.choice([NUMBERS[:3], NUMBERS, ODD_NUMBERS, WRONG])
    rows = [columns[:width]] if has_header else []
    for _ in range(rng.randint(0, 12)):
        row = [rng.choice(cells), rng.choice(cells), rng.choice(numbers), rng.choice(numbers), "t"]
        rows.append(row[: width if rng.random() < 0.9 else rng.randint(1, 5)])
        if rng.random() < 0.3:  # the same again, perhaps turned
            rows.append(rows[-1][1::-1] + rows[-1][2:])
    lines = [separator.join(row) for row in rows]
    if rng.random() < 0.2:
        lines.insert(rng.randint(0, len(lines)), rng.choice(["", "  ", separator, " " + separator]))
    if rng.random() < 0.1:
        lines = [line.replace(separator, separator + " ") for line in lines]
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(lines) + (end if rng.random() < 0.7 else "")
    return ("\ufeff" if rng.random() < 0.1 else "") + text


class Refused(Exception):
    """The reference reads no such table."""


def row_by_row(path, *, directed):
    """What an edge list says, line by line and edge by edge, in dictionaries alone."""
    nodes: dict[str, int] = {}
    edges: dict[tuple[str, str], dict[str, object]] = {}
    named: dict[tuple[str, str], int] = {}
    repeated, separator, columns, note = set(), "", None, None
    with path.open(encoding="utf-8-sig", newline="") as file:
        for number, ended in enumerate(file, start=1):
            text = ended.rstrip("\r\n")
            if not text.strip(BLANKS):
                continue
            mark = separator or next((mark for mark in SEPARATORS if mark in text), ",")
            line = Line(f"{path}, line {number}", text, mark, "source, target and weight")
            if separator and line.is_empty:
                continue
            if columns is None:
                separator = line.separator
                columns, is_header = _edge_columns(line)
                if is_header:
                    continue
            cells = line.by_column(columns)
            if "weight" in cells:
                cells["weight"] = number_or_text(cells["weight"])
                if isinstance(cells["weight"], str):
                    raise Refused
            source, target = cells.pop("source", None), cells.pop("target", None)
            if source is None or (target is None and cells):
                raise Refused
            for node in (source, target) if target is not None else (source,):
                nodes.setdefault(node, len(nodes))
            if target is not None:
                is_turned = (target, source) in edges and not directed and source != target
                ends = (target, source) if is_turned else (source, target)
                both = {*cells, *edges.get(ends, {})}
                if is_turned and {"weight", "weight_back"} <= both:
                    swapped = {"weight": "weight_back", "weight_back": "weight"}
                    cells = {swapped.get(name, name): value for name, value in cells.items()}
                if edges.setdefault(ends, cells) != cells:
                    raise Refused
                repeated |= {ends} if ends in named else set()
                named.setdefault(ends, len(named))
            trimmed = [cell.text for cell in line.split if cell.is_trimmed and cell.text]
            if trimmed and note is None:
                note = f"{line.where}: blanks around '{trimmed[0]}'"
    has_weight = {"weight" in cells for cells in edges.values()}
    if not nodes or len(has_weight) > 1:
        raise Refused
    names_there = {name for cells in edges.values() for name in cells}
    said = {}
    for (u, v), cells in edges.items():
        ends = (nodes[u], nodes[v])
        if ends[0] > ends[1] and not directed:
            if {"weight", "weight_back"} <= names_there:
                swapped = {"weight": "weight_back", "weight_back": "weight"}
                cells = {swapped.get(name, name): value for name, value in cells.items()}
            ends = ends[::-1]
        said[ends] = (cells, (u, v) in repeated)
    loops = tuple(sorted(u for u, v in said if u == v))
    there = {ends: said[ends] for ends in sorted(said) if ends[0] != ends[1]}
    names_of = {name for cells, _ in there.values() for name in cells}
    attributes = {
        name: [(type(value), str(value)) for value in values]
        for name in names_of
        for values in [[cells.get(name) for cells, _ in there.values()]]
    }
    tails, heads = [ends[0] for ends in there], [ends[1] for ends in there]
    parallel = tuple(place for place, (_, again) in enumerate(there.values()) if again)
    return (tuple(nodes), [tails, heads], attributes, loops, parallel), [note] if note else []


def written(graph):
    """All that a graph says."""
    attributes = {
        name: [(type(value), str(value)) for value in as_written(values)]
        for name, values in graph.edge_attributes.items()
    }
    return graph.names, graph.edges.tolist(), attributes, graph.loops, graph.parallel


def test_columns_give_what_row_by_row_gives_or_both_refuse(tmp_path):
    rng, path, tables, refused = random.Random(0), tmp_path / "g.csv", 1400, 0
    for number in range(tables):
        path.write_bytes(drawn_table(rng).encode())
        directed = number % 3 == 0
        try:
            expected, notes = row_by_row(path, directed=directed)
        except (Refused, GraphFileError):
            refused += 1
            with pytest.raises(GraphFileError) as caught:
                read_graph_file(path, directed=True if directed else None)
            assert str(path) in str(caught.value)
            continue
        graph = read_graph_file(path, directed=True if directed else None)
        assert written(graph) == expected, path.read_text()
        assert len(graph.notes) == len(notes)
        assert all(note.startswith(start) for note, start in zip(graph.notes, notes, strict=True))
    assert 0.2 * tables < refused < 0.8 * tables


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ("x,y,heavy", r"line {}: 'weight' of edge \(x, y\) is 'heavy', which is no number"),
        ("x,y", r"edge \(x, y\) has no weight though others have"),
        (",y,3", "line {}: the source is missing"),
        ("x,,3", "line {}: the target is missing"),
        ("x,y,1,2", "line {}: 4 columns came"),
        ('"x,y,1', "line {}: cannot be read"),
        ("x,y,1\ny,x,1.5", r"edge \(y, x\) stands twice, once with weight 1 and once with weight"),
    ],
)
def test_one_wrong_row_among_many_is_named(tmp_path, rows, complaint):
    lines = [f"a{i},b{i % 100},{i / 4}" for i in range(5000)]
    lines.insert(3210, rows)
    (tmp_path / "g.csv").write_text("\n".join(lines))
    with pytest.raises(GraphFileError, match=complaint.format(3211)):
        al.execute("bfs", tmp_path / "g.csv")


# ---- numbers


def test_numbers_of_a_text_are_as_written():
    rng = random.Random(0)
    for _ in range(300):
        texts = rng.choices(rng.choice([NUMBERS[:3], NUMBERS, ODD_NUMBERS]), k=rng.randint(1, 5))
        numbers = _numbers(texts)
        assert list(map(str, numbers)) == [str(number_or_text(text)) for text in texts]


def drawn_number(rng):
    match rng.randint(0, 5):
        case 0:
            return rng.randint(-100, 100) / rng.choice([1, 2, 4, 10, 100, 1000])
        case 1:
            return rng.random()
        case 2:
            return round(rng.random(), 15)
        case 3:
            return 10.0 ** rng.randint(-20, 20)
        case 4:
            return rng.uniform(-1, 1) * 2.0 ** rng.randint(-40, 40)
    return float(rng.randint(0, 10**6))


def drawn_column(rng):
    count = rng.randint(1, 8)
    match rng.randint(0, 4):
        case 0:
            return column([drawn_number(rng) for _ in range(count)])
        case 1:
            return column([round(rng.random() * 100, 2) for _ in range(count)])
        case 2:
            return column([rng.random() for _ in range(count)])
        case 3:
            return column([rng.randint(-5, 10**6) for _ in range(count)])
    digits = (rng.randint(-(10**6), 10**12) for _ in range(count))
    return column([Decimal(number).scaleb(-rng.randint(0, 9)) for number in digits])


def test_many_numbers_become_whole_as_each_does():
    rng, whole_at_once = random.Random(0), 0
    for _ in range(800):
        columns = [drawn_column(rng) for _ in range(rng.choice([1, 1, 2]))]
        numbers = [number for values in columns for number in as_written(values)]
        room = 2 ** rng.choice([20, 40, 50, 61])
        scale = scale_of(columns, room)
        assert scale == scale_for(numbers, room)
        assert type_of(columns) is number_type(numbers)
        for values in columns:
            expected = [scale.whole(number) for number in as_written(values)]
            multiplied = whole_numbers(values, scale)
            whole_at_once += multiplied is not None
            assert multiplied is None or multiplied.tolist() == expected
            negative = [place for place, n in enumerate(as_written(values)) if n < 0]
            assert first_negative(values) == next(iter(negative), None)
    assert whole_at_once > 500


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_short_floats_are_as_numpy_writes_them(kind):
    rng = np.random.default_rng(0)
    values = np.concatenate([rng.random(2000), rng.integers(0, 9999, 500) / 100]).astype(kind)
    assert in_doubles(values).tolist() == [float(str(v)) for v in values]


def test_texts_are_one_object_wherever_they_stand():
    rng = random.Random(0)
    parts = ["a", "b", "\0", "é", "1", "long name", None]
    for _ in range(200):
        texts = rng.choices(parts, k=rng.randint(0, 9))
        read = by_distinct(pa.array(texts, pa.string())).tolist()
        assert read == texts
        assert len(set(map(id, read))) == len(set(texts))


# ---- from the file to the result


def calls(work):
    """How many functions of Python a piece of work calls."""
    counted = 0

    def count(_frame, event, _argument):
        nonlocal counted
        counted += event == "call"

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return counted


def test_no_function_is_called_for_each_edge(tmp_path):
    def of_edges(count):
        rng = np.random.default_rng(0)
        ends = np.unique(rng.integers(0, 300, (count, 2)), axis=0)
        rows = [f"{u},{v},{(u + v) % 20 / 4}" for u, v in ends[ends[:, 0] < ends[:, 1]].tolist()]
        path = tmp_path / f"{count}.csv"
        path.write_text("\n".join(["0,1,0.25", *rows[1:]]))

        def work():
            run = al.execute("bellman_ford", path, source="0", directed=False, trace=False)
            assert run.to_arrow().num_rows == run.run.graph.num_nodes

        work()  # what is imported and compiled once
        return calls(work), len(rows)

    (few, fewer), (many, more) = of_edges(1500), of_edges(30_000)
    assert more > fewer + 5000
    assert many < few + 2500  # steps and nodes are nearly the same


@pytest.mark.parametrize("named", [False, True])
def test_no_function_is_called_for_each_edge_of_networkx(named):
    def of_edges(count):
        graph = nx.gnm_random_graph(300, count, seed=0)
        graph = nx.relabel_nodes(graph, str) if named else graph
        nx.set_edge_attributes(graph, 0.5, "weight")
        return calls(lambda: from_networkx(graph))

    assert of_edges(20_000) < of_edges(500) + 50


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
@pytest.mark.parametrize("name", ["dijkstra", "kruskal", "components", "bfs"])
def test_results_are_read_back_as_they_were(tmp_path, name, ending):
    import pandas as pd

    (tmp_path / "g.csv").write_text('source,target,weight\na,"b, c",0.5\n"b, c",d,2\nd,a,7\nlone\n')
    run = al.execute(name, tmp_path / "g.csv")
    path = run.save_result(tmp_path / f"result{ending}")
    read = pd.read_parquet if ending == ".parquet" else pd.read_csv
    table = read(path, **({"sep": "\t"} if ending == ".tsv" else {}))
    rows = [tuple(row) for row in table[list(table.columns[: -len(run.result)])].values]
    for output, values in run.result.items():
        elements = [row[0] if len(row) == 1 else row for row in rows]
        came_back = [None if pd.isna(value) else value for value in table[output].tolist()]
        assert dict(zip(elements, came_back, strict=True)) == dict(values)
    with pytest.raises(AlgoLensError, match="exists already and is not overwritten"):
        run.save_result(path)
    with pytest.raises(AlgoLensError, match=r"not as '\.txt'\. Use one of these"):
        run.save_result(tmp_path / "result.txt")
