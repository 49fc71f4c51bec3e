"""The second checker: alone, in exact arithmetic, with the prover's outcome, part by part."""

from __future__ import annotations

import ast
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from algolens import checker
from algolens.algorithms import SHIPPED, shipped_names
from algolens.disk import write_json
from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model, save_certificates
from algolens.models import Network
from algolens.models.exact import Exact
from algolens.proofs.certificate import _written_out, certificate_subject, declaration_json
from algolens.proofs.certify import certify_network
from algolens.proofs.network import _order, _stage, prove
from tests.effort import covering, in_proportion
from tests.models.exact.stages import declared, drawn_statement, random_perceiver
from tests.proofs.test_proof import half_trained


def folder_of(name: str, tmp_path: Path) -> Path:
    """A shipped run, with its declaration beside it."""
    folder = tmp_path / name
    shutil.copytree(SHIPPED / name, folder)
    write_json(folder / "declaration.json", declaration_json(load_model(name).network))
    return folder


def certified(name: str, tmp_path: Path) -> Path:
    """The same, with its certificate made now."""
    folder = folder_of(name, tmp_path)
    network = load_model(name).network
    save_certificates(folder, network, [certify_network(network.only(0))])
    return folder


def by_prover(network: Network) -> dict[str, tuple[int, int]]:
    return {
        finding.check.name: (finding.check.cases, finding.check.failures)
        for finding in prove(network)
    }


def by_checker(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        name.rsplit(", seed", 1)[0]: (cases, wrong)
        for name, (cases, wrong, _) in checker.check_folder(folder).items()
    }


# all of them: `make check-certificates`
@pytest.mark.parametrize("name", covering(shipped_names()))
def test_it_finds_what_the_prover_finds_in_what_ships(name: str, tmp_path: Path) -> None:
    folder = folder_of(name, tmp_path)
    found = by_checker(folder)
    assert found == by_prover(load_model(name).network.only(0))
    assert not any(failures for _, failures in found.values())


