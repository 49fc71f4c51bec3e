"""Models: trained networks and everything that belongs to them, in memory and in folders."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import torch
from msgspec import structs, to_builtins
from rich.console import RenderableType
from rich.text import Text
from safetensors import SafetensorError
from safetensors.torch import save as weights_bytes
from torch import nn

import algolens as al
from algolens.algorithms import (
    SHIPPED,
    Algorithm,
    algorithms,
    broken_algorithms,
    check_own_file,
    shipped_folder,
    shipped_names,
)
from algolens.data import OwnSets
from algolens.disk import (
    as_json,
    is_aside,
    lock_beside,
    path_of,
    put_together,
    remove_folder,
    write_inside,
)
from algolens.engines import Run
from algolens.errors import AlgoLensError, ReadingError, WritingError, brief
from algolens.experiment.config import OWN_NETWORK
from algolens.extraction.extract import extract, misread
from algolens.extraction.extraction import Extraction, RuleSetsRecord, Unseen
from algolens.logic.rule_set import RuleSet
from algolens.memory import phase
from algolens.models import (
    Network,
    add_network,
    add_processor,
    fingerprint,
    load_weights,
    misfit,
    own_file,
)
from algolens.models.exact import Exact
from algolens.models.own import NETWORKS
from algolens.models.weight_files import MOST_WEIGHTS, read_tensors
from algolens.proofs.certificate import (
    Basis,
    Certificate,
    CertificatesRecord,
    Claimed,
    certificate_subject,
    declaration_fingerprint,
    declaration_json,
    provable,
)
from algolens.proofs.certify import certify_network, proof
from algolens.reading import read_bytes, read_record
from algolens.records import (
    FRESH_SCORES,
    OWN_GRAPHS,
    WEIGHTS,
    About,
    Experiment,
    ExperimentRecord,
    measured_record,
)
from algolens.text.display import Shown
from algolens.text.learnt import training_note
from algolens.text.outcome import count_in_words
from algolens.training import Epoch

CURVES = "curves.png"  # how a run was learnt, as a picture
# all that we write into a model's folder; any other file there is somebody else's
FILES = (
    "experiment.json",
    WEIGHTS,
    "rule_sets.json",
    "history.csv",
    "scores.json",
    FRESH_SCORES,
    "study.json",
    "certificate.json",
    "distilled.json",
    "declaration.json",
    OWN_GRAPHS,
    CURVES,
)
# what experiment.json of any version says
TELLING = {"algorithm", "preset", "architecture", "schedule", "seeds"}


@dataclass(frozen=True)
class Place:
    """A folder that is claimed: this process alone may write a run there."""

    folder: Path
    overwrite: bool  # may a run that is there be replaced?

    def install(self, files: Mapping[str, str | bytes]) -> None:
        """Replace the folder's contents by these files; an earlier run is deleted last."""
        real = _real(self.folder)
        new, old = put_together(real), _set_aside(real)
        try:
            new.mkdir()
            for name, content in files.items():
                write_inside(new, name, content)
            _check_free(self.folder, self.overwrite)  # hours may have passed since it was claimed
            if real.exists():
                os.rename(real, old)
            # killed before this, the next who holds the lock puts the old one back
            os.rename(new, real)
        except OSError as problem:
            raise WritingError(
                f"{self.folder} cannot be written ({problem.strerror}): give another place."
            ) from problem
        finally:
            _settle(real)


@contextmanager
def claim(folder: Path, *, overwrite: bool = False) -> Iterator[Place]:
    """Claim a folder for this process alone, until the process releases it or ends.

    Raise an error if another process has claimed the folder, if it exists (unless overwrite), or
    if it exists and is not a model of AlgoLens.
    """
    if folder.name in ("", ".."):
        raise AlgoLensError(
            f"'{folder}' does not name a folder for a run: give one by its name with --out."
        )
    with unchanged(folder):
        _settle(_real(folder))
        _check_free(folder, overwrite)
        yield Place(folder, overwrite)


def recover(folder: Path) -> None:
    """Restore a model that was being replaced when its process was killed."""
    real = _real(folder)
    if not real.exists() and _set_aside(real).is_dir():
        # where it is claimed, another process is putting it in place now
        with suppress(AlgoLensError), unchanged(folder):
            _settle(real)


