"""The gate of the page: graphs typed or pasted there, read by the page's own scripts in Node."""

from __future__ import annotations

import contextlib
import json
import os
import random
import resource
import select
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from tests.player.runs import data_of, read_run

from algolens.errors import AlgoLensError
from algolens.graphs import load_graph
from algolens.graphs.files import read_graph_file
from algolens.player import page
from benchmarks.fuzz.damage import damaged_bytes
from benchmarks.fuzz.gate import MOST_SECONDS, Gate, Wrong

# all that the page has, but what would begin to show it
SCRIPTS = [name for name in page.SCRIPTS if name != "begin.js"]
VILLAGE = Path(__file__).parents[2] / "examples" / "village.csv"
NODE = shutil.which("node")
HARNESS = """
const pages = JSON.parse(process.argv[2]).map(unpacked);
let waiting = "";
process.stdin.on("data", (piece) => {
  waiting += piece;
  const lines = waiting.split("\\n");
  waiting = lines.pop();
  for (const line of lines) process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\\n");
});
function answer({ page, edges, nodes }) {
  try {
    const own = OwnGraph.read(edges, nodes, [pages[page]], OwnGraph.ofPages([pages[page]]));
    pageOn(pages[page], own, { source: own.nodes[0] });
    return { nodes: own.nodes, edges: own.edges };
  } catch (problem) {
    if (problem instanceof Refused) return { refused: problem.message };
    return { crash: String(problem.stack) };
  }
}
"""
TEXTS = (
    "source,target,weight\na,b,1\nb,c,2.5\n",
    'source,target\n"a b",c\nc,d\n',
    "source,target,weight\nx,y,0.25\ny,z,3\nx,z,10\n",
)
NODES = ("", "", "node\na\nb\nc\n", "node,wall\na,true\nb,false\n")


class PageGraphs(Gate):
    """The page refuses a graph in a line, or reads what the command reads."""

    name, share = "graphs in the page", 40

    def __init__(self) -> None:
        self.process: Any = None
        self.scripts = tempfile.TemporaryDirectory()
        self.pages = [] if self.missing() else [_page("bfs", source="Mill"), _page("components")]

    def missing(self) -> str | None:
        return None if NODE else "no `node` is installed, which runs the page's scripts"

    def draw(self, draw: random.Random) -> Any:
        edges, nodes = draw.choice(TEXTS), draw.choice(NODES)
        if nodes and draw.random() < 0.4:
            nodes = damaged_bytes(nodes.encode(), draw).decode("utf-8", "replace")
        else:
            edges = damaged_bytes(edges.encode(), draw).decode("utf-8", "replace")
        return {"page": draw.randrange(2), "edges": edges, "nodes": nodes}

    def enter(self, given: Any, folder: Path) -> None:
        answer = self._asked(given)
        if "crash" in answer:
            raise Wrong(answer["crash"][:2000])
        if "refused" in answer:
            raise (
                AlgoLensError(answer["refused"])
                if is_line(answer["refused"])
                else Wrong(f"no line: {answer['refused'][:2500]!r}")
            )
        theirs = _read(given, folder)
        if theirs is not None and theirs != (set(answer["nodes"]), len(answer["edges"])):
            raise Wrong(f"the page reads {str(answer)[:500]}, the command {str(theirs)[:500]}")

    def _asked(self, given: Any) -> Any:
        process = self.process
        if process is None or process.poll() is not None:
            parts = [(files("algolens.player") / name).read_text("utf-8") for name in SCRIPTS]
            script = Path(self.scripts.name) / f"page_{os.getpid()}.js"
            script.write_text("\n".join([*parts, HARNESS]), "utf-8")
            self.process = process = subprocess.Popen(
                [str(NODE), str(script), json.dumps(self.pages)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                preexec_fn=_without_limit,
            )
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(given).encode() + b"\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], 10 * MOST_SECONDS)[0]:
            process.kill()
            raise Wrong("the page does not answer")
        line = process.stdout.readline()
        if not line:
            raise Wrong("the page's process ended")
        return json.loads(line)


def is_line(said: str) -> bool:
    """Whether this is one line that a person can read."""
    return said.isprintable() and len(said) <= 2000


def _read(given: Any, folder: Path) -> tuple[set[str], int] | None:
    """The nodes and the count of edges that the command reads; None where it refuses."""
    edges, nodes = folder / "page.csv", folder / "page_nodes.csv"
    edges.write_text(given["edges"], "utf-8")
    nodes.write_text(given["nodes"], "utf-8")
    with contextlib.suppress(AlgoLensError):
        graph = read_graph_file(edges, nodes if given["nodes"].strip() else None)
        return set(graph.names or ()), graph.num_edges
    return None


def _without_limit() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _page(name: str, **given: str) -> Any:
    return data_of(read_run(name, load_graph(str(VILLAGE), 0), **given))
