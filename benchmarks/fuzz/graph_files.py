"""The gate for graphs: files of every form, tables of nodes beside them, and names of families."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path
from typing import Any

import networkx as nx

import algolens as al
from algolens.graphs import load_graph
from algolens.graphs.families import FAMILIES
from algolens.graphs.files import read_graph_file
from benchmarks.fuzz.damage import damaged_bytes, damaged_value
from benchmarks.fuzz.gate import Gate

NODES = b"node,priority,label\na,1,x\nb,2,y\nc,3,z\n"
RUN_ON = ("bfs", "dijkstra", "coloring", "components", "topological_sort", "kruskal")


def whole_graphs() -> dict[str, bytes]:
    """A small graph in every form."""
    graph = nx.house_graph()
    nx.set_edge_attributes(graph, 1.5, "weight")
    nx.set_node_attributes(graph, "roof", "label")
    forms = {
        "g.graphml": "\n".join(nx.generate_graphml(graph)).encode(),
        "g.json": json.dumps(nx.node_link_data(graph, edges="edges")).encode(),
        "g.csv": b"source,target,weight\na,b,1\nb,c,2.5\n",
        "g.tsv": b"source\ttarget\na\tb\n",
    }
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        return forms
    table, file = (
        pa.table({"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]}),
        io.BytesIO(),
    )
    pq.write_table(table, file)
    return {**forms, "g.parquet": file.getvalue()}


class GraphFiles(Gate):
    """A graph in a file is read, or refused; of some, an algorithm is run."""

    name, share = "graph files", 300

    def __init__(self) -> None:
        self.whole = whole_graphs()

    def draw(self, draw: random.Random) -> Any:
        name = draw.choice(sorted(self.whole))
        content = self.whole[name]
        if name == "g.json" and draw.random() < 0.5:
            content = json.dumps(damaged_value(json.loads(content), draw)).encode()
        else:
            content = damaged_bytes(content, draw)
        given: dict[str, Any] = {"file": name, "content": content.decode("latin-1")}
        if name in ("g.csv", "g.tsv") and draw.random() < 0.2:
            given |= {"content": self.whole[name].decode("latin-1")}
            given |= {"nodes": damaged_bytes(NODES, draw).decode("latin-1")}
        if draw.random() < 0.1:
            given["run"] = draw.choice(RUN_ON)
        given["directed"] = draw.choice([None, None, True, False])
        return given

    def enter(self, given: Any, folder: Path) -> None:
        path, nodes = folder / given["file"], folder / "nodes.csv"
        path.write_bytes(given["content"].encode("latin-1"))
        if "nodes" in given:
            nodes.write_bytes(given["nodes"].encode("latin-1"))
        beside = nodes if "nodes" in given else None
        graph = read_graph_file(path, beside, directed=given["directed"])
        if "run" in given and graph.num_nodes <= 50:
            al.execute(given["run"], str(path), nodes=beside, directed=given["directed"])


class GraphNames(Gate):
    """What names a graph without a file: families and NetworkX's own."""

    name, share = "graph names", 30

    def draw(self, draw: random.Random) -> Any:
        kind = draw.choice([*FAMILIES, "nx", "grdi", ""])
        size = draw.choice(
            ["0", "1", "2", "3", "7", "12", "-1", "1.5", "x", "", "٣", "²", "karate_club"]
        )
        return draw.choice([f"{kind}:{size}", f"{kind}{size}", f"{kind}:{size}:", f"{size}:{kind}"])

    def enter(self, given: Any, folder: Path) -> None:
        load_graph(given, 0)
