"""Files of nodes, beside a file of edges: what is read, and what is said of those that cannot
be.
"""

from __future__ import annotations

import pytest

from algolens.errors import GraphError, GraphFileError
from algolens.graphs import load_graph, read_graph_file


@pytest.fixture
def edges(tmp_path):
    (tmp_path / "g.csv").write_text("a,b,1\nb,c,2\n")
    return tmp_path / "g.csv"


def test_columns_go_by_their_names_and_lone_nodes_are_told(edges, tmp_path):
    (tmp_path / "n.tsv").write_text(
        "IsWall\tNode\ttown\ntrue\tb\t\n\tlone\tFar away\nfalse\ta\tNear\n"
    )
    graph = read_graph_file(edges, tmp_path / "n.tsv")
    assert graph.names == ("a", "b", "c", "lone")
    assert graph.node_attributes["IsWall"].tolist() == ["false", "true", None, None]
    assert graph.node_attributes["town"].tolist() == ["Near", None, None, "Far away"]
    assert any(
        "lists nodes that no edge has; they are added as lone nodes: 'lone'." in note
        for note in graph.notes
    )


def test_nodes_of_a_built_in_go_by_their_numbers(tmp_path):
    (tmp_path / "n.csv").write_text("node,wall\n" + "".join(f"{i},{i % 2}\n" for i in range(10)))
    graph = load_graph("nx:petersen", nodes=tmp_path / "n.csv")
    assert graph.node_attributes["wall"].tolist() == list("0101010101")
    with pytest.raises(
        GraphError,
        match="a file of nodes goes with a graph of yours, and grid:9 is drawn at random",
    ):
        load_graph("grid:9", nodes=tmp_path / "n.csv")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "there is no such file. Give a table of nodes"),
        ("", "the file is empty. Write a header, as in node,wall"),
        ("a,true\n", "line 1: the header 'a, true' has no column 'node'"),
        ("node,wall,wall\na,1,1\n", "line 1: the header names a column twice"),
        ("node,,wall\na,1,1\n", "line 1: column 2 of the header has no name"),
        ("node,wall\na,true\na,true\n", "line 3: node 'a' stands twice"),
        ("node,wall\na,true,7\n", "line 2: 3 columns came, not 2"),
        ("node,wall\n,true\n", "line 2: the node is missing"),
        ("node,wall\na;true\n", "line 2: 'a;true' has no comma, which separates the columns"),
    ],
)
def test_a_bad_file_gets_one_line_that_names_it(edges, tmp_path, content, complaint):
    if content is not None:
        (tmp_path / "n.csv").write_text(content)
    with pytest.raises(GraphFileError, match=complaint) as caught:
        read_graph_file(edges, tmp_path / "n.csv")
    assert str(tmp_path / "n.csv") in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_value_that_the_graph_itself_gives_is_not_given_again(tmp_path):
    (tmp_path / "g.json").write_text('{"nodes": [{"id": 1, "wall": true}], "edges": []}')
    (tmp_path / "n.csv").write_text("node,wall\n1,false\n")
    with pytest.raises(
        GraphFileError, match="line 2: the graph itself says that wall of node '1' is 'True'"
    ):
        read_graph_file(tmp_path / "g.json", tmp_path / "n.csv")


def test_a_default_of_graphml_holds_where_a_node_says_nothing(tmp_path):
    (tmp_path / "g.graphml").write_text(
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
        '<key id="w" for="node" attr.name="wall" attr.type="boolean"><default>false</default></key>'
        '<key id="d" for="edge" attr.name="weight" attr.type="double">'
        "<default>0.30000000000000000001</default></key>"
        '<graph edgedefault="undirected"><node id="a"/><node id="b">'
        '<data key="w">true</data></node><node id="c"/>'
        '<edge source="a" target="b"/><edge source="b" target="c">'
        '<data key="d">0.3</data></edge></graph></graphml>'
    )
    graph = read_graph_file(tmp_path / "g.graphml")
    assert graph.node_attributes["wall"].tolist() == [False, True, False]
    assert list(map(str, graph.edge_attributes["weight"].tolist())) == [
        "0.30000000000000000001",
        "0.3",
    ]
