"""A model card: what a network is for, what is proven of it, how it was trained, its limits."""

from __future__ import annotations

from pathlib import Path

from algolens.algorithms import algorithm
from algolens.extraction.extraction import RuleSetsRecord
from algolens.logic.rule_set import RuleSet
from algolens.models.weight_files import read_tensors
from algolens.proofs import Certificate
from algolens.reading import read_record
from algolens.records import ExperimentRecord, ScoresRecord
from algolens.reports.tables import render
from algolens.terminal.declared import algorithm_facts, field_described, purpose_alone


def model_card(folder: Path, certificate: Certificate) -> str:
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
    experiment = read_record(folder / "experiment.json", ExperimentRecord)
    scores = read_record(folder / "scores.json", ScoresRecord)
    rule_sets = read_record(folder / "rule_sets.json", RuleSetsRecord)
    chosen = algorithm(experiment.algorithm, **experiment.options)
    declaration = chosen.declaration
    weights = read_tensors(folder / "weights.safetensors").values()
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
        program=RuleSet.of(rule_sets.seeds[0].rule_set),
        sizes=scores.sizes,
        parameters=sum(tensor.numel() for tensor in weights),
        kilobytes=round((folder / "weights.safetensors").stat().st_size / 1024),
    )
