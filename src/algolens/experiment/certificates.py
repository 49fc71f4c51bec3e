"""certificate.json: what is certified of every seed, beside the weights that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algolens.certification import Basis, Certificate, about, proof
from algolens.models import Network, misfit


def certificates_json(certificates: Sequence[Certificate]) -> dict[str, Any]:
    """The certificates of all seeds: a check counts the cases and failures of all of them."""
    first = certificates[0].to_json()
    if len(certificates) == 1:
        return first
    checks = [
        {
            **check,
            "cases": sum(each.checks[i].cases for each in certificates),
            "failures": sum(each.checks[i].failures for each in certificates),
        }
        for i, check in enumerate(first["checks"])
    ]
    return {
        "algorithm": first["algorithm"],
        "proven": all(each.proven for each in certificates),
        "assumptions": first["assumptions"],
        "checks": checks,
        "seeds": [each.to_json() for each in certificates],
    }


def proven_anew(claimed: Sequence[Mapping[str, Any]], network: Network) -> list[Mapping[str, Any]]:
    """Certificates with the proof as it comes out now; of what they claim, only trials are left,
    with ``claimed`` true.

    A file can be edited, and a proof takes a fraction of a second. A trial takes longer, and is no
    proof.
    """
    found: list[Mapping[str, Any]] = []
    for place, entry in enumerate(claimed):
        proofs = [check.to_json() for check in proof(network.only(place))]
        trials = [
            {**check, "claimed": True}
            for check in entry["checks"]
            if check["kind"] != Basis.PROOF.value
        ]
        checks = [*proofs, *trials]
        found.append(
            {
                **entry,
                "proven": bool(proofs) and not any(each["failures"] for each in checks),
                "checks": checks,
            }
        )
    return found


def read_certificates(
    folder: Path, network: Network
) -> tuple[list[Mapping[str, Any]] | None, str | None]:
    """What certificate.json claims of each seed; None where it is not there, or not about these
    weights and this code: why.
    """
    path = folder / "certificate.json"
    if not path.is_file():
        return None, None
    remedy = f"it is not shown. Run `algolens certify {folder}`."
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        entries = written.get("seeds", [written])
        seeds = [entry["seed"] for entry in entries]
        complete = all(
            {"proven", "checks", "about"} <= entry.keys() and _are_checks(entry["checks"])
            for entry in entries
        )
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return None, f"{path} cannot be read ({problem}): {remedy}"
    if seeds != list(network.seeds):
        return None, f"{path} is about other seeds: {remedy}"
    found = (
        misfit(entry.get("about"), about(network.only(place)))
        for place, entry in enumerate(entries)
    )
    another = next(filter(None, found), None)
    if another is not None:
        return None, f"{path} is about {another}: {remedy}"
    return (entries, None) if complete else (None, f"{path} is not whole: {remedy}")


def _are_checks(written: Any) -> bool:
    """Whether what was read has the form of checks."""
    forms = {"name": str, "kind": str, "cases": int, "failures": int, "says": str}
    return isinstance(written, list) and all(
        isinstance(each, dict)
        and all(isinstance(each.get(name), form) for name, form in forms.items())
        for each in written
    )
