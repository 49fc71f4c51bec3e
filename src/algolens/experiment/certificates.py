"""certificate.json: what is certified of every seed, beside the weights that it is about."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from algolens.certification import Certificate, about
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


def read_certificates(folder: Path, network: Network) -> tuple[list[Mapping[str, Any]] | None, str | None]:
    """What certificate.json says of each seed; None where it is not there, or not about these weights and this code: why."""
    path = folder / "certificate.json"
    if not path.is_file():
        return None, None
    remedy = f"it is not shown. Run `algolens certify {folder}`."
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        entries = written.get("seeds", [written])
        seeds = [entry["seed"] for entry in entries]
        complete = all({"proven", "checks", "about"} <= entry.keys() for entry in entries)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        return None, f"{path} cannot be read ({problem}): {remedy}"
    if seeds != list(network.seeds):
        return None, f"{path} is about other seeds: {remedy}"
    found = (misfit(entry.get("about"), about(network.only(place))) for place, entry in enumerate(entries))
    another = next(filter(None, found), None)
    if another is not None:
        return None, f"{path} is about {another}: {remedy}"
    return (entries, None) if complete else (None, f"{path} is not whole: {remedy}")
