"""The files beside a model's weights: certificates, declaration, rules."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from algolens.engines import Run
from algolens.errors import AlgoLensError, ReadingError
from algolens.extraction import Extraction, Unseen, extract, misread
from algolens.extraction.extraction import RuleSetsRecord
from algolens.memory import phase
from algolens.models import Network, fingerprint, misfit
from algolens.models.exact import Exact
from algolens.proofs import (
    Basis,
    Certificate,
    certificate_subject,
    declaration_json,
    proof,
    provable,
)
from algolens.reading import read_record, record_and_line, without_blanks
from algolens.records.certificate import CertificatesRecord
from algolens.records.declaration import DeclarationRecord
from algolens.records.manifest import unfit


def certificates_json(certificates: Sequence[Certificate]) -> dict[str, Any]:
    """The certificates of all seeds: a check counts the cases and failures of all of them."""
    first = certificates[0].to_json()
    if len(certificates) == 1:
        return first
    for i, check in enumerate(first["checks"]):
        check["cases"] = sum(certificate.checks[i].cases for certificate in certificates)
        check["failures"] = sum(certificate.checks[i].failures for certificate in certificates)
    return {
        "algorithm": first["algorithm"],
        "proven": all(certificate.proven for certificate in certificates),
        "assumptions": first["assumptions"],
        "checks": first["checks"],
        "seeds": [certificate.to_json() for certificate in certificates],
    }


def proven_anew(claimed: Sequence[Certificate], network: Network) -> list[Certificate]:
    """Certificates with the proof as it comes out now; trials are as claimed.

    A file can be edited, and a proof takes a fraction of a second. A trial takes longer, and is no
    proof.
    """
    anew: list[Certificate] = []
    for place, certificate in enumerate(claimed):
        trials = [check for check in certificate.checks if check.basis is not Basis.PROOF]
        claims = [replace(check, claimed=True) for check in trials]
        anew.append(replace(certificate, checks=(*proof(network.only(place)), *claims)))
    return anew


def read_certificates(
    folder: Path, network: Network
) -> tuple[list[Certificate] | None, str | None]:
    """What certificate.json claims of each seed, or why it is not about these weights and code."""
    path = folder / "certificate.json"
    if not os.path.lexists(path):
        return None, None
    remedy = f"it is not shown. Run `algolens certify {folder}`."
    try:
        entries = read_record(path, CertificatesRecord).certificates(str(path))
    except ReadingError as problem:
        return None, f"{str(problem).rstrip('.')}: {remedy}"
    if [entry.seed for entry in entries] != list(network.seeds):
        return None, f"{path} is about other seeds: {remedy}"
    for place, entry in enumerate(entries):
        another = misfit(entry.about, certificate_subject(network.only(place)))
        if another is not None:
            return None, f"{path} is about {another}: {remedy}"
    changed = unfit(folder, path.name)
    return (entries, None) if changed is None else (None, f"{changed}: {remedy}")


def read_declaration(folder: Path, network: Network) -> str | None:
    """What is wrong with declaration.json, in words; None where it is right, or not there."""
    path = folder / "declaration.json"
    if not os.path.lexists(path) or not provable(network):
        return None
    remedy = (
        f"it is not what this network is proven to do. Run `algolens certify {folder}`, which "
        "writes it anew."
    )
    try:
        _, written = record_and_line(path, DeclarationRecord)
    except ReadingError as problem:
        return f"{str(problem).rstrip('.')}: {remedy}"
    if written == without_blanks(declaration_json(network)):
        return None
    return f"{path} says something else than {network.algorithm.name} declares: {remedy}"


def extract_all(
    network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE
) -> list[Extraction]:
    """The rules of every seed, drawn from its own run on a trace's graphs."""
    there = truth.to(network.device)
    with phase(f"extracting the rules of {network.algorithm.name}"):
        return [extract(network.only(place), there, unseen) for place in range(len(network.seeds))]


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

    Rules of other weights are not taken. The same goes for those of an exact network that are not
    what the network decides, as it is read now; of another, the rules are those of the file, and a
    remark says so.
    """
    path = folder / "rule_sets.json"
    if not os.path.lexists(path):
        return None, None
    concepts, is_exact = (
        network.algorithm.declaration.concepts,
        isinstance(network.perceiver, Exact),
    )
    redraw = f"`algolens explain {folder} --redraw` draws its own."
    try:
        written = read_record(path, RuleSetsRecord)
        if any(entry.exact is not is_exact for entry in written.seeds):
            another_way = "rules that were found in another way, which are not used"
            return None, f"{path} holds {another_way}: {redraw}"
        entries = [entry.extraction(str(path)) for entry in written.seeds]
    except AlgoLensError as problem:
        raise AlgoLensError(f"{str(problem).rstrip('.')}: {_REMEDY}") from problem
    fits = [entry.seed for entry in written.seeds] == list(network.seeds) and all(
        entry.outputs.keys() == entry.rule_set.rules.keys() for entry in entries
    )
    if not fits or any(entry.rule_set.concepts != concepts for entry in entries):
        raise AlgoLensError(
            f"{path} holds the rules of other seeds, outputs or concepts than the model beside it: "
            f"{_REMEDY}"
        )
    another = misfit(written.about, fingerprint(network))
    if another is not None:
        return None, f"{path} holds the rules of {another}, which are not used: {redraw}"
    for place, entry in enumerate(entries if is_exact else ()):
        unread = misread(network.only(place), entry)
        if unread is not None:
            otherwise = f"rules for {unread} that are not what the network decides"
            return None, f"{path} holds {otherwise}, which are not used: {redraw}"
    changed = unfit(folder, path.name)
    if changed is not None:
        return None, f"{changed}, and its rules are not used: {redraw}"
    return entries, None


_REMEDY = "delete it, and 'algolens explain' draws the rules anew."
