"""What a subclass writes in Python is in its programs, changes no run, or is refused by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from types import FunctionType
from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import Algorithm
from algolens.algorithms.bfs import Bfs
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model
from algolens.graphs import Graph
from algolens.proofs.certify import certify_network
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of

# a program is made of what these give; or they change no run, or are asked before there is one
HELD = {"declaration", "known_checks"}
APART = {"sample", "reference", "data_name", "range_of", "_check_signatures"}
APART |= {"__init_subclass__", "__init__"}
KINDS = (FunctionType, classmethod, staticmethod, property, cached_property)
METHODS = [
    name
    for name, value in vars(Algorithm).items()
    if isinstance(value, KINDS) and not name.startswith("__")
]
REFUSED = [name for name in METHODS if name not in HELD | APART | {"perceive"}]
EDGES = [(0, 1), (1, 2), (3, 4)]


def overriding(name: str) -> Algorithm:
    """Breadth-first search with a method of its own, which does as before."""
    before: Any = inspect.getattr_static(Bfs, name)
    is_class, is_value = (
        isinstance(before, kind) for kind in (classmethod, (property, cached_property))
    )

    def method(self: Any, *args: Any, **more: Any) -> Any:
        held = before.__get__(*(None, self) if is_class else (self, type(self)))
        return held if is_value else held(*args, **more)

    made: Any = type(before)(method) if is_class or is_value else method
    if isinstance(made, cached_property):
        made.__set_name__(Bfs, name)
    own: Any = type("Own", (Bfs,), {"name": "own", name: made, "__module__": __name__})
    return own()


def late() -> Algorithm:
    """Breadth-first search that begins without its source, so that it visits nothing."""

    class Late(Bfs):
        name = "late"

        def start(self, graph, inputs):
            return {"visited": np.zeros(graph.num_nodes, dtype=bool)}

    return Late()


@pytest.fixture(scope="module")
def discovered() -> Any:
    return al.discover("bfs", runs=4, nodes=2)


def entrances(chosen: Algorithm, discovered: Any, tmp_path: Any) -> Iterator[Callable[[], Any]]:
    """All that asks for the program of an algorithm."""
    yield partial(Program.of, chosen)
    yield partial(al.compare, "bfs", chosen)
    yield partial(al.compare, chosen, Program.of(Bfs()))
    yield partial(discovered.prove, chosen)
    yield partial(al.execute, chosen, nx.Graph(EDGES), engine="duckdb")
    yield partial(al.execute, chosen, nx.Graph(EDGES), engine="spark")
    yield partial(al.execute_parquet, chosen, tmp_path / "edges.parquet", tmp_path / "out")


def network_for(chosen: Algorithm) -> Any:
    """A network that was proven for breadth-first search, taken for this algorithm."""
    network = load_model("bfs").network.only(0)
    network.algorithm = chosen
    return network


def ran(chosen: Algorithm) -> Any:
    graph = Graph.pack([5], EDGES)
    return run_algorithm(chosen, graph, {"source": np.array([0])})


@pytest.mark.parametrize("name", REFUSED)
def test_a_method_that_no_program_holds_is_refused_by_name_everywhere(name, discovered, tmp_path):
    pytest.importorskip("duckdb")
    chosen, told = overriding(name), rf"'?own'? goes by .*{name}\(\)"
    for ask in entrances(chosen, discovered, tmp_path):
        with pytest.raises(AlgoLensError, match=told) as problem:
            ask()
        assert "\n" not in str(problem.value)
    assert any(name in notice for notice in al.check(chosen).reviews[0].notices)
    assert data_of(ran(chosen))["algorithm"]["on_other_graphs"] is None
    network = network_for(chosen)
    if name == "check":  # a proof is of the runs that it takes
        assert any("check() takes" in one for one in certify_network(network).assumptions)
        return
    with pytest.raises(AlgoLensError, match=told):
        certify_network(network)


@pytest.mark.parametrize("name", sorted(HELD | APART))
def test_every_other_method_is_in_the_program_or_changes_no_run(name):
    program = Program.of(overriding(name))
    assert ran(program.algorithm)["visited"].equals(ran(Bfs())["visited"])


def test_a_look_and_perceive_in_python_are_refused_together():
    with pytest.raises(AlgoLensError, match=r"perceive\(\) in Python"):
        overriding("perceive")


def test_no_start_in_python_is_taken_for_the_declared_one(discovered):
    assert not ran(late()).final("visited").any()
    with pytest.raises(AlgoLensError, match=r"'late' .* start\(\).*: give each state its start"):
        al.compare("bfs", late())
    with pytest.raises(AlgoLensError, match=r"'late' .* start\(\)"):
        discovered.prove(late())


def test_a_network_for_a_start_in_python_is_not_proven():
    graphs = [nx.path_graph(size) for size in range(2, 6)]
    model = al.train(late(), graphs=graphs, preset="exact", seeds=1, epochs=1, progress=False)
    assert not model.is_proven
    assert model.certificates == ()
    with pytest.raises(AlgoLensError, match=r"late goes by Python, by its own start\(\)"):
        al.certify(model)
    assert not al.check(late()).is_provable
    with pytest.raises(AlgoLensError, match=r"no program that stands alone: 'late' .* start\(\)"):
        _ = al.explain(model).program


WHAT_IF = """
function answer(page) {
  const side = Side.read(page, page.sides[0]);
  try {
    side.whatIf(0, [], { ...side.inputs }, side.given, "what if");
  } catch (problem) {
    return problem.message;
  }
  return null;
}
"""


@needs_node
def test_the_page_refuses_other_inputs_by_name():
    chosen = [overriding(name) for name in REFUSED]
    told = in_node(WHAT_IF, [data_of(ran(one)) for one in [*chosen, Bfs()]])
    assert told.pop() is None
    for name, said in zip(REFUSED, told, strict=True):
        assert f"own goes by Python, by its own {name}()" in said
