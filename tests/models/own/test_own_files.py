"""A network of the user's own: trained and wrapped, from Python as from the command, and found."""

from __future__ import annotations

import json

import pytest
import torch

import algolens as al
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.models.own import NETWORKS
from algolens.models.own_classes import SHA256
from tests.cli.conftest import run, small_sets
from tests.models.own.modules import MINE, BfsByHand, WithoutConcepts

__all__ = ["run", "small_sets"]

pytest.importorskip("torch_geometric", reason="a network of one's own reads graphs of PyG")

NAME = "my_file.py:Mine"
PATH = Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
DECIDING = (
    MINE
    + """
    def decide(self, concepts):
        return {"visited": 20 * concepts[:, 1] - 10}
"""
)


@pytest.fixture
def written(monkeypatch, tmp_path):
    """Writes my_file.py into a new folder, the current one, which no network was read from."""
    monkeypatch.chdir(tmp_path)
    before = dict(NETWORKS)

    def write(text: str) -> None:
        forget()
        (tmp_path / "my_file.py").write_text(text)

    yield write
    NETWORKS.clear()
    NETWORKS.update(before)
    SHA256.clear()


def forget() -> None:
    """As if this were another process."""
    NETWORKS.pop(NAME, None)
    SHA256.clear()


def weights(model: al.Model) -> dict[str, torch.Tensor]:
    return model.network.state_dict()


def sizes(model: al.Model) -> dict[str, dict[str, float]]:
    """The scores of its test sets."""
    return model.scores["sizes"]


def are_equal(one: al.Model, other: al.Model) -> bool:
    mine, theirs = weights(one), weights(other)
    return mine.keys() == theirs.keys() and all(
        torch.equal(value, theirs[name]) for name, value in mine.items()
    )


@pytest.mark.usefixtures("small_sets")
def test_it_trains_from_python_as_from_the_command_and_is_found_again(written, run, tmp_path):
    written(MINE)
    words = (
        "train",
        "bfs",
        "--network",
        NAME,
        "--epochs",
        "2",
        "--seeds",
        "0,1",
        "--set",
        "width=8",
    )
    # a GPU adds up in any order
    assert run(*words, "--out", "mine", "--json", "--no-picture", "--device", "cpu")[0] == 0
    model = al.train(
        "bfs", network=NAME, epochs=2, seeds=(0, 1), width=8, device="cpu", progress=False
    )
    forget()
    loaded = al.load("mine")
    assert are_equal(loaded, model)
    assert loaded.notes == ("my_file.py was run, the file of the network 'my_file.py:Mine'.",)
    assert loaded.rules is not None
    assert str(loaded.rules) == str(model.rules)
    executions = [one.execute(PATH, source=0) for one in (loaded, model)]
    assert executions[0].result == executions[1].result
    described = json.loads(run("evaluate", "mine", "--sizes", "8", "--json")[1])
    assert described["preset"] == "own"
    assert described["sizes"]["8"]["graphs"] == 6
    assert run("execute", "mine", "grid:9", "--html", "page.html")[0] == 0
    written(MINE + "open('was_run', 'w')\n")
    status, _, err = run("evaluate", "mine")
    assert (status, err.count("\n")) == (2, 1)
    assert "my_file.py is not as it was when 'my_file.py:Mine' was trained" in err
    assert not (tmp_path / "was_run").exists()


@pytest.mark.usefixtures("small_sets")
def test_a_module_that_was_trained_is_wrapped_as_it_is(written, run, tmp_path):
    written(DECIDING)
    model = al.train("bfs", network=NAME, epochs=1, device="cpu", progress=False)
    state = {
        name.removeprefix("perceiver.of_seed.0."): value for name, value in weights(model).items()
    }
    torch.save(state, "weights.pt")
    status, out, _ = run(
        "train", "bfs", "--network", NAME, "--weights", "weights.pt", "--out", "wrapped", "--json"
    )
    assert status == 0
    assert json.loads(out)["sizes"] == sizes(model)
    forget()
    assert are_equal(al.load("wrapped"), model)
    assert sizes(al.wrap("bfs", NAME, state)) == sizes(model)
    del state["ask.weight"]
    with pytest.raises(AlgoLensError, match=r"do not fit Mine: 'ask.weight' is not among"):
        al.wrap("bfs", NAME, state)
    (tmp_path / "weights.pt").write_text("nothing")
    status, _, err = run(
        "train", "bfs", "--network", NAME, "--weights", "weights.pt", "--out", "other"
    )
    assert (status, err.count("\n")) == (2, 1)
    assert "weights.pt holds no weights by name" in err


@pytest.mark.usefixtures("small_sets")
@pytest.mark.parametrize("cls", [BfsByHand, WithoutConcepts])
def test_a_class_of_python_is_wrapped_saved_explained_and_loaded(cls, tmp_path):
    model = al.wrap("bfs", cls(), out=tmp_path / "model")
    for scores in sizes(model).values():
        assert (scores["mean_step"], scores["termination"], scores["graphs_right"]) == (100,) * 3
    explained = model.explain()
    assert explained.is_right
    assert str(explained.rules.rules["visited"]["true"]) == "has_visited_neighbours"
    assert ("The network has no concepts" in str(explained)) is (cls is WithoutConcepts)
    again = al.load(tmp_path / "model", network=cls)
    assert again.execute(PATH, source=0).agrees
    with pytest.raises(AlgoLensError, match=r"is not this class Linear"):
        al.load(tmp_path / "model", network=torch.nn.Linear)


class Rounds(BfsByHand):
    """What it does depends on what its constructor was given."""

    def __init__(self, sign=1.0) -> None:
        super().__init__()
        self.sign = sign

    def forward(self, data):
        return {name: self.sign * scores for name, scores in super().forward(data).items()}


@pytest.mark.usefixtures("small_sets")
def test_what_would_be_another_network_when_loaded_is_refused(written):
    with pytest.raises(AlgoLensError, match="made anew with the same weights, gives another"):
        al.wrap("bfs", Rounds(sign=-1.0))
    with pytest.raises(AlgoLensError, match="has no weights, so there is nothing to train"):
        al.train("bfs", network=BfsByHand)
    with pytest.raises(AlgoLensError, match=r"A module that is trained goes to al.wrap"):
        al.train("bfs", network=BfsByHand())  # type: ignore[arg-type]
    written(MINE)
    with pytest.raises(AlgoLensError, match=r"Mine gives concepts and has no decide\(concepts\)"):
        al.wrap("bfs", NAME)
    with pytest.raises(AlgoLensError, match="comes in the place of a preset's"):
        al.train("bfs", network=NAME, preset="paper")
    with pytest.raises(AlgoLensError, match=r"network 'my_file.py' names no class"):
        al.train("bfs", network="my_file.py")


class Local(BfsByHand):
    """A class that no file could give again, as in a notebook."""


@pytest.mark.usefixtures("small_sets")
def test_a_class_in_no_file_is_given_again_when_the_model_is_loaded(monkeypatch, tmp_path):
    monkeypatch.setattr(Local, "__module__", "__main__")
    model = al.wrap("bfs", Local(), out=tmp_path / "model")
    assert model.experiment.architecture.processor == ":Local"
    NETWORKS.pop(":Local")
    with pytest.raises(AlgoLensError, match=r"in no file: .*al.load\(folder, network=Local\)"):
        al.load(tmp_path / "model")
    assert al.load(tmp_path / "model", network=Local).execute(PATH, source=0).agrees
    NETWORKS.pop(":Local")