def is_model(folder: Path) -> bool:
    """Whether a folder is a run of AlgoLens, of any version."""
    try:
        return read_record(folder / "experiment.json", dict[str, Any]).keys() >= TELLING
    except ReadingError:
        return False


def unchanged(folder: Path) -> AbstractContextManager[None]:
    """Lock a folder, so that no other process replaces the model there."""
    return lock_beside(_real(folder), folder, " folder with --out")


def _real(folder: Path) -> Path:
    if "\0" in str(folder):
        raise AlgoLensError(f"{str(folder)!r} names no folder: no name has a null character.")
    return Path(os.path.realpath(folder))  # a link stays, and what it leads to is replaced


def _check_free(folder: Path, overwrite: bool) -> None:
    if not folder.exists():
        return
    if not overwrite:
        raise AlgoLensError(
            f"{folder} is there already: give another folder with --out, or --overwrite (in "
            "Python, overwrite=True)."
        )
    if not is_model(folder) and (not folder.is_dir() or any(folder.iterdir())):
        raise AlgoLensError(
            f"{folder} is there and is no model of ours (no experiment.json that describes one), "
            "so --overwrite does not touch it: give another folder with --out."
        )
    others = sorted(path.name for path in folder.iterdir() if not _is_ours(path))
    if others:
        raise AlgoLensError(
            f"{folder} holds more than a model's files ({', '.join(others)}), which would be lost: "
            "move that to another place, or give another folder with --out."
        )
    if os.path.ismount(folder):
        raise AlgoLensError(
            f"{folder} is the root of a disk, which cannot be replaced: give a folder in it with "
            "--out."
        )


def _settle(real: Path) -> None:
    """Ends what this process or a killed one began: one folder has the name, none is beside it."""
    old = _set_aside(real)
    if old.exists() and not real.exists():
        os.rename(old, real)
    for left in (old, put_together(real)):
        remove_folder(left, _is_ours)


def _set_aside(real: Path) -> Path:
    """Where the old folder is, while neither stands under the name."""
    return real.with_name(f".{real.name}.old")


def _is_ours(path: Path) -> bool:
    is_named = path.name in FILES or is_aside(path.name, "|".join(map(re.escape, FILES)))
    return is_named and path.is_file() and not path.is_symlink()


MOST_GRAPHS = 2**31  # bytes of a user's own graphs
UNFIT = "experiment.json and weights.safetensors do not fit each other"


