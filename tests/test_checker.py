"""The second checker: alone, in exact arithmetic, with the prover's outcome, part by part."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

from algolens import checker
from algolens.certification import prove
from algolens.certification.proof import _order, _stage
from algolens.disk import write_json
from algolens.errors import AlgoLensError
from algolens.experiment import SHIPPED, load_run, save_declaration, shipped_names
from algolens.looks import parse_look
from algolens.models import Network
from algolens.models.exact import Exact
from tests.certification.test_proof import LOOKS, half_trained
from tests.effort import examples
from tests.looks.statements import locations, looks
from tests.models.exact.stages import declared, random_perceiver
from tests.models.networks import numbers


def folder_of(name: str, tmp_path: Path) -> Path:
    """A shipped run, with its declaration beside it."""
    folder = tmp_path / name
    shutil.copytree(SHIPPED / name, folder)
    save_declaration(folder, load_run(name).network)
    return folder


def by_prover(network: Network) -> dict[str, tuple[int, int]]:
    return {finding.check.name: (finding.check.cases, finding.check.failures) for finding in prove(network)}


def by_checker(folder: Path) -> dict[str, tuple[int, int]]:
    return {name.rsplit(", seed", 1)[0]: (cases, wrong) for name, (cases, wrong, _) in checker.check(folder).items()}


@pytest.mark.parametrize("name", shipped_names())
def test_it_finds_what_the_prover_finds_in_what_ships(name: str, tmp_path: Path) -> None:
    folder = folder_of(name, tmp_path)
    found = by_checker(folder)
    assert found == by_prover(load_run(name).network.only(0))
    assert not any(failures for _, failures in found.values())


def test_it_runs_alone_and_names_the_weights(tmp_path: Path) -> None:
    """Copied, without the library in reach."""
    folder = folder_of("bfs_tree", tmp_path)
    shutil.copy(checker.__file__, tmp_path / "copied.py")
    command = [sys.executable, "-I", "-X", "importtime", str(tmp_path / "copied.py"), str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    about = json.loads((folder / "certificate.json").read_text())["about"]
    assert ran.stdout.splitlines()[-1] == f"proven, of weights {about['weights']}"
    assert "algolens" not in ran.stderr
    assert "torch" not in ran.stderr


def test_it_is_one_short_file_that_imports_nothing_of_the_library() -> None:
    text = Path(checker.__file__).read_text()
    assert len(text.splitlines()) < 300
    roots = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(str(node.module).split(".")[0])
    assert roots - set(sys.stdlib_module_names) == {"numpy"}


def test_a_spoilt_network_fails_in_the_part_that_was_spoilt(tmp_path: Path) -> None:
    folder = folder_of("bfs_tree", tmp_path)
    network = load_run("bfs_tree").network.only(0)
    first = {name: value.clone() for name, value in network.state_dict().items()}
    for name in first:
        if name.endswith(("head_last.bias", "decoders.visited.last.bias", "change")):
            with torch.no_grad():
                network.load_state_dict(first)
                network.state_dict()[name].sub_(100)
            write_weights(folder, network)
            found = by_checker(folder)
            wrong = {part for part, (_, failures) in found.items() if failures}
            assert len(wrong) == 1
            assert wrong == {part for part, (_, failures) in by_prover(network).items() if failures}


def test_another_declaration_is_not_what_the_network_does(tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    said = json.loads((folder / "declaration.json").read_text())
    said["rules"]["visited"] = {"true": said["rules"]["visited"]["false"], "false": said["rules"]["visited"]["true"]}
    write_json(folder / "declaration.json", said)
    assert [part for part, (_, wrong) in by_checker(folder).items() if wrong] == ["output visited"]
    (note,) = load_run(folder).notes[-1:]
    assert "says something else than bfs declares" in note


def write_weights(folder: Path, network: Network) -> None:
    save_file({name: value.contiguous() for name, value in network.state_dict().items()}, folder / "weights.safetensors")


def forged(name: str, value: float) -> Network:
    network = load_run("bfs").network
    with torch.no_grad():
        network.state_dict()[name].view(-1)[0] = value
    return network


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("decoders.visited.kept", 0.5),
        ("decoders.visited.kept", 2.0),
        ("decoders.visited.first.weight", np.nan),
        ("decoders.visited.first.weight", np.inf),
    ],
)
def test_what_no_training_leaves_is_refused_by_both(name: str, value: float, tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    write_weights(folder, forged(name, value))
    with pytest.raises(checker.Refused):
        checker.check(folder)
    with pytest.raises(AlgoLensError):
        load_run(folder)


@pytest.mark.parametrize("missing", ["weights.safetensors", "declaration.json", "experiment.json"])
def test_a_run_that_is_not_whole_is_refused(missing: str, tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    (folder / missing).unlink()
    with pytest.raises(checker.Refused, match="cannot be read"):
        checker.check(folder)


def test_sums_too_large_for_single_precision_are_unsure(tmp_path: Path) -> None:
    """Infinity less infinity is no number: what is sure in double precision is not in single."""
    network = load_run("bfs").network.only(0)
    with torch.no_grad():
        for layer in ("first", "last"):
            for part in ("weight", "bias"):
                dict(network.named_parameters())[f"decoders.visited.{layer}.{part}"].mul_(1e20)
    folder = folder_of("bfs", tmp_path)
    write_weights(folder, network)
    assert by_checker(folder)["output visited"][1]
    assert by_prover(network)["output visited"][1]


# ---- any look


@examples(12)
@given(st.data(), st.integers(0, 60), numbers)
def test_it_reads_any_look_as_the_prover_does(data: st.DataObject, steps: int, seed: int) -> None:
    """Random statements, and stages half trained: the same cases and failures."""
    if data.draw(st.booleans()):
        text, location = data.draw(st.sampled_from(LOOKS))
        formula = parse_look(text)
    else:
        location = data.draw(locations)
        formula = data.draw(looks(location, max_leaves=3))
    declaration = declared({"found": (location, formula)})
    assert declaration.seen is not None
    reading = declaration.seen.readings[0]
    if reading.num_own * max(reading.num_kinds, 1) > 80:
        return
    perceiver = random_perceiver(declaration, seed, in_order=data.draw(st.booleans()))
    half_trained(reading, perceiver.stages["found"], steps, seed)
    assert parts_of_checker(perceiver, declaration.seen.to_json()) == parts_of_prover(perceiver)


@torch.no_grad()
def parts_of_prover(perceiver: Exact) -> dict[str, tuple[int, int]]:
    found = [_order(width, each) for width, each in perceiver.comparisons.items()]
    found += [_stage(perceiver.readings[name], stage) for name, stage in perceiver.stages.items()]
    return {each.check.name: (each.check.cases, each.check.failures) for each in found}


def parts_of_checker(perceiver: Exact, look: dict[str, object]) -> dict[str, tuple[int, int]]:
    weights = {f"perceiver.{name}": value.detach().numpy() for name, value in perceiver.state_dict().items()}
    said: dict[str, object] = {"look": look, "rules": {}, "outputs": {}, "concepts": [], "goes_on": None}
    made = {"seeds": [0], "architecture": {"width": 6, "message_bits": 3}}
    found = {}
    for name, cases in checker.parts(weights, said, made):
        right = [each for each, _ in cases]
        found[name.removesuffix(", seed 0")] = len(right), right.count(False)
    return found
