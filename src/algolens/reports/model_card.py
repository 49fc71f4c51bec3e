"""A model card: what a network is for, what is proven of it, how it was trained, its limits."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from safetensors.numpy import load

from algolens.algorithms import algorithm
from algolens.logic.rule_set import RuleSet
from algolens.reports.tables import render
from algolens.terminal.declared import algorithm_facts, field_described, purpose_alone


def model_card(folder: Path, certificate: Mapping[str, Any]) -> str:
    """The card of a model of the preset ``exact``, as Markdown.

    Parameters
    ----------
    folder
        That of the run.
    certificate
        Of its network, proven by who asks for the card.

    Returns
    -------
    str
        What the files in the folder say, and what the algorithm declares.
    """
    experiment, scores, rule_sets = (
        json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("experiment", "scores", "rule_sets")
    )
    chosen = algorithm(experiment["algorithm"], **experiment["options"])
    declaration = chosen.declaration
    weights = (folder / "weights.safetensors").read_bytes()
    return render(
        "reports/templates/model_card.md",
        algorithm=chosen,
        purpose=purpose_alone(chosen),
        about=" ".join(algorithm_facts(chosen).split()),
        described=field_described,
        outputs={name: declaration.predicted[name] for name in declaration.outputs},
        bits={
            name: field.kind.bits
            for name, field in declaration.inputs.items()
            if hasattr(field.kind, "bits")
        },
        certificate=certificate,
        experiment=experiment,
        program=RuleSet.from_json(rule_sets["seeds"][0]["rule_set"]),
        sizes=scores["sizes"],
        parameters=sum(tensor.size for tensor in load(weights).values()),
        kilobytes=round(len(weights) / 1024),
    )
