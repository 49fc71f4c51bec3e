"""Graph files: what is read, and what is said of those that cannot be."""

from __future__ import annotations

import csv
import io
import json
import random

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError, GraphFileError
from algolens.graphs import (
    built_ins,
    from_networkx,
    load_graph,
    read_graph_file,
    stream,
    to_networkx,
)
from tests.effort import in_proportion
from tests.strategies import simple_graphs

CASES = [
    ("missing.csv", None, "missing.csv: there is no such file"),
    ("graph.xlsx", "x", "files ending in '.xlsx' are not read"),
    ("empty.csv", "", "empty.csv is empty: it has no nodes"),
    ("header.csv", "source,target\n", "header.csv is empty"),
    (
        "heavy.csv",
        "source,target,weight\na,b,1\n3,7,heavy\n",
        r"heavy.csv, line 3: 'weight' of edge \(3, 7\) is 'heavy'",
    ),
    ("nan.csv", "a,b,nan\n", "is 'nan', which is no number"),
    ("some.csv", "a,b,1\nb,c\n", r"edge \(b, c\) has no weight though others have"),
    (
        "twice.csv",
        "a,b,1\nb,a,2\n",
        r"line 2: edge \(b, a\) stands twice, once with weight 1 and once with weight 2",
    ),
    ("wide.csv", "a,b,1,5\n", "4 columns came"),
    ("none.csv", ",b\n", "line 1: the source is missing"),
    ("spaces.csv", "a b 1\nb c 2\n", "line 1: 'a b 1' has no comma"),
    ("later.csv", "a,b,1\nb c 2\n", "line 2: 'b c 2' has no comma"),
    ("mixed.csv", "a,b,1\nb;c;2\n", "line 2: 'b;c;2' has no comma"),
    ("decimal.csv", "a;b;1,5\n", "line 1: there are commas and semicolons"),
    ("decimal2.csv", "source;target;weight\na;b;1,5\n", "line 2: 'weight' of edge .* is '1,5'"),
    ("commas.tsv", "a,b,1\n", "line 1: 'a,b,1' has no tab"),
    ("open.csv", 'a,b,1\n"b,c,2\nc,d,3\n', "line 2: cannot be read .*quote"),
    ("two.csv", 'a,b,1\n"b,c,2\nc,d,3\n"d,e,4\n', "line 2: cannot be read .*quote"),
    ("other.csv", "from,to,cost\na,b,1\n", "line 1: this reads like a header"),
    ("pair.csv", "From,To\na,b\n", "line 1: this reads like a header"),
    ("half.csv", "source,to,weight\na,b,1\n", "line 1: this reads like a header"),
    (
        "unknown.csv",
        "town,city,length\na,b,1\n",
        "line 1: .* is 'length', which is no number. .* if this line is a header",
    ),
    (
        "double.csv",
        "source,target,weight,weight\na,b,1,2\n",
        "line 1: the header names a column twice",
    ),
    ("aim.csv", "a,,5\n", "line 1: the target is missing"),
    (
        "tags.csv",
        "#python,#rust\n",
        "line 1: it begins with '#', and a remark cannot be told from a name",
    ),
    ("remark.csv", "a,b\n# roads, of 1990\n", "line 2: it begins with '#'"),
    ("separators.csv", ";\n", "line 1: there are separators alone"),
    ("return.csv", "a,b\nc,d\re\n", "line 2: a carriage return ends some lines and not others"),
    ("behind.csv", 'a,"b"c\n', "line 1: cannot be read .*quote"),
    ("binary.csv", b"\xff\xfe\x00a", "cannot be read"),
    ("broken.json", "{", "not JSON"),
    ("list.json", "[]", "not node-link JSON"),
    ("noid.json", '{"nodes": [{}], "edges": []}', "'id' is missing"),
    (
        "ghost.json",
        '{"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "z"}]}',
        "leads to node 'z'",
    ),
    (
        "directed.json",
        '{"directed": "no", "nodes": [{"id": "a"}], "edges": []}',
        "'directed' is 'no'. Write true or false",
    ),
    (
        "text.json",
        '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": "x"}]}',
        "is 'x', which is no",
    ),
    (
        "twice.json",
        '{"nodes": [{"id": 1, "wall": true}, {"id": 1.0}], "links": []}',
        "node '1.0' stands twice",
    ),
    ("odd.json", '{"nodes": [{"id": [1]}], "links": []}', "cannot be a node's id"),
    ("broken.graphml", "<graphml>", "not GraphML"),
    ("none.graphml", "<graphml></graphml>", "there are 0 graphs in it"),
    (
        "two.graphml",
        "<graphml>" + '<graph><node id="a"/></graph>' * 2 + "</graphml>",
        "there are 2 graphs in it",
    ),
    (
        "same.graphml",
        '<graphml><graph><node id="a"/><node id="a"/></graph></graphml>',
        "node 'a' stands twice",
    ),
    (
        "ghost.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
        '<node id="a"/><edge source="a" target="z"/></graph></graphml>',
        "leads to node 'z', which the file does not declare",
    ),
]


