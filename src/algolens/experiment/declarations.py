"""declaration.json: what a run's network is to do, beside its weights."""

from __future__ import annotations

import json
from pathlib import Path

from algolens.certification import declaration_fingerprint, declaration_json, provable
from algolens.models import Network


def read_declaration(folder: Path, network: Network) -> str | None:
    """What is wrong with declaration.json, in words; None where it says what is declared, or is not
    there.
    """
    path = folder / "declaration.json"
    if not path.is_file() or not provable(network):
        return None
    remedy = (
        f"it is not what this network is proven to do. Run `algolens certify {folder}`, which "
        "writes it anew."
    )
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        return f"{path} cannot be read ({problem}): {remedy}"
    if declaration_fingerprint(written) == declaration_fingerprint(declaration_json(network)):
        return None
    return f"{path} says something else than {network.algorithm.name} declares: {remedy}"
