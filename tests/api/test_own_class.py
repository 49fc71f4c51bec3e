"""A class that stands in no file, as one of a notebook, is checked, trained, saved and loaded as
any other.
"""

from __future__ import annotations

import networkx as nx
import pytest

import algolens as al
from algolens.algorithms import Algorithm
from algolens.data.cache import content_key
from algolens.graphs import Recipe

SOURCE = '''
from algolens.algorithms import Algorithm, Node, mask
from algolens.graphs import Recipe


class Spread(Algorithm):
    """Marks all that can be reached from where it begins."""

    name = "{name}"
    recipe = Recipe(families=("ladder", "tree"), size=8, train=10, held_out=3, test_sizes=(8, 12))

    lit = Node.input(mask)
    is_lit = Node.output(mask, start="lit", becomes="is_lit | is_near")
    is_near = Node.derived("some neighbour (is_lit)")
    goes_on = "some node (is_near & ~is_lit)"
'''


def defined(name: str = "spread", module: str = "__main__") -> type[Algorithm]:
    """The class as a cell of a notebook would define it."""
    space: dict[str, type[Algorithm]] = {"__name__": module}  # type: ignore[dict-item]
    exec(SOURCE.format(name=name), space)
    return space["Spread"]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    cls, folder = defined(), tmp_path_factory.mktemp("own") / "run"
    epochs: list[int] = []
    model = al.train(
        cls, out=folder, watch=lambda epoch: epochs.append(epoch.epoch), progress=False
    )
    assert (folder / "curves.png").is_file()
    assert epochs
    return cls, folder, model


def lit(graph: nx.Graph, *nodes: object) -> nx.Graph:
    nx.set_node_attributes(graph, {node: node in nodes for node in graph}, "lit")
    return graph


def test_it_is_checked():
    found = al.check(defined())
    assert found
    assert found.is_provable
    assert "exact" in found.learnt_by
    assert "Marks all that can be reached" in str(found)


def test_it_is_trained_and_proven(trained):
    _, folder, model = trained
    assert model.is_proven
    assert "proven right on every graph" in repr(model)
    assert folder.is_dir()
    assert model.execute(lit(nx.path_graph(5), 0)).agrees
    assert str(model.rules.rules["is_lit"]["true"]) == "was_lit | is_near"
    assert model.scores["sizes"]["8"]["graphs_right"] == 100.0


def test_it_is_loaded_with_its_class(trained, tmp_path):
    cls, folder, model = trained
    copies = (
        model.save(tmp_path / "copy"),
        al.load(folder, algorithm=cls).save(tmp_path / "again"),
    )
    # a cell that is run again defines the class anew
    for place, own in zip((folder, *copies), (cls, cls(), defined()), strict=True):
        loaded = al.load(place, algorithm=own)
        graph = lit(nx.petersen_graph(), 3)
        assert loaded.execute(graph).run.equals(model.execute(graph).run)
        assert loaded.seeds == model.seeds
    assert loaded.is_proven
    explained = al.explain(loaded)
    assert explained.meanings["is_near"] == "some neighbour (is_lit)"
    assert al.compare(explained, cls).proven


def test_without_its_class_it_is_refused_with_what_to_do(trained):
    _, folder, _ = trained
    with pytest.raises(
        al.AlgoLensError, match=r"a model of 'spread'.*al.load\(folder, algorithm=MyClass\)"
    ):
        al.load(folder)
    with pytest.raises(
        al.AlgoLensError, match="a model of 'spread', and the class Spread of 'other' came"
    ):
        al.load(folder, algorithm=defined("other"))
    with pytest.raises(al.AlgoLensError, match="a model of 'spread'"):
        al.execute(folder, "grid:4")


def test_a_name_that_is_taken_is_refused():
    with pytest.raises(al.AlgoLensError, match="an algorithm 'bfs' is there already"):
        al.train(defined("bfs"))
    with pytest.raises(al.AlgoLensError, match="no model ships for spread: train one"):
        al.execute(defined(), lit(nx.path_graph(2), 0), by="network")


def test_its_data_are_not_kept_for_another_of_its_name():
    assert content_key(defined()(), Recipe()) is None
    # a file that does not hold the class
    assert content_key(defined(module=__name__)(), Recipe()) is None
    assert content_key(al.load("bfs").algorithm, Recipe()) is not None