def test_it_runs_alone_and_names_the_weights(tmp_path: Path) -> None:
    """Copied, without the library in reach."""
    folder = certified("bfs_tree", tmp_path)
    shutil.copy(checker.__file__, tmp_path / "copied.py")
    command = [sys.executable, "-I", "-X", "importtime", str(tmp_path / "copied.py"), str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    about = json.loads((folder / "certificate.json").read_text())["about"]
    named = f"weights {about['weights']}, declaration {about['declaration']}"
    assert ran.stdout.splitlines()[-1] == f"proven: seed 0, {named}"
    assert "algolens" not in ran.stderr
    assert "torch" not in ran.stderr


def test_it_is_one_file_that_imports_nothing_of_the_library() -> None:
    text = Path(checker.__file__).read_text()
    roots = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(str(node.module).split(".")[0])
    assert roots - set(sys.stdlib_module_names) == {"numpy"}


def test_a_spoilt_network_fails_in_the_part_that_was_spoilt(tmp_path: Path) -> None:
    folder = folder_of("bfs_tree", tmp_path)
    network = load_model("bfs_tree").network.only(0)
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
    (becomes,) = said["program"]["becomes"]
    becomes["value"] = {"type": "Not", "term": becomes["value"]}
    write_json(folder / "declaration.json", said)
    assert [part for part, (_, wrong) in by_checker(folder).items() if wrong] == ["output visited"]
    (note,) = load_model(folder).notes[-1:]
    assert "says something else than bfs declares" in note


# of no class
OTHER = '"op":"=","right":[{"type":"Const","value":60}]'


def changed(folder: Path, old: str, new: str) -> None:
    """Other words in declaration.json."""
    path = folder / "declaration.json"
    text = json.dumps(json.loads(path.read_text()), separators=(",", ":"))
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_declaration_goes_by_its_fingerprint(tmp_path: Path) -> None:
    """A relation that sees as many others is proven as well: of another algorithm, and that is
    told.
    """
    folder = certified("bfs", tmp_path)
    first = checker.fingerprints(folder)[0]
    assert first == {
        part: value
        for part, value in certificate_subject(load_model("bfs").network.only(0)).items()
        if part in first
    }
    changed(folder, '"sender"', '"receiver"')
    assert not any(wrong for _, wrong in by_checker(folder).values())
    with pytest.raises(
        checker.Refused, match=r"certificate\.json is about another declaration of seed 0"
    ):
        checker.fingerprints(folder)
    (folder / "certificate.json").unlink()
    second = checker.fingerprints(folder)[0]
    assert second["weights"] == first["weights"]
    assert second["declaration"] != first["declaration"]


def test_blanks_are_no_part_of_a_declaration_and_its_order_is(tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    (folder / "certificate.json").unlink()
    said, first = (
        json.loads((folder / "declaration.json").read_text()),
        checker.fingerprints(folder),
    )
    (folder / "declaration.json").write_text(json.dumps(said, indent=7))
    assert checker.fingerprints(folder) == first
    said["program"] = dict(reversed(said["program"].items()))
    (folder / "declaration.json").write_text(json.dumps(said))
    assert checker.fingerprints(folder) != first
    assert "says something else than bfs declares" in load_model(folder).notes[-1]


@pytest.mark.parametrize(
    ("name", "old", "new", "told"),
    [
        ("bfs", '"rows":"link"', '"rows":"edge"', "'receiver' of a link is read of another"),
        ("bfs", '"rows":"link"', '"rows":"anything"', "is read of another element"),
        ("bfs", '"column":"receiver"', '"column":"edge"', "looks at what cannot meet"),
        ("bfs", '"column":"sender"', '"column":"edge"', "'visited' of a node is read of another"),
        ("bfs", '"column":"sender"', '"column":"weight"', "'weight' is read of a link, which has"),
        ("bfs", '"quantity":"some"', '"quantity":"most"', "counts otherwise than by some, every"),
        ("kruskal", '"column":"one_end"', '"column":"sender"', "'sender' is read of a edge"),
        ("kruskal", '"op":"<"', '"op":"<>"', "cannot be read"),
        ("coloring", '"op":"=","right":[{"type":"Const","value":0}]', OTHER, "neither true nor"),
    ],
)
def test_relations_and_paths_that_do_not_fit_where_they_stand_are_refused(
    name: str, old: str, new: str, told: str, tmp_path: Path
) -> None:
    folder = folder_of(name, tmp_path)
    changed(folder, old, new)
    with pytest.raises(checker.Refused, match=told):
        checker.check_folder(folder)


@pytest.mark.parametrize("seeds", [[], [0, 0]])
def test_no_seed_and_no_case_prove_nothing(seeds: list[int], tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    made = json.loads((folder / "experiment.json").read_text())
    write_json(folder / "experiment.json", {**made, "seeds": seeds})
    weights = load_model("bfs").network.state_dict()
    save_file(
        {
            name: value.repeat(len(seeds), *[1] * (value.dim() - 1))
            for name, value in weights.items()
        },
        folder / "weights.safetensors",
    )
    with pytest.raises(checker.Refused, match="names no seeds, or one twice"):
        checker.check_folder(folder)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"architecture": {"processor": "mpnn"}}, "of another kind"),
        ({"architecture": {"bottleneck": False}}, "of another kind"),
        ({"architecture": {"given": ["edge_in_mst"]}}, "of another kind"),
        ({"options": {"bits": 16}}, "of other options"),
    ],
)
def test_an_experiment_of_another_network_is_refused(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    folder = folder_of("kruskal", tmp_path)
    made = json.loads((folder / "experiment.json").read_text())
    write_json(
        folder / "experiment.json",
        {
            name: {**value, **change[name]} if name in change else value
            for name, value in made.items()
        },
    )
    with pytest.raises(checker.Refused, match=said):
        checker.check_folder(folder)


@pytest.mark.parametrize("part", ["graphs", "loops_matter", "parallel_edges_matter", "program"])
def test_all_that_is_declared_has_a_say_in_the_fingerprint(part: str) -> None:
    said = declaration_json(load_model("bfs").network.only(0))
    assert said is not None
    assert part in said
    assert checker.hash_of_declaration({**said, part: "another"}) != checker.hash_of_declaration(
        said
    )


def test_a_declaration_of_nothing_proves_nothing(tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    said = json.loads((folder / "declaration.json").read_text())
    said["program"] |= {"lets": [], "outputs": {}}
    write_json(folder / "declaration.json", said)
    save_file({}, folder / "weights.safetensors")
    with pytest.raises(checker.Refused, match="has no case"):
        checker.check_folder(folder)


def test_every_seed_has_its_own_fingerprint(tmp_path: Path) -> None:
    trained = load_model("bfs")
    two = Network(trained.network.algorithm, trained.network.architecture, (3, 5))
    weights = {
        name: torch.cat([value, value]) for name, value in trained.network.state_dict().items()
    }
    weights["perceiver.stages.goes_on.head_last.bias"][1] += 0.001
    two.load_state_dict(weights)
    folder = folder_of("bfs", tmp_path)
    made = json.loads((folder / "experiment.json").read_text())
    write_json(folder / "experiment.json", {**made, "seeds": [3, 5]})
    write_weights(folder, two)
    (folder / "certificate.json").unlink()
    alone = {seed: certificate_subject(two.only(place)) for place, seed in enumerate((3, 5))}
    assert checker.fingerprints(folder) == {
        seed: {part: each[part] for part in ("weights", "declaration")}
        for seed, each in alone.items()
    }


def write_weights(folder: Path, network: Network) -> None:
    save_file(
        {name: value.contiguous() for name, value in network.state_dict().items()},
        folder / "weights.safetensors",
    )


def forged(name: str, value: float) -> Network:
    network = load_model("bfs").network
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
def test_what_no_training_leaves_is_refused_by_both(
    name: str, value: float, tmp_path: Path
) -> None:
    folder = folder_of("bfs", tmp_path)
    write_weights(folder, forged(name, value))
    with pytest.raises(checker.Refused):
        checker.check_folder(folder)
    with pytest.raises(AlgoLensError):
        load_model(folder)


@pytest.mark.parametrize("missing", ["weights.safetensors", "declaration.json", "experiment.json"])
def test_a_run_that_is_not_whole_is_refused(missing: str, tmp_path: Path) -> None:
    folder = folder_of("bfs", tmp_path)
    (folder / missing).unlink()
    with pytest.raises(checker.Refused, match="cannot be read"):
        checker.check_folder(folder)


def test_sums_too_large_for_single_precision_are_unsure(tmp_path: Path) -> None:
    """Infinity less infinity is no number: what is sure in double precision is not in single."""
    network = load_model("bfs").network.only(0)
    with torch.no_grad():
        for layer in ("first", "last"):
            for part in ("weight", "bias"):
                dict(network.named_parameters())[f"decoders.visited.{layer}.{part}"].mul_(1e20)
    folder = folder_of("bfs", tmp_path)
    write_weights(folder, network)
    assert by_checker(folder)["output visited"][1]
    assert by_prover(network)["output visited"][1]


# ---- any statement


@pytest.mark.parametrize("seed", range(in_proportion(48)))
def test_it_reads_any_statement_as_the_prover_does(seed: int) -> None:
    """Random statements, and stages half trained: the same cases and failures."""
    rng = random.Random(seed)
    statement = drawn_statement(rng, lambda each: each.num_own * max(each.num_neighbours, 1) <= 80)
    declaration = declared(statement)
    perceiver = random_perceiver(declaration, seed, in_order=rng.random() < 0.5)
    half_trained(statement, perceiver.stages["found"], rng.randint(0, 60), seed)
    assert parts_of_checker(perceiver) == parts_of_prover(perceiver), str(statement)


@torch.no_grad()
def parts_of_prover(perceiver: Exact) -> dict[str, tuple[int, int]]:
    found = [_order(width, each) for width, each in perceiver.comparisons.items()]
    found += [_stage(perceiver.statements[name], stage) for name, stage in perceiver.stages.items()]
    return {each.check.name: (each.check.cases, each.check.failures) for each in found}


def parts_of_checker(perceiver: Exact) -> dict[str, tuple[int, int]]:
    weights = {
        f"perceiver.{name}": value.detach().numpy()
        for name, value in perceiver.state_dict().items()
    }
    program = {**_written_out(perceiver.declaration.program), "outputs": {}}
    made = {"seeds": [0], "architecture": {"width": 6, "message_bits": 3}}
    found = {}
    for name, cases in checker.parts(weights, {"program": program}, made):
        right = [each for each, _ in cases]
        found[name.removesuffix(", seed 0")] = len(right), right.count(False)
    return found