@dataclass(frozen=True, eq=False, repr=False)
class Model(Shown):
    """Trained networks, their rules, and their certificates.

    Attributes
    ----------
    experiment : Experiment
        What was trained, on which data, and how.
    network : Network
        The networks of all seeds.
    about : About
        How it was made: command, device, seconds, versions and selected epochs.
    extractions : sequence of Extraction, optional
        The rules of each seed, with their measurements.
    claimed : sequence of Certificate, optional
        What certificate.json claims about each seed, not verified yet.
    notes : tuple of str
        Notes on files in its folder that do not belong to these weights.
    history : sequence of Epoch
        Every epoch of its training.
    scores : mapping
        Scores on the test sets at the end of training; empty for a loaded model.
    unproven : sequence of int, optional
        After training, the number of wrong cases that the proof found for each seed.
    folder : Path, optional
        Its folder, if it was loaded or saved.
    """

    experiment: Experiment
    network: Network
    about: About
    extractions: Sequence[Extraction] | None = None
    claimed: Sequence[Certificate] | None = None
    notes: tuple[str, ...] = ()
    history: Sequence[Epoch] = ()
    scores: Mapping[str, Any] = field(default_factory=dict)
    unproven: Sequence[int] | None = None
    folder: Path | None = None

    @property
    def rule_sets(self) -> list[RuleSet] | None:
        """The rules of each seed's network, or None."""
        rules = self.extractions
        return None if rules is None else [entry.rule_set for entry in rules]

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that the networks learnt, with its options."""
        return self.network.algorithm

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds of the networks; the first one is used for runs."""
        return tuple(self.network.seeds)

    @property
    def preset(self) -> str:
        """Name of the preset used for training."""
        return self.experiment.preset

    @property
    def graphs(self) -> Mapping[str, Any] | None:
        """Which of your graphs it was trained on, and how they were split, or None."""
        return self.experiment.graphs

    @property
    def rules(self) -> RuleSet | None:
        """The rules of the first seed's network, or None."""
        return None if self.rule_sets is None else self.rule_sets[0]

    @property
    def is_provable(self) -> bool:
        """Whether anything can be proven about such a network, as for the preset exact."""
        return provable(self.network)

    @property
    def alone(self) -> list[Network]:
        """A separate network for each seed, on the CPU."""
        return [network for _, network in alone(self.network.cpu())]

    @property
    def ships(self) -> bool:
        """Whether the model ships with the package, and is therefore read-only."""
        return self.folder is not None and self.folder.is_relative_to(SHIPPED)

    @cached_property
    def is_proven(self) -> bool:
        """Whether every seed is proven to do what the algorithm declares, on every graph.

        The proof runs now, which takes a fraction of a second; no file is trusted.
        """
        checks = [check for one in self.alone for check in proof(one)] if self.is_provable else []
        return bool(checks) and not any(check.failures for check in checks)

    @cached_property
    def certificates(self) -> Sequence[Certificate]:
        """The certificate of every seed, proven now, or None if nothing can be proven.

        The results of tests, which take longer and prove nothing, come from certificate.json, if
        it exists.
        """
        if not self.is_provable:
            return ()
        if self.claimed is not None:
            return proven_anew(self.claimed, self.network)
        return [certify_network(one) for one in self.alone]

    @property
    def certificate(self) -> Certificate | None:
        """The certificate of the first seed, or None if nothing can be proven."""
        return next(iter(self.certificates), None)

    def execute(self, *graph: Any, by: str = "network", **arguments: Any) -> al.Execution:
        """Run it on a graph, as ``al.execute`` does; by default, the network runs."""
        return al.execute(self, *graph, by=by, **arguments)

    def explain(self, *, seed: int | None = None) -> al.Explanation:
        """Explain it, as ``al.explain`` does."""
        return al.explain(self, seed=seed)

    def evaluate(self, sizes: Sequence[int] = (20, 50, 100), **settings: Any) -> al.Evaluated:
        """Score it on test graphs, as ``al.evaluate`` does."""
        return al.evaluate(self, sizes, **settings)

    def save(self, folder: str | PathLike[str], *, overwrite: bool = False) -> Path:
        """Save it to a folder that ``al.load`` and every command can read."""
        place = path_of(folder, "save")
        with claim(place, overwrite=overwrite) as claimed:
            self.write(claimed)
        return place

    def write(self, place: Place) -> None:
        """Write it into a claimed folder; a loaded model keeps the files that it has."""
        if self.folder is not None and not self.scores:
            there = [self.folder / name for name in FILES if (self.folder / name).is_file()]
            place.install({file.name: read_bytes(file, MOST_WEIGHTS) for file in there})
            return
        state = self.network.state_dict()
        weights = {name: value.detach().cpu().contiguous() for name, value in state.items()}
        files: dict[str, str | bytes] = {
            WEIGHTS: weights_bytes(weights),
            "experiment.json": as_json({**self.experiment.to_json(), "about": dict(self.about)}),
            "history.csv": history_csv(self.experiment.seeds, self.history),
            "scores.json": scores_json(self.network, self.scores),
        }
        if self.experiment.own_sets is not None:
            files[OWN_GRAPHS] = self.experiment.own_sets.to_bytes()
        declared = declaration_json(self.network)
        if declared is not None:
            files["declaration.json"] = as_json(declared)
        if self.extractions:
            files["rule_sets.json"] = as_json(rule_sets_json(self.network, self.extractions))
        place.install(files)

    def parts(self) -> Iterator[RenderableType]:
        """What is shown, from top to bottom."""
        yield Text(repr(self), "bold")
        if self.graphs is not None:
            seed = self.experiment.data_seed
            yield Text(training_note(self.graphs, seed), "dim")
        if self.rules is not None:
            yield Text(str(self.rules))
        for note in self.notes:
            yield Text(f"note: {note}", "dim")

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value}" for name, value in self.algorithm.options.items())
        seeds = "" if len(self.seeds) == 1 else f", {count_in_words(len(self.seeds), 'seed')}"
        proven = ", proven right on every graph" if self.is_proven else ", not proven"
        return (
            f"Model({self.algorithm.name}{f' ({options})' if options else ''}, "
            f"{self.preset}{seeds}{proven if self.is_provable else ''})"
        )


