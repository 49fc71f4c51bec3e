"""What cannot be learnt is refused before anything is drawn, and the refusal names what can."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest
import torch

from algolens.algorithms import Edge, algorithm, algorithms, number
from algolens.algorithms.bfs import Bfs
from algolens.algorithms.kruskal import Kruskal
from algolens.algorithms.kruskal_union_find import KruskalUnionFind
from algolens.errors import AlgoLensError, ContractError
from algolens.experiment.config import check_experiment, objections, preset, training_objection
from algolens.experiment.train import train_networks
from algolens.models.perceiver import Perceiver
from algolens.protocol import PRESETS
from algolens.records import Experiment

CPU = torch.device("cpu")


class Roads(Bfs):
    """On nodes, with an input at edges, which no network here reads."""

    length = Edge.input(number(4))
    is_long = Edge.derived("length > 3")


class Mine(Kruskal):
    """Kruskal's fields under another name."""

    name = "mine"


class MyForest(KruskalUnionFind):
    """The same for the variant that the paper's networks learn."""

    name = "my_forest"
    variant_of = None  # type: ignore[assignment]


@pytest.fixture(autouse=True)
def _known(monkeypatch):
    for cls in (Roads, Mine, MyForest):
        monkeypatch.setitem(algorithms(), cls.name, cls)


@pytest.fixture
def nothing_is_drawn(monkeypatch):
    def drawn(*_: object, **__: object) -> Any:
        raise AssertionError("something was drawn")

    monkeypatch.setattr("algolens.records.fixed", drawn)


def wanted(name: str, model: str, **options: int) -> Experiment:
    return preset(model, algorithm(name, **options))


@pytest.mark.usefixtures("nothing_is_drawn")
@pytest.mark.parametrize("model", ["paper", "standard"])
def test_an_input_where_no_network_reads_is_refused_from_python_too(model):
    with pytest.raises(ContractError, match="'length' is a number at edges") as caught:
        train_networks(wanted("roads", model), CPU)
    told = str(caught.value)
    assert "the network 'mpnn' reads" in told
    assert "What learns roads: the preset exact." in told
    assert "\n" not in told


@pytest.mark.usefixtures("nothing_is_drawn")
def test_what_cannot_be_proven_is_refused_before_training():
    with pytest.raises(ContractError, match="decides by 22 concepts") as caught:
        train_networks(wanted("coloring", "exact", colors=20), CPU)
    others = "paper, paper-literal, paper-unregularised, standard or oracle"
    assert f"What learns coloring with colors=20, bits=62: the preset {others}." in str(
        caught.value
    )
    assert training_objection(wanted("coloring", "exact", colors=9)) is None


CASES = [
    (name, options, model, processor, given)
    for (name, options), model, processor, given in itertools.product(
        [
            ("bfs", {}),
            ("coloring", {"colors": 9}),
            ("kruskal", {}),
            ("kruskal_union_find", {}),
            ("roads", {}),
            ("mine", {}),
        ],
        PRESETS,
        [None, "mpnn", "nee+pgn", "exact"],
        [None, -1],
    )
]


@pytest.mark.parametrize(("name", "options", "model", "processor", "given"), CASES)
def test_a_refusal_never_sends_in_a_circle(name, options, model, processor, given):
    """Whatever it names does learn the algorithm, with what was to be given; and if anything does,
    it names that.
    """
    chosen = algorithm(name, **options)
    try:
        made = preset(model, chosen)
    except AlgoLensError:
        return  # there is no such preset
    architecture = (
        made.architecture if processor is None else replace(made.architecture, processor=processor)
    )
    if given is not None:
        architecture = replace(architecture, given=(chosen.declaration.concepts[given],))
    asked = replace(made, architecture=architecture)
    learning = [
        each
        for each, wrong in objections(asked.find_algorithm(), architecture.given).items()
        if wrong is None
    ]
    if training_objection(asked) is None:
        check_experiment(asked)
        assert processor is not None or model in learning
        return
    with pytest.raises(ContractError) as caught:
        check_experiment(asked)
    told = str(caught.value)
    named = (
        told.partition("What learns ")[2]
        .partition(": the preset ")[2]
        .removesuffix(".")
        .removesuffix(", with its own processor")
    )
    assert set(filter(None, named.replace(" or ", ", ").split(", "))) == set(learning)
    assert ("No preset learns" in told) == (not learning)
    for each in learning:
        other = preset(each, asked.find_algorithm())
        check_experiment(
            replace(
                other,
                architecture=replace(
                    other.architecture, given=architecture.given or other.architecture.given
                ),
            )
        )


def test_an_algorithm_is_known_by_what_it_declares_and_not_by_its_name():
    for model in ("paper", "standard", "exact"):
        name = "mine" if model == "exact" else "my_forest"  # as the paper keeps sets
        mine, known = wanted(name, model), wanted("kruskal", model)
        assert (
            replace(mine.architecture, self_loops=known.architecture.self_loops)
            == known.architecture
        )
        check_experiment(mine)


def test_asking_every_preset_builds_no_network(monkeypatch):
    monkeypatch.setattr(Perceiver, "__init__", lambda *_: pytest.fail("a network was built"))
    for name in algorithms():
        assert set(objections(algorithm(name))) <= set(PRESETS)
