"""What a certificate says, and the fingerprints of what it is about."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType, field, structs

import algolens
from algolens.algorithms import Algorithm, python_methods
from algolens.language.ir import Node
from algolens.layers import layer_files
from algolens.lazy import Library
from algolens.reading import Count, Subject, Text, Word, without_blanks

if TYPE_CHECKING:
    from algolens.models import Network
    from algolens.models.exact import Star

# a certificate is read without PyTorch
models, exact = Library("algolens.models"), Library("algolens.models.exact")


LOWERING = "lowering"  # the check that is of the algorithm, and not of its network


class Basis(Enum):
    """What a check rests on."""

    PROOF = "proof"  # holds on every graph of any size
    EXHAUSTIVE = "exhaustive"  # every case of a stated range was tried
    SAMPLED = "sampled"  # some cases were tried


class Check(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One thing that was checked, and how it came out."""

    name: Word
    basis: Basis = field(name="kind")
    cases: Count
    failures: Count
    says: Text  # in plain words, what holds when nothing failed
    counterexample: Text | None = None  # the first failure, in plain words


class Claimed(Check, frozen=True):
    """What a file says of a check, which was not made since."""


@dataclass(frozen=True, eq=False)
class Finding:
    """A check, the part of the network it is about, and stars that show what is wrong."""

    check: Check
    part: str
    wrong: Sequence[Star] = ()


class Certificate(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All checks of one network: what certificate.json holds of a seed."""

    algorithm: Word
    seed: Count
    proven: bool = False  # as its checks say, whatever a file claims
    about: Subject  # fingerprints of the network, and of the code
    assumptions: tuple[Text, ...]  # of graphs and machines: what it speaks of
    checks: tuple[Check, ...]

    def __post_init__(self) -> None:
        has_proof = any(check.basis is Basis.PROOF for check in self.checks)
        proven = has_proof and not any(check.failures for check in self.checks)
        structs.force_setattr(self, "proven", proven)


class CertificatesRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What certificate.json holds: of one seed itself, of several under 'seeds'."""

    algorithm: Word
    proven: bool
    assumptions: tuple[Text, ...]
    checks: tuple[Check, ...]
    seed: Count | UnsetType = UNSET
    about: Subject | UnsetType = UNSET
    seeds: Annotated[list[Certificate], Meta(min_length=1)] | UnsetType = UNSET

    @property
    def certificates(self) -> list[Certificate]:
        """The certificate of each seed; none where it names no seed."""
        if not isinstance(self.seeds, UnsetType):
            return self.seeds
        said = {name: value for name, value in structs.asdict(self).items() if value is not UNSET}
        return [Certificate(**said)] if {"seed", "about"} <= said.keys() else []


def provable(network: Network) -> bool:
    """Whether there is a proof to try."""
    return objection_to_proof(network) is None


def objection_to_proof(network: Network) -> str | None:
    """Why there is no proof to try, as a sentence begins; None where there is one."""
    name = network.algorithm.name
    if not isinstance(network.perceiver, exact.Exact):
        return f"this network for {name} decides by numbers that are no bits"
    methods = unproven_methods(network.algorithm)
    return f"{name} goes by Python, by its own {methods[0]}()" if methods else None


def unproven_methods(algorithm: Algorithm) -> list[str]:
    """Methods in Python of which a proof knows nothing. What check() refuses, it need not know."""
    return [name for name in python_methods(algorithm) if name != "check"]


def certificate_subject(network: Network) -> dict[str, str | None]:
    """The fingerprint of what a certificate of this network is about."""
    return {
        **models.fingerprint(network),
        "declaration": declaration_fingerprint(declaration_json(network)),
        "code": code_fingerprint(type(network.algorithm)),  # type: ignore[arg-type]
    }


def declaration_json(network: Network) -> dict[str, Any] | None:
    """All that is declared; None where nothing can be proven."""
    if not provable(network):
        return None
    algorithm = network.algorithm
    return {
        "algorithm": algorithm.name,
        "options": dict(algorithm.options),
        "graphs": algorithm.graphs,
        "loops_matter": algorithm.loops_matter,
        "parallel_edges_matter": algorithm.parallel_edges_matter,
        "program": _written_out(algorithm.declaration.program),
    }


def _written_out(value: Any) -> Any:
    """A part of a program as JSON, with nothing left out: equal programs are written alike."""
    if isinstance(value, Node):
        parts = {name: _written_out(part) for name, part in msgspec.structs.asdict(value).items()}
        return {"type": type(value).__name__, **parts}
    if isinstance(value, dict):
        return {name: _written_out(part) for name, part in value.items()}
    return [*map(_written_out, value)] if isinstance(value, tuple) else value


def declaration_fingerprint(declared: Any) -> str:
    """SHA-256 of a declaration as JSON without blanks; the order of its keys counts."""
    return hashlib.sha256(without_blanks(declared).encode()).hexdigest()


@cache
def code_fingerprint(algorithm: type[Algorithm]) -> str | None:
    """SHA-256 of the code that a run, a proof and a trial go through; None without source.

    It covers the version, all layers up to this one, and the files that define the algorithm; those
    of other algorithms, and of proofs that two programs are equal, do not count.
    """
    digest = hashlib.sha256(algolens.__version__.encode())
    try:
        for path in layer_files("proofs"):
            is_algorithm = path.parent.name == "algorithms" and not path.name.startswith("_")
            if not is_algorithm and path.parent.name != "equality":
                digest.update(f"\n{path.name}\n{path.read_text(encoding='utf-8')}".encode())
        for cls in algorithm.__mro__:
            if issubclass(cls, Algorithm) and cls is not Algorithm:
                text = Path(inspect.getfile(cls)).read_text(encoding="utf-8")
                digest.update(f"\n{cls.__qualname__}\n{text}".encode())
    except (OSError, TypeError):  # typed into a session, or packed away
        return None
    return digest.hexdigest()