def find_folder(name: Path | str, *, ships: bool = True) -> Path:
    """A model's folder: as given, or (if it ships) that of the model of an algorithm's name."""
    folder = (shipped_folder(str(name)) if ships else None) or Path(name)
    recover(folder)
    if not (folder / "experiment.json").is_file():
        raise AlgoLensError(
            f"{folder}: there is no model here (no experiment.json). Give a folder that 'algolens "
            "train' wrote, or the name of an algorithm whose model ships with the package: "
            f"{', '.join(shipped_names()) or 'there is none'}."
        )
    return folder


def load_model(
    folder: Path | str,
    own: type[Algorithm] | None = None,
    network_class: type[nn.Module] | None = None,
    *,
    certified: bool = True,
    explained: bool = True,
) -> Model:
    """The model in a folder, or the one that ships for an algorithm, by its name.

    Parameters
    ----------
    folder : Path or str
        A folder that ``algolens train`` wrote, or an algorithm's name.
    own : type of Algorithm, optional
        The algorithm's class, if no known file defines it.
    network_class : type of nn.Module, optional
        The class of the user's own network; without it, the file that defines it is run.
    certified : bool
        Whether to read the certificate. That hashes all code that it is about, and a run needs none
        of it.
    explained : bool
        Whether to read the rules. Those of an exact network are compared with what it decides.

    Raises
    ------
    AlgoLensError
        If there is no model, or its files do not match.
    """
    folder = find_folder(folder, ships=own is None)
    again = "Train it again, or give another."
    try:
        described = read_record(folder / "experiment.json", ExperimentRecord)
        weights = read_tensors(folder / "weights.safetensors")
    except ReadingError as problem:
        reason = f"the model cannot be read ({brief(problem)})"
        raise AlgoLensError(f"{folder}: {reason}. {again}") from problem
    try:
        experiment = with_class(Experiment.from_json(described), own)
        experiment, on_graphs = _with_graphs(folder, experiment)
        ran = _find_own_class(folder, experiment, network_class)
        network = Network(
            experiment.find_algorithm(), experiment.architecture, experiment.seeds, draws=False
        )
    except AlgoLensError as problem:
        raise AlgoLensError(f"{folder}: {problem}") from problem
    except (RuntimeError, TypeError, ValueError) as problem:
        raise AlgoLensError(f"{folder}: {UNFIT} ({brief(problem)}). {again}") from problem
    try:
        load_weights(network, weights)
    except AlgoLensError as problem:
        raise AlgoLensError(f"{folder}: {UNFIT} ({brief(problem)}). {again}") from problem
    rules, on_rules = read_rule_sets(folder, network) if explained else (None, None)
    claimed, on_certificates = read_certificates(folder, network) if certified else (None, None)
    on_declaration = objection_to_declaration(folder, network)
    notes = tuple(filter(None, [ran, on_graphs, on_rules, on_certificates, on_declaration]))
    return Model(experiment, network, described.about, rules, claimed, notes, folder=folder)


def with_class(experiment: Experiment, own: type[Algorithm] | None) -> Experiment:
    """The experiment with its algorithm's class, where that is given and the right one."""
    name = experiment.algorithm
    if own is None:
        if experiment.program is None and name not in algorithms():
            broken = "".join(f" Not read: {problem}" for problem in broken_algorithms())
            raise AlgoLensError(
                f"this is a model of '{name}', and no known file defines that algorithm: before a "
                f"command, export ALGOLENS_ALGORITHMS={name}.py, or wherever it is defined; in "
                f"Python, give its class, as in al.load(folder, algorithm=MyClass).{broken}"
            )
        return experiment
    if own.name != name:
        raise AlgoLensError(
            f"this is a model of '{name}', and the class {own.__name__} of '{own.name}' came: give "
            f"that of '{name}'."
        )
    return replace(experiment, own=own)


def _with_graphs(folder: Path, experiment: Experiment) -> tuple[Experiment, str | None]:
    """The experiment with the graphs of its user; or a note, where they are not what it says."""
    if experiment.graphs is None:
        return experiment, None
    path = folder / OWN_GRAPHS
    try:
        sets = OwnSets.from_bytes(read_bytes(path, MOST_GRAPHS))
    except (SafetensorError, ValueError, KeyError) as problem:
        return experiment, f"{path}, which holds its graphs, cannot be read ({brief(problem)})."
    if sets.sha256 != experiment.graphs["sha256"]:
        return experiment, f"{path} holds other graphs than it was trained on, which are not used."
    return replace(experiment, own_sets=sets), None


