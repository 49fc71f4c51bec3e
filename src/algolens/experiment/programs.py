"""program.json: the rules of every seed, and what is known of them, beside the weights."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from algolens.errors import AlgoLensError
from algolens.execution import Run
from algolens.extraction import Extraction, Unseen, extract, misread, remarks
from algolens.logic import Program
from algolens.models import Network, fingerprint, misfit
from algolens.models.exact import Exact


def extract_all(
    network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE
) -> list[Extraction]:
    """The rules of every seed, drawn from its own run on a trace's graphs."""
    there = truth.to(network.device)
    return [extract(network.only(place), there, unseen) for place in range(len(network.seeds))]


def programs_json(network: Network, extractions: Sequence[Extraction]) -> dict[str, Any]:
    """What program.json holds."""
    return {
        "algorithm": network.algorithm.name,
        "about": fingerprint(network),
        "seeds": [
            {"seed": seed, **extraction.to_json()}
            for seed, extraction in zip(network.seeds, extractions, strict=True)
        ],
    }


def read_programs(folder: Path, network: Network) -> tuple[list[dict[str, Any]] | None, str | None]:
    """What program.json says of every seed, each with its Program under 'program'; None where the
    file is not there.

    Rules of other weights are not taken: then None, and why. The same goes for those of an exact
    network that are not what the network decides, as it is read now; of another, the rules are
    those of the file, and a remark says so.
    """
    path = folder / "program.json"
    if not path.is_file():
        return None, None
    concepts, is_exact = (
        network.algorithm.declaration.concepts,
        isinstance(network.perceiver, Exact),
    )
    redraw = f"`algolens explain {folder} --redraw` draws its own."
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        if any(entry.get("exact") is not is_exact for entry in written["seeds"]):
            return (
                None,
                f"{path} holds rules that were found in another way, which are not used: {redraw}",
            )
        found = _with_programs(
            {"seeds": [{**entry, "in_file": True} for entry in written["seeds"]]}
        )
        fits = [entry["seed"] for entry in found] == list(network.seeds)
        fits &= all(entry["program"].concepts == concepts for entry in found)
        another = misfit(written.get("about"), fingerprint(network))
        unread = None
        if fits and another is None and is_exact:
            read = (
                misread(network.only(i), entry["program"], entry) for i, entry in enumerate(found)
            )
            unread = next(filter(None, read), None)
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise AlgoLensError(f"{path} cannot be read ({problem}): {_REMEDY}") from problem
    if not fits:
        raise AlgoLensError(
            f"{path} holds the rules of other seeds or concepts than the run beside it: {_REMEDY}"
        )
    if another is not None:
        return None, f"{path} holds the rules of {another}, which are not used: {redraw}"
    if unread is not None:
        return (
            None,
            (
                f"{path} holds rules for {unread} that are not what the network decides, which are "
                f"not used: {redraw}"
            ),
        )
    return found, None


def rules_of(network: Network, extractions: Sequence[Extraction]) -> list[dict[str, Any]]:
    """What program.json would say of every seed, as ``read_programs`` gives it."""
    return _with_programs(json.loads(json.dumps(programs_json(network, extractions))))


def _with_programs(written: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {**entry, "program": Program.from_json(entry["program"]).with_remarks(remarks(entry))}
        for entry in written["seeds"]
    ]


_REMEDY = "delete it, and 'algolens explain' draws the rules anew."
