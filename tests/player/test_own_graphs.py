"""What graph a page takes, the command takes, and both find the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import load_graph, stream
from tests.effort import in_proportion
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, trace_rows
from tests.player.test_editor import ON_OWN

CASES = 4  # for each algorithm
NUMBERS = ("3", "1", "7", "12", "5", "2", "40")
ODD = ("0", "-2", "0.5", "2.50", "1e2", "+4", "007", ".5", "4294967296", "9007199254740993")
REFUSED = ("heavy", "", "nan", "1_000", "1/3", "4611686018427387904", "1e-30")
GIVEN = {"target": "5", "rank": "2"}


def offered() -> list[str]:
    """The algorithms whose graphs a page can change."""
    made = (algorithm(name) for name in algorithms())
    return [each.name for each in made if each.table is None]


def csv_of(chosen: Algorithm, rng: random.Random, *, plain: bool = False) -> tuple[str, str]:
    """Edges and nodes of a random graph as CSV, with what the algorithm reads."""
    inputs = chosen.declaration.inputs
    names = [f"n{i}" for i in range(4 if plain else rng.randint(1, 7))]
    pool = NUMBERS if plain or rng.random() < 0.4 else (*NUMBERS, *NUMBERS, *ODD)
    if not plain and rng.random() < 0.2:
        pool = (*pool, *REFUSED)

    def column(name: str, count: int) -> list[str]:
        if inputs[name].kind == "mask":
            inside = rng.randint(1, max(1, count // 2))
            sure = ["false"] * (count - inside) + ["true"] * inside
            return sure if plain or rng.random() < 0.7 else [rng.choice("01") for _ in sure]
        drawn = [rng.choice(pool) for _ in range(count)]
        # often in order, and often different, for some algorithms ask for it
        return sorted(drawn, key=len) if rng.random() < 0.3 else drawn

    pairs = [(u, v) for i, u in enumerate(names) for v in names[i + 1 :]]
    edges = rng.sample(pairs, min(len(pairs), 3 if plain else rng.randint(0, 8)))
    if not plain and rng.random() < 0.2:
        edges += rng.choices([(u, v) for u in names for v in names], k=2)
    parts = {}
    for at, rows in (("edge", edges), ("node", [(name,) for name in names])):
        given = [name for name, field in inputs.items() if field.at == at]
        columns = [column(name, len(rows)) for name in given]
        head = ("source", "target") if at == "edge" else ("node",)
        lines = [[*row, *values] for row, *values in zip(rows, *columns, strict=True)]
        parts[at] = "\n".join(",".join(line) for line in [[*head, *given], *lines]) + "\n"
    return parts["edge"], parts["node"]


def by_the_command(chosen: Algorithm, edges: str, nodes: str, folder: Path) -> Any:
    """The page's JSON of a run, or why it is refused."""
    (folder / "edges.csv").write_text(edges)
    (folder / "nodes.csv").write_text(nodes)
    directed = chosen.graphs == "directed"
    fields = chosen.declaration.inputs
    given: dict[str, Any] = {name: GIVEN[name] for name in fields if name in GIVEN}
    given |= {name: "n0" for name, field in fields.items() if field.kind == "pointer"}
    try:
        path = str(folder / "edges.csv")
        graph = load_graph(path, 0, folder / "nodes.csv", directed=directed)
        grown = chosen.with_room_for(graph)
        inputs, _ = grown.read(graph, stream(0, "inputs", chosen.name), **given)
        return data_of(run_algorithm(grown, graph, inputs))
    except AlgoLensError as problem:
        return str(problem)


def results(page: dict[str, Any]) -> dict[str, Any]:
    """The outputs at the end, numbers in the user's units."""
    (run,) = page["sides"]
    found: dict[str, Any] = {"steps": run["steps"], "outcomes": run["outcomes"]}
    for name, field in page["algorithm"]["outputs"].items():
        rows = trace_rows(run["trace"][name], run["steps"]) if run["steps"] else [[]]
        scale = page["scales"].get(name, 1) if field["kind"] == "number" else 1
        found[name] = [int(value) / scale for value in rows[-1]]
    return found


@needs_node
def test_what_a_page_takes_the_command_takes_and_finds_the_same(tmp_path):
    asked, expected = [], []
    for name in offered():
        chosen, rng = algorithm(name), random.Random(name)
        first: Any = ""
        while isinstance(first, str):  # a graph that the page comes with
            first = by_the_command(chosen, *csv_of(chosen, rng, plain=True), tmp_path)
        for _ in range(in_proportion(CASES)):
            edges, nodes = csv_of(chosen, rng)
            asked.append({"page": first, "edges": edges, "nodes": nodes, "source": "n0"})
            expected.append(by_the_command(chosen, edges, nodes, tmp_path))
    found = in_node(ON_OWN, asked)
    taken = [
        (case["page"]["algorithm"]["name"], case["edges"], case["nodes"], theirs["page"], ours)
        for case, theirs, ours in zip(asked, found, expected, strict=True)
        if "page" in theirs
    ]
    for name, edges, nodes, theirs, ours in taken:
        assert not isinstance(ours, str), (name, edges, nodes, ours)
        assert results(theirs) == results(ours), (name, edges, nodes)
    assert len(asked) / 4 < len(taken) < len(asked) * 0.8
    assert len({name for name, *_ in taken}) > len(offered()) / 2