def _find_own_class(
    folder: Path, experiment: Experiment, network_class: type[nn.Module] | None
) -> str | None:
    """Runs the file of the user's own processor or network, and says so; None: there is none."""
    name, file = experiment.architecture.processor, own_file(experiment.architecture)
    part = "network" if experiment.preset == OWN_NETWORK else "processor"
    if network_class is not None and part != "network":
        raise AlgoLensError("its network is none of your own: give no network=.")
    if part == "network" and file is None:
        network_class = network_class or NETWORKS.get(name)
        if network_class is None:
            raise AlgoLensError(
                f"its network '{name}' stands in no file: in Python, give its class, as in "
                f"al.load(folder, network={name.split(':')[-1]})."
            )
    if network_class is not None:
        add_network(network_class, name=name, sha256=experiment.processor_sha256)
    if network_class is not None or file is None:
        return None
    check_own_file(name, part, experiment.processor_sha256, folder)
    add = add_network if part == "network" else add_processor
    add(name, sha256=experiment.processor_sha256)
    return f"{file} was run, the file of the {part} '{name}'."


def save_certificates(folder: Path, network: Network, certificates: Sequence[Certificate]) -> None:
    """Puts certificate.json and declaration.json beside the weights that they are about."""
    write_inside(folder, "certificate.json", as_json(certificates_json(certificates)))
    write_inside(folder, "declaration.json", as_json(declaration_json(network)))


def save_fresh_scores(folder: Path, network: Network, scores: Mapping[str, Any]) -> None:
    """Puts scores on fresh graphs beside the weights that they are of."""
    with unchanged(folder):
        write_inside(folder, FRESH_SCORES, scores_json(network, scores))


def save_rule_sets(folder: Path, network: Network, extractions: Sequence[Extraction]) -> None:
    """Puts rule_sets.json beside the weights that its rules were drawn from."""
    write_inside(folder, "rule_sets.json", as_json(rule_sets_json(network, extractions)))


def scores_json(network: Network, scores: Mapping[str, Any]) -> str:
    """What a file of scores holds: also, of which network they are."""
    return as_json({**scores, "about": fingerprint(network)})


