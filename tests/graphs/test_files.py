"""Graph files: what is read, and what is said of those that cannot be."""

from __future__ import annotations

import json

import networkx as nx
import pytest
from hypothesis import HealthCheck, given, settings

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
    ("binary.csv", b"\xff\xfe\x00a", "cannot be read"),
    ("broken.json", "{", "not node-link JSON"),
    ("list.json", "[]", "not node-link JSON"),
    ("noid.json", '{"nodes": [{}], "edges": []}', "'id' is missing"),
    ("ghost.json", '{"nodes": [{"id": "a"}], "edges": [{"source": "a", "target": "z"}]}', "leads to node 'z'"),
    ("directed.json", '{"directed": true, "nodes": [{"id": "a"}], "edges": []}', "directed"),
    (
        "text.json",
        '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": "x"}]}',
        "is 'x', which is no",
    ),
    ("odd.json", '{"nodes": [{"id": [1]}], "links": []}', "cannot be a node's id"),
    ("broken.graphml", "<graphml>", "not GraphML"),
    (
        "ghost.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
        '<node id="a"/><edge source="a" target="z"/></graph></graphml>',
        "leads to node 'z', which the file does not declare",
    ),
    (
        "directed.graphml",
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"><node id="a"/></graph></graphml>',
        "directed",
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
    ],
)
def test_unknown_names_get_a_hint(name, complaint):
    with pytest.raises(AlgoLensError, match=complaint):
        load(name)


@pytest.mark.parametrize("name", built_ins())
def test_every_built_in_loads(name):
    assert load(f"nx:{name}").num_nodes > 0