@pytest.mark.parametrize(("name", "content", "complaint"), CASES)
def test_a_bad_file_gets_one_line_that_names_it(tmp_path, name, content, complaint):
    path = tmp_path / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.write_text(content)
    with pytest.raises(GraphFileError, match=complaint) as caught:
        read_graph_file(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_folder_is_no_graph(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(GraphFileError, match="cannot be read"):
        read_graph_file(tmp_path / "folder.csv")


@given(simple_graphs())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_form_gives_the_same_graph(tmp_path, graph):
    graph = nx.relabel_nodes(graph, {node: f"n{node}" for node in graph})
    for i, (u, v) in enumerate(graph.edges):
        graph.edges[u, v]["weight"] = i + 1
    (tmp_path / "g.json").write_text(json.dumps(nx.node_link_data(graph, edges="edges")))
    (tmp_path / "old.json").write_text(json.dumps(nx.node_link_data(graph, edges="links")))
    nx.write_graphml(graph, tmp_path / "g.graphml")
    rows = [*graph.nodes, *(f"{u},{v},{w}" for u, v, w in graph.edges(data="weight"))]
    (tmp_path / "g.csv").write_text("\n".join(rows))
    (tmp_path / "h.csv").write_text("\n".join(["Source,Target,Weight", "", *rows]))
    (tmp_path / "g.tsv").write_text("\n".join(rows).replace(",", "\t"))
    expected = from_networkx(graph)
    for name in ("g.json", "old.json", "g.graphml", "g.csv", "h.csv", "g.tsv"):
        found = read_graph_file(tmp_path / name)
        assert found.names == expected.names
        assert nx.utils.graphs_equal(to_networkx(found), to_networkx(expected))


ROWS = st.lists(
    st.tuples(
        st.sampled_from("abcdef"),
        st.sampled_from(["g h", "i", "j;k", "l, m", 'n"o']),
        st.integers(1, 99),
    ),
    min_size=1,
)


@given(ROWS, st.permutations(["source", "target", "weight"]), st.sampled_from(",;\t"))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_go_by_their_names_and_separators_by_the_first_line(
    tmp_path, rows, order, separator
):
    rows = list({row[:2]: row for row in rows}.values())
    text = io.StringIO()
    writer = csv.DictWriter(text, order, delimiter=separator, quoting=csv.QUOTE_NONNUMERIC)
    text.write(separator.join(order) + "\n")
    writer.writerows(dict(zip(("source", "target", "weight"), row, strict=True)) for row in rows)
    (tmp_path / "g.csv").write_text(text.getvalue())
    expected = nx.Graph()
    expected.add_weighted_edges_from(rows)
    assert nx.utils.graphs_equal(to_networkx(read_graph_file(tmp_path / "g.csv")), expected)


def test_names_that_need_quotes_have_them(tmp_path):
    (tmp_path / "g.csv").write_text(
        'New York,Boston,1\n"Los Angeles"\n"a;b",Boston,2\n"#1", "x, y",3\n'
    )
    assert read_graph_file(tmp_path / "g.csv").names == (
        "New York",
        "Boston",
        "Los Angeles",
        "a;b",
        "#1",
        "x, y",
    )
    (tmp_path / "words.csv").write_text("source,target\nfrom,to\nto,start\n")
    assert read_graph_file(tmp_path / "words.csv").names == ("from", "to", "start")


def test_blanks_count_between_quotes_alone_and_are_told(tmp_path):
    (tmp_path / "g.csv").write_text('a, b\n" a ","b"\n')
    found = read_graph_file(tmp_path / "g.csv")
    assert found.names == ("a", "b", " a ")
    assert found.notes == (
        f"{tmp_path / 'g.csv'}, line 1: blanks around 'b' are left out, as around all without "
        "quotes.",
    )


HOSTILE = [
    *"ab#,;\t \"'\\|&<>=01.",
    "\xa0",
    "\x85",
    "\u2028",
    "\ufeff",
    "é",
    "#a",
    "a,b",
    '""',
    "nan",
    "None",
    "10",
]
ENDS = ["\r", "\n", "\r\n"]


def hostile_graph(rng, *, directed):
    """A graph whose nodes are called by what files are written with; no name is empty, or blanks
    alone.
    """
    parts = HOSTILE + (ENDS if rng.random() < 0.1 else [])
    drawn = {
        "a" * rng.randint(0, 1) + "".join(rng.choices(parts, k=rng.randint(1, 3)))
        for _ in range(rng.randint(2, 4))
    }
    # a mark of the order of bytes at the very beginning belongs to the file
    names = sorted(name for name in drawn if name.strip(" \t") and not name.startswith("\ufeff"))
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(names or ["a"])
    for _ in range(rng.randint(1, 8)):
        u, v = rng.choice(list(graph)), rng.choice(list(graph))
        if u != v:
            graph.add_edge(u, v, weight=rng.randint(1, 99))
    return graph


def as_csv(graph, path, rng, quoting, *, header):
    """Writes a graph as the csv module writes rows."""
    separator = "\t" if path.suffix == ".tsv" else rng.choice(",;\t" if header else ",;")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(
            file, delimiter=separator, quoting=quoting, lineterminator=rng.choice(["\r\n", "\n"])
        )
        writer.writerows([["source", "target", "weight"]] if header else [])
        writer.writerows(graph.edges(data="weight"))
        writer.writerows([node, "", ""] for node in nx.isolates(graph))


FORMS = {
    "g.json": lambda graph, path, _: path.write_text(
        json.dumps(nx.node_link_data(graph, edges="edges"))
    ),
    "g.graphml": lambda graph, path, _: nx.write_graphml(graph, path),
    "all.csv": lambda graph, path, rng: as_csv(graph, path, rng, csv.QUOTE_ALL, header=True),
    "some.csv": lambda graph, path, rng: as_csv(graph, path, rng, csv.QUOTE_MINIMAL, header=True),
    "bare.csv": lambda graph, path, rng: as_csv(graph, path, rng, csv.QUOTE_MINIMAL, header=False),
    "some.tsv": lambda graph, path, rng: as_csv(graph, path, rng, csv.QUOTE_MINIMAL, header=True),
}
LEAST_READ = {
    "g.json": 1,
    "g.graphml": 1,
    "all.csv": 0.9,
    "some.csv": 0.6,
    "bare.csv": 0.5,
    "some.tsv": 0.6,
}


@pytest.mark.parametrize("name", FORMS)
def test_a_graph_comes_back_as_it_was_written_or_is_refused(tmp_path, name):
    rng, path, graphs, came_back = random.Random(name), tmp_path / name, in_proportion(400), 0
    for number in range(graphs):
        graph = hostile_graph(rng, directed=number % 3 == 0)
        FORMS[name](graph, path, rng)
        try:
            found = read_graph_file(path, directed=graph.is_directed())
        except AlgoLensError:
            continue
        if found.notes:  # that blanks are left out
            assert "blanks around" in found.notes[0]
            continue
        came_back += 1
        edges = {(u, v): int(w) for u, v, w in graph.edges(data="weight")}
        again = to_networkx(found)
        assert set(again) == set(graph)
        assert all(
            again.has_edge(u, v) and int(again.edges[u, v]["weight"]) == w
            for (u, v), w in edges.items()
        )
        assert again.number_of_edges() == len(edges)
    assert came_back >= LEAST_READ[name] * graphs


def test_self_loops_and_parallel_edges_are_remembered(tmp_path):
    (tmp_path / "g.csv").write_text("a,b\na,a\nb,c\nb,a\n")
    found = read_graph_file(tmp_path / "g.csv")
    assert (found.loops, found.parallel, found.notes) == ((0,), (0,), ())
    _, notes = algorithm("bfs").read(found, stream(0), source="a")
    assert notes == [
        "the self-loop at node 'a' is left out.",
        "edge (a, b) stands more than once, and is read as one edge.",
    ]
    (tmp_path / "g.csv").write_text("a,b\n")
    assert (
        read_graph_file(tmp_path / "g.csv").loops,
        read_graph_file(tmp_path / "g.csv").parallel,
    ) == ((), ())


def test_a_family_is_not_taken_for_a_built_in():
    with pytest.raises(AlgoLensError, match="gird") as caught:
        load_graph("gird:20")
    assert ", nx" not in str(caught.value)


def test_names_that_are_no_files():
    assert load_graph("nx:karate_club").num_nodes == 34
    assert load_graph("barabasi_albert:30", seed=3).num_nodes == 30
    assert "petersen" in built_ins()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nx:petersn", "Did you mean 'petersen'"),
        ("gird:20", "Did you mean 'grid'"),
        ("grid:many", "'many' is no such number"),
        ("grid:0", "nodes of 'grid' is 0"),
        ("grid", "grid needs a size: grid:50"),
        (".", "a folder cannot be read as a graph"),
    ],
)
def test_unknown_names_get_a_hint(name, complaint):
    with pytest.raises(AlgoLensError, match=complaint):
        load_graph(name)


@pytest.mark.parametrize("name", built_ins())
def test_every_built_in_loads(name):
    assert load_graph(f"nx:{name}").num_nodes > 0


def test_a_misspelt_file_is_told_with_the_one_that_was_meant(tmp_path):
    (tmp_path / "village.csv").write_text("a,b\n")
    with pytest.raises(GraphFileError, match=r"Did you mean '.*village\.csv'\?"):
        load_graph(str(tmp_path / "vilage.csv"))
    with pytest.raises(GraphFileError) as refused:
        load_graph(str(tmp_path / "other.csv"))
    assert "Did you mean" not in str(refused.value)


def test_a_header_of_one_column_is_no_node(tmp_path):
    file = tmp_path / "nodes.csv"
    file.write_text("source\na\nb\n")
    assert load_graph(str(file)).names == ("a", "b")
