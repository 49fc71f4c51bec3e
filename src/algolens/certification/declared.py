"""What a proof says that a network does, in a form that needs no library to read, and its
fingerprint.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from algolens.certification.proof import provable
from algolens.looks import Observation
from algolens.models import Network
from algolens.models.exact.exact import going_on


def declaration_json(network: Network) -> dict[str, Any] | None:
    """All that is declared, look, rules and going on as trees; None of a network of which nothing
    can be proven.

    A ``max_steps`` in Python is code, and not in it.
    """
    if not provable(network):
        return None
    algorithm = network.algorithm
    declaration = algorithm.declaration
    assert declaration.seen is not None
    to_go_on = going_on(declaration)
    return {
        "algorithm": algorithm.name,
        "options": dict(algorithm.options),
        "graphs": algorithm.graphs,
        "loops_matter": algorithm.loops_matter,
        "parallel_edges_matter": algorithm.parallel_edges_matter,
        "most_steps": {
            "times": declaration.most_steps.times,
            "per": declaration.most_steps.per.value,
        },
        "only_where": dict(declaration.only_where),
        "outcomes": list(declaration.outcomes),
        "location": declaration.location.value,
        "concepts": list(declaration.concepts),
        "outputs": {name: kind.to_json() for name, kind in declaration.outputs.items()},
        "look": declaration.seen.to_json(),
        "rules": declaration.rule_set.to_json()["rules"],
        "goes_on": None if to_go_on is None else _observation(to_go_on.observation),
    }


def declaration_fingerprint(declared: Any) -> str:
    """SHA-256 of a declaration as JSON without blanks, keys in their order: of classes, the first
    that holds counts.
    """
    return hashlib.sha256(json.dumps(declared, separators=(",", ":")).encode()).hexdigest()


def _observation(observation: Observation) -> dict[str, Any]:
    return {
        "name": observation.name,
        "at": observation.location.value,
        "formula": observation.formula.to_json(),
    }
