"""declaration.json: what a run's network is to do, in a form that needs no library to read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from algolens.certification import provable
from algolens.looks import Observation
from algolens.models import Network
from algolens.models.exact.going_on import going_on


def declaration_json(network: Network) -> dict[str, Any] | None:
    """Look, rules and going on, as trees; None of a network of which nothing can be proven."""
    if not provable(network):
        return None
    algorithm = network.algorithm
    declaration = algorithm.declaration
    assert declaration.seen is not None
    to_go_on = going_on(declaration)
    return {
        "algorithm": algorithm.name,
        "options": dict(algorithm.options),
        "location": declaration.location.value,
        "concepts": list(declaration.concepts),
        "outputs": {name: kind.to_json() for name, kind in declaration.outputs.items()},
        "look": declaration.seen.to_json(),
        "rules": declaration.program.to_json()["rules"],
        "goes_on": None if to_go_on is None else _observation(to_go_on.observation),
    }


def read_declaration(folder: Path, network: Network) -> str | None:
    """What is wrong with declaration.json, in words; None where it says what is declared, or is not there."""
    path = folder / "declaration.json"
    if not path.is_file() or not provable(network):
        return None
    remedy = f"it is not what this network is proven to do. Run `algolens certify {folder}`, which writes it anew."
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as problem:
        return f"{path} cannot be read ({problem}): {remedy}"
    now = json.loads(json.dumps(declaration_json(network)))
    return None if written == now else f"{path} says something else than {network.algorithm.name} declares: {remedy}"


def _observation(observation: Observation) -> dict[str, Any]:
    return {"name": observation.name, "at": observation.location.value, "formula": observation.formula.to_json()}
