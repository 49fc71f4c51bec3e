"""A processor in a file of the user's own: from Python as from the command, saved and found."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

import algolens as al
from algolens.algorithms import algorithm
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.graphs import Graph
from algolens.models import Architecture, Network, NetworkParts, add_processor
from algolens.models.own_classes import SHA256
from algolens.models.recurrent import PROCESSORS
from tests.cli.conftest import run, small_sets

__all__ = ["run", "small_sets"]

PLAIN = """
import torch
from torch import nn

class Mine(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.convolutions = nn.ModuleList([nn.Linear(width, width), nn.Linear(width, width)])

    def forward(self, x, edge_index):
        senders, receivers = edge_index
        own, message = self.convolutions
        return own(x).index_add(0, receivers, message(x)[senders])
"""
NAME = "my_file.py:Mine"

pytestmark = pytest.mark.usefixtures("plain_curves")


@pytest.fixture
def written(monkeypatch, tmp_path):
    """Writes my_file.py into a new folder, the current one, which no processor was read from."""
    monkeypatch.chdir(tmp_path)
    before = dict(PROCESSORS)

    def write(text: str) -> None:
        (tmp_path / "my_file.py").write_text(text)

    yield write
    PROCESSORS.clear()
    PROCESSORS.update(before)
    SHA256.clear()


def forget() -> None:
    """As if this were another process."""
    PROCESSORS.pop(NAME, None)
    SHA256.clear()


def test_first_weights_and_runs_of_a_seed_are_the_same_alone_and_among_others(written):
    written(PLAIN)
    add_processor(NAME)
    bfs, architecture = algorithm("bfs"), Architecture(processor=NAME, width=6)
    together = Network(bfs, architecture, (3, 4, 5))
    graph = Graph.pack([4, 1, 3], [(0, 1), (1, 2), (2, 3), (5, 6), (5, 7)])
    inputs = {"source": torch.tensor([0, 0, 1])}
    for place, seed in enumerate(together.seeds):
        alone = Network(bfs, architecture, (seed,))
        own = together.seed_weights(place)
        assert own.keys() == alone.state_dict().keys()
        assert all(torch.equal(own[name], value) for name, value in alone.state_dict().items())
        runs = [
            run_algorithm(bfs, graph, inputs, **NetworkParts(network).sockets)
            for network in (alone, together.only(place))
        ]
        assert runs[0].equals(runs[1])


@pytest.mark.usefixtures("small_sets")
def test_it_trains_from_python_as_from_the_command_and_is_found_again(written, run):
    written(PLAIN)
    words = ("train", "bfs", "--preset", "paper", "--epochs", "2", "--seeds", "0,1", "--json")
    # a GPU adds up in any order
    words_of_place = ("--device", "cpu", "--processor", NAME, "--out", "by-command")
    assert run(*words, *words_of_place)[0] == 0
    model = al.train(
        "bfs", preset="paper", epochs=2, seeds=(0, 1), processor=NAME, device="cpu", progress=False
    )
    forget()
    loaded = al.load("by-command")
    assert loaded.experiment.architecture.processor == NAME
    for name, value in model.network.state_dict().items():
        assert torch.equal(loaded.network.state_dict()[name], value.cpu())
    assert loaded.notes == ("my_file.py was run, the file of the processor 'my_file.py:Mine'.",)
    forget()
    status, out, err = run("evaluate", "by-command", "--sizes", "8", "--json")
    assert status == 0
    assert json.loads(out)["sizes"]["8"]["graphs"] == 6
    assert err.startswith("note: my_file.py was run")


@pytest.mark.usefixtures("small_sets")
def test_a_changed_or_missing_file_is_told_and_nothing_is_run(written, run, tmp_path):
    written(PLAIN)
    words = ("train", "bfs", "--preset", "paper", "--epochs", "1", "--json")
    assert run(*words, "--processor", NAME, "--out", "model")[0] == 0
    forget()
    changed = PLAIN + "open('was_run', 'w')\n"
    written(changed)
    status, _, err = run("evaluate", "model")
    assert (status, err.count("\n")) == (2, 1)
    assert "model: my_file.py is not as it was when 'my_file.py:Mine' was trained" in err
    (tmp_path / "my_file.py").unlink()
    status, _, err = run("evaluate", "model")
    assert (status, err.count("\n")) == (2, 1)
    assert "is in my_file.py, which is not there" in err
    # what is said of a file inside the model's folder is not believed
    described = json.loads((tmp_path / "model" / "experiment.json").read_text())
    described["architecture"]["processor"] = "model/my_file.py:Mine"
    (tmp_path / "model" / "experiment.json").write_text(json.dumps(described))
    (tmp_path / "model" / "my_file.py").write_text(changed)
    assert "the model's own folder, whose code is not run" in run("evaluate", "model")[2]
    described["architecture"]["processor"] = NAME
    del described["processor_sha256"]
    (tmp_path / "model" / "experiment.json").write_text(json.dumps(described))
    written(changed)
    assert "does not say what my_file.py held" in run("evaluate", "model")[2]
    assert not (tmp_path / "was_run").exists()


@pytest.mark.usefixtures("small_sets")
def test_a_process_that_never_saw_the_file_loads_the_model(written, run):
    written(PLAIN)
    words = ("train", "bfs", "--preset", "paper", "--epochs", "1", "--json")
    assert run(*words, "--processor", NAME, "--out", "model")[0] == 0
    command = [sys.executable, "-m", "algolens", "execute", "model", "grid:9", "--json"]
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "a program that can do all that you can" in refused.stderr
    assert "was run" not in refused.stderr
    given = subprocess.run([*command, "--trust"], capture_output=True, text=True, check=False)
    assert given.returncode == 0, given.stderr
    assert "my_file.py was run" in given.stderr
    assert "visited" in given.stdout


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (PLAIN, "my_file.py", "names no class: give my_file.py:Mine, say"),
        (PLAIN, "my_file.py:Mne", "no module of PyTorch in my_file.py is called 'Mne'"),
        (PLAIN, "other.py:Mine", "is in other.py, which is not there"),
        ("import nothing_there", NAME, "my_file.py cannot be imported"),
        (PLAIN.replace("own(x)", "own(x)[:1]"), NAME, "Mine cannot be used with nodes, edges"),
        (PLAIN.replace("own(x)", "(own(x) / 0 * 0)"), NAME, "gave latent states with NaN in it"),
        (PLAIN.replace("self, width", "self, seeds, width"), NAME, "Mine cannot be used with"),
    ],
)
def test_what_is_no_processor_is_refused_before_training(written, text, name, complaint):
    written(text)
    with pytest.raises(AlgoLensError, match=complaint) as refused:
        al.train("bfs", preset="paper", processor=name, progress=False)
    assert "\n" not in str(refused.value)
    assert name not in PROCESSORS


def test_nan_that_only_some_graphs_bring_about_is_refused_when_it_comes(written):
    degree = "torch.bincount(receivers, minlength=len(x))[:, None]"
    written(PLAIN.replace("own(x)", f"(own(x) * {degree} / {degree})"))
    add_processor(NAME)
    network = Network(algorithm("bfs"), Architecture(processor=NAME, self_loops=False), (0,))
    whole, lone = Graph.pack([3], [(0, 1), (1, 2)]), Graph.pack([3], [(0, 1)])
    inputs, sockets = {"source": torch.tensor([0])}, NetworkParts(network).sockets
    assert run_algorithm(network.algorithm, whole, inputs, **sockets).num_steps
    with pytest.raises(
        AlgoLensError, match=r"my_file.py:Mine: forward gave latent states with NaN"
    ):
        run_algorithm(network.algorithm, lone, inputs, **sockets)


def test_a_file_that_changes_meanwhile_is_refused_for_networks_in_memory_are_of_the_old(written):
    written(PLAIN)
    assert add_processor(NAME) == add_processor(NAME)
    written(PLAIN + "\n")
    with pytest.raises(AlgoLensError, match="start Python anew"):
        add_processor(NAME)


def test_a_class_is_refused_with_what_to_give():
    with pytest.raises(AlgoLensError, match=r"put the class into a file, and give 'my_file.py"):
        add_processor(torch.nn.Linear)  # type: ignore[arg-type]
