"""A card for every model that ships, and a page that lists them: `make model-cards`.

python -m benchmarks.model_cards --out results/models
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from algolens.algorithms import SHIPPED, algorithm, shipped_names
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.model import load_model
from algolens.extraction.extraction import RuleSetsRecord
from algolens.logic.rule_set import RuleSet
from algolens.models.weight_files import read_tensors
from algolens.proofs.certificate import Basis, Certificate
from algolens.reading import read_record
from algolens.records import ExperimentRecord
from algolens.reports.tables import render
from algolens.text.declared import algorithm_facts, field_described, purpose_alone

INDEX = """# The models that ship

Each algorithm has one trained network in the package (`src/algolens/shipped`). \
A card says what it is for, what is proven
of it, how it was trained, how it scores, and where its limits are. \
The cards are made from the files beside the weights, and
what is proven is proven anew for them:

```sh
make model-cards
```

| model | what it does | cases of its proof | size |
|---|---|---:|---:|
{rows}
"""


def pages() -> dict[str, str]:
    """The text of every page, by its name."""
    certificates = {name: certificate_of(SHIPPED / name) for name in shipped_names()}
    cards = {
        f"{name}.md": model_card(SHIPPED / name, certificate)
        for name, certificate in certificates.items()
    }
    return {
        "index.md": INDEX.format(
            rows="\n".join(_row(name, each) for name, each in certificates.items())
        ),
        **cards,
    }


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
            name: field.bits
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


def certificate_of(folder: Path) -> Certificate:
    """The certificate of a run's first seed, proven now."""
    run = load_model(folder)
    if run.certificates is None:
        raise AlgoLensError(
            f"{folder}: no certificate is here that is about these weights: run `make "
            "certificates`."
        )
    return run.certificates[0]


def _row(name: str, certificate: Certificate) -> str:
    cases = sum(check.cases for check in certificate.checks if check.basis is Basis.PROOF)
    size = round((SHIPPED / name / "weights.safetensors").stat().st_size / 1024)
    chosen = algorithm(name)
    about = f"[{chosen.title}]({name}.md) (`{name}`) | {purpose_alone(chosen)}"
    return f"| {about} | {cases:,} | {size} KB |"


def main(
    out: Annotated[Path, typer.Option(help="The folder of the cards.")] = Path("results/models"),
) -> None:
    """Write a card for every model that ships."""
    for name, text in pages().items():
        write_file(out / name, text)


if __name__ == "__main__":
    typer.run(main)
