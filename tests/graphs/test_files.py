"""Graph files: what is read, and what is said of those that cannot be."""

from __future__ import annotations

import csv
import io
import json

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algolens.errors import AlgoLensError, GraphFileError
from algolens.graphs import built_ins, from_networkx, load, read, to_networkx
from tests.strategies import simple_graphs

CASES = [
    ("missing.csv", None, "missing.csv: there is no such file"),
    ("graph.xlsx", "x", "files ending in '.xlsx' are not read"),
    ("empty.csv", "", "empty.csv: the graph is empty"),
    ("header.csv", "source,target\n", "the graph is empty"),
    ("heavy.csv", "source,target,weight\na,b,1\n3,7,heavy\n", r"heavy.csv, line 3: 'weight' of edge \(3, 7\) is 'heavy'"),
    ("nan.csv", "a,b,nan\n", "is 'nan', which is no number"),
    ("some.csv", "a,b,1\nb,c\n", r"edge \(b, c\) has no weight though others have"),
    ("twice.csv", "a,b,1\nb,a,2\n", r"line 2: edge \(b, a\) stands twice, once with weight 1 and once with weight 2"),
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
    ("unknown.csv", "town,city,length\na,b,1\n", "line 1: .* is 'length', which is no number. .* if this line is a header"),
    ("double.csv", "source,target,weight,weight\na,b,1,2\n", "line 1: the header names a column twice"),
    ("aim.csv", "a,,5\n", "line 1: the target is missing"),
    ("binary.csv", b"\xff\xfe\x00a", "cannot be read"),
    ("broken.json", "{", "not node-link JSON"),
    ("list.json", "[]", "not node-link JSON"),
    ("noid.json", '{"nodes": [{}], "edges": []}', "'id' is missing"),
    ("ghost.json", '{"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "z"}]}', "leads to node 'z'"),
    ("directed.json", '{"directed": "no", "nodes": [{"id": "a"}], "edges": []}', "'directed' is 'no'. Write true or false"),
    (
        "text.json",
        '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": "x"}]}',
        "is 'x', which is no",
    ),
    ("twice.json", '{"nodes": [{"id": 1, "wall": true}, {"id": 1.0}], "links": []}', "node '1.0' stands twice"),
    ("odd.json", '{"nodes": [{"id": [1]}], "links": []}', "cannot be a node's id"),
    ("broken.graphml", "<graphml>", "not GraphML"),
    ("none.graphml", "<graphml></graphml>", "there are 0 graphs in it"),
    ("two.graphml", "<graphml>" + '<graph><node id="a"/></graph>' * 2 + "</graphml>", "there are 2 graphs in it"),
    ("same.graphml", '<graphml><graph><node id="a"/><node id="a"/></graph></graphml>', "node 'a' is declared twice"),
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
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_a_folder_is_no_graph(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(GraphFileError, match="cannot be read"):
        read(tmp_path / "folder.csv")


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
    (tmp_path / "h.csv").write_text("\n".join(["Source,Target,Weight", "# a remark", "", *rows]))
    (tmp_path / "g.tsv").write_text("\n".join(rows).replace(",", "\t"))
    expected = from_networkx(graph)
    for name in ("g.json", "old.json", "g.graphml", "g.csv", "h.csv", "g.tsv"):
        found = read(tmp_path / name)
        assert found.names == expected.names
        assert nx.utils.graphs_equal(to_networkx(found), to_networkx(expected))


ROWS = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from(["g h", "i", "j;k", "l, m", 'n"o']), st.integers(1, 99)), min_size=1
)


@given(ROWS, st.permutations(["source", "target", "weight"]), st.sampled_from(",;\t"))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_go_by_their_names_and_separators_by_the_first_line(tmp_path, rows, order, separator):
    rows = list({row[:2]: row for row in rows}.values())
    text = io.StringIO()
    writer = csv.DictWriter(text, order, delimiter=separator, quoting=csv.QUOTE_NONNUMERIC)
    text.write(separator.join(order) + "\n")
    writer.writerows(dict(zip(("source", "target", "weight"), row, strict=True)) for row in rows)
    (tmp_path / "g.csv").write_text(text.getvalue())
    expected = nx.Graph()
    expected.add_weighted_edges_from(rows)
    assert nx.utils.graphs_equal(to_networkx(read(tmp_path / "g.csv")), expected)


def test_names_that_need_quotes_have_them(tmp_path):
    (tmp_path / "g.csv").write_text('New York,Boston,1\n"Los Angeles"\n"a;b",Boston,2\n"#1", "x, y",3\n')
    assert read(tmp_path / "g.csv").names == ("New York", "Boston", "Los Angeles", "a;b", "#1", "x, y")
    (tmp_path / "words.csv").write_text("source,target\nfrom,to\nto,start\n")
    assert read(tmp_path / "words.csv").names == ("from", "to", "start")


def test_self_loops_leave_a_note(tmp_path):
    (tmp_path / "g.csv").write_text("a,a\na,b\n")
    assert read(tmp_path / "g.csv").notes == ("the self-loop at node 'a' is left out: it changes nothing here.",)
    (tmp_path / "g.csv").write_text("a,a\na,b\nb,b\n")
    assert "2 self-loops are left out, at nodes 'a', 'b'" in read(tmp_path / "g.csv").notes[0]
    (tmp_path / "g.csv").write_text("a,b\n")
    assert read(tmp_path / "g.csv").notes == ()


def test_a_family_is_not_taken_for_a_built_in():
    with pytest.raises(AlgoLensError, match="gird") as caught:
        load("gird:20")
    assert ", nx" not in str(caught.value)


def test_names_that_are_no_files():
    assert load("nx:karate_club").num_nodes == 34
    assert load("barabasi_albert:30", seed=3).num_nodes == 30
    assert "petersen" in built_ins()


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("nx:petersn", "Did you mean 'petersen'"),
        ("gird:20", "Did you mean 'grid'"),
        ("grid:many", "'many' is no such number"),
        ("grid:0", "no such number"),
        ("grid", "grid needs a size: grid:50"),
        (".", "a folder cannot be read as a graph"),
    ],
)
def test_unknown_names_get_a_hint(name, complaint):
    with pytest.raises(AlgoLensError, match=complaint):
        load(name)


@pytest.mark.parametrize("name", built_ins())
def test_every_built_in_loads(name):
    assert load(f"nx:{name}").num_nodes > 0
