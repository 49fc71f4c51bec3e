"""Graphs from strangers: any bytes are read or refused in one short line; no name has a meaning."""

from __future__ import annotations

import json
import os
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algolens.errors import GraphFileError
from algolens.graphs import from_networkx, load_graph
from algolens.graphs.convert import to_networkx
from algolens.graphs.files import read_graph_file
from tests.refusals import complaint

# names of parameters of NetworkX's functions, and keys that its readers keep for themselves
MEANING = (
    "node_for_adding",
    "u_of_edge",
    "v_of_edge",
    "self",
    "key",
    "node_default",
    "id",
    "nodes",
)


def house() -> nx.Graph:
    graph = nx.house_graph()
    nx.set_edge_attributes(graph, 1.5, "weight")
    nx.set_node_attributes(graph, "roof", "label")
    graph.graph["title"] = "house"
    return graph


WRITTEN = {
    ".graphml": "\n".join(nx.generate_graphml(house())).encode(),
    ".json": json.dumps(nx.node_link_data(house(), edges="edges")).encode(),
    ".csv": b"source,target,weight\na,b,1\nb,c,2.5\n",
    ".tsv": b"source\ttarget\na\tb\n",
}
PIECES = st.sampled_from(
    [name.encode() for name in MEANING]
    + [b"\\ud800", b"\xff", b"[", b"{", b"null", b"NaN", b"1e999", b"9" * 5000, b'"', b"<"]
    + [b"</node>", b"<graph>", b"UTF-16", b"boolean", b"x" * 4000, b"\x00", b"\x1b[31m", b"\n"]
    + [b"weight", b"label", b"nodes", b"utf-8", b"<default></default>", b"[]", b"{}"]
)


@given(data=st.data())
@settings(max_examples=150)
def test_any_bytes_are_read_or_refused_in_one_short_line(data, tmp_path_factory):
    ending = data.draw(st.sampled_from(sorted(WRITTEN)))
    content = WRITTEN[ending]
    for _ in range(data.draw(st.integers(1, 3))):
        old = data.draw(PIECES)
        at = content.find(old)
        if at < 0 or data.draw(st.booleans()):
            at = data.draw(st.integers(0, len(content)))
            old = content[at : at + data.draw(st.integers(0, 20))]
        content = (
            content[:at] + data.draw(PIECES | st.binary(max_size=3)) + content[at + len(old) :]
        )
    path = tmp_path_factory.mktemp("graph") / f"graph{ending}"
    path.write_bytes(content)
    complaint(lambda: read_graph_file(path))


@pytest.mark.parametrize("name", MEANING)
def test_an_attribute_may_have_any_name(name, tmp_path):
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, 7, name)
    nx.set_edge_attributes(graph, 8, name)
    back = to_networkx(from_networkx(graph))
    assert back.nodes["0"][name] == 7
    assert back.edges["0", "1"][name] == 8
    text = WRITTEN[".graphml"].decode().replace('attr.name="label"', f'attr.name="{name}"')
    (tmp_path / "g.graphml").write_text(text)
    assert load_graph(str(tmp_path / "g.graphml")).node_attributes[name].tolist() == ["roof"] * 5


def test_what_is_no_file_and_what_grows_in_memory_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "folder.json").mkdir()
    (tmp_path / "device.csv").symlink_to("/dev/zero")
    for name in ("pipe.csv", "folder.json", "device.csv"):
        with pytest.raises(GraphFileError, match=r"(folder|device) cannot be read as a graph"):
            read_graph_file(tmp_path / name)
    path = tmp_path / "bomb.graphml"
    inner = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 9}">' for n in range(1, 12))
    path.write_text(f'<!DOCTYPE x [<!ENTITY e0 "x">{inner}]><graphml>&e11;</graphml>')
    with pytest.raises(GraphFileError, match="declares entities"):
        read_graph_file(path)
    path.write_text("<graphml>" + "<graph>" * 10_000)
    with pytest.raises(GraphFileError, match="more than 200 deep"):
        read_graph_file(path)
    path = Path(tmp_path / "deep.json")
    path.write_text('{"nodes": ' + "[" * 100_000)
    with pytest.raises(GraphFileError, match="100,001 deep"):
        read_graph_file(path)