def history_csv(seeds: Sequence[int], history: Sequence[Epoch]) -> str:
    """A line for each epoch and seed: losses, and accuracies in percent where it was validated."""
    rows: list[dict[str, Any]] = []
    for epoch in history:
        for place, seed in enumerate(seeds):
            row = {"epoch": epoch.epoch, "seed": seed, "seconds": f"{epoch.seconds:.2f}"}
            row |= {f"loss_{name}": f"{values[place]:.6f}" for name, values in epoch.losses.items()}
            if epoch.validation is not None:
                shares = _shares(to_builtins(epoch.validation[place]))
                row |= {f"validation_{name}": f"{100 * share:.3f}" for name, share in shares}
            if epoch.unproven is not None:
                row["unproven"] = epoch.unproven[place]
            rows.append(row)
    columns = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _shares(scores: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The columns of a validation: means."""
    for name, value in scores.items():
        if isinstance(value, float):
            yield name, value
        elif isinstance(value, Mapping) and name != "spread":
            for concept, share in value.items():
                yield f"{name.removeprefix('per_concept_')}.{concept}", share


def alone(network: Network) -> Iterator[tuple[int, Network]]:
    """The network of each seed, by itself."""
    return ((seed, network.only(place)) for place, seed in enumerate(network.seeds))


def versions() -> dict[str, str]:
    """What it was made with."""
    return {"algolens": al.__version__, "torch": torch.__version__}


def certificates_json(certificates: Sequence[Certificate]) -> dict[str, Any]:
    """The certificates of all seeds: a check counts the cases and failures of all of them."""
    first, *others = seeds = [to_builtins(certificate) for certificate in certificates]
    if not others:
        return first
    checks = [
        {**check, **{key: sum(seed["checks"][i][key] for seed in seeds) for key in COUNTED}}
        for i, check in enumerate(first["checks"])
    ]
    proven = all(seed["proven"] for seed in seeds)
    whole = {"algorithm": first["algorithm"], "proven": proven}
    return {**whole, "assumptions": first["assumptions"], "checks": checks, "seeds": seeds}


COUNTED = ("cases", "failures")  # of a check, over all seeds


def proven_anew(claimed: Sequence[Certificate], network: Network) -> list[Certificate]:
    """Certificates with the proof as it comes out now; trials are as claimed.

    A file can be edited, and a proof takes a fraction of a second. A trial takes longer, and is no
    proof.
    """
    anew = []
    for place, certificate in enumerate(claimed):
        trials = (check for check in certificate.checks if check.basis is not Basis.PROOF)
        claims = (Claimed(**structs.asdict(check)) for check in trials)
        checks = (*proof(network.only(place)), *claims)
        anew.append(structs.replace(certificate, checks=checks))
    return anew


def read_certificates(
    folder: Path, network: Network
) -> tuple[list[Certificate] | None, str | None]:
    """What certificate.json claims of each seed, or why it is not about these weights and code."""
    path, remedy = folder / "certificate.json", f"Run `algolens certify {folder}`."
    record, wrong = measured_record(folder, path.name, CertificatesRecord, None, remedy)
    if record is None:
        return None, wrong
    if [entry.seed for entry in record.certificates] != list(network.seeds):
        return None, f"{path} is about other seeds: it is not used. {remedy}"
    for place, entry in enumerate(record.certificates):
        another = misfit(entry.about, certificate_subject(network.only(place)))
        if another is not None:
            return None, f"{path} is about {another}: it is not used. {remedy}"
    return record.certificates, None


def objection_to_declaration(folder: Path, network: Network) -> str | None:
    """Why declaration.json is not what the algorithm declares; None where it is, or not there."""
    path, declared = folder / "declaration.json", declaration_json(network)
    if declared is None or not os.path.lexists(path):
        return None
    wrong = f"{path} says something else than {network.algorithm.name} declares"
    try:
        written = declaration_fingerprint(read_record(path, dict[str, Any]))
        if written == declaration_fingerprint(declared):
            return None
    except ReadingError as problem:
        wrong = str(problem).rstrip(".")
    return f"{wrong}: `algolens certify {folder}` writes it anew."


def extract_all(
    network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE
) -> list[Extraction]:
    """The rules of every seed, drawn from its own run on a trace's graphs."""
    there = truth.to(network.device)
    with phase(f"extracting the rules of {network.algorithm.name}"):
        return [extract(one, there, unseen) for _, one in alone(network)]


def rule_sets_json(network: Network, extractions: Sequence[Extraction]) -> dict[str, Any]:
    """What rule_sets.json holds."""
    return {
        "algorithm": network.algorithm.name,
        "about": fingerprint(network),
        "seeds": [
            {"seed": seed, **extraction.to_json()}
            for seed, extraction in zip(network.seeds, extractions, strict=True)
        ],
    }


def read_rule_sets(folder: Path, network: Network) -> tuple[list[Extraction] | None, str | None]:
    """The rules of every seed that rule_sets.json holds, or why they are not used.

    Those of an exact network are compared with what it decides, as it is read now; of another, a
    remark says that they are the file's.
    """
    path, declaration = folder / "rule_sets.json", network.algorithm.declaration
    redraw = f"`algolens explain {folder} --redraw` draws its own rules."
    written, wrong = measured_record(
        folder, path.name, RuleSetsRecord, fingerprint(network), redraw
    )
    if written is None:
        return None, wrong
    is_exact = isinstance(network.perceiver, Exact)
    try:
        entries = [entry.extraction(str(path)) for entry in written.seeds]
    except ReadingError as problem:
        return None, f"{str(problem).rstrip('.')}: it is not used. {redraw}"
    fits = [entry.seed for entry in written.seeds] == list(network.seeds) and all(
        entry.is_exact is is_exact
        and entry.rule_set.concepts == declaration.concepts
        and entry.outputs.keys() == entry.rule_set.rules.keys() == declaration.decided.keys()
        for entry in entries
    )
    read = zip(alone(network), entries, strict=True) if fits and is_exact else ()
    if not fits or any(misread(one, entry) for (_, one), entry in read):
        return None, f"{path} holds rules that are not the network's: it is not used. {redraw}"
    return entries, None
