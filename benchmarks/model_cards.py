"""A card for every model that ships, and a page that lists them: `make model-cards`.

python -m benchmarks.model_cards --out docs/models
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from algolens.algorithms import SHIPPED, algorithm, shipped_names
from algolens.disk import write_file
from algolens.errors import AlgoLensError
from algolens.experiment.model import load_model
from algolens.proofs import Basis, Certificate
from algolens.reports.model_card import model_card
from algolens.terminal.declared import purpose_alone

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
    out: Annotated[Path, typer.Option(help="The folder of the cards.")] = Path("docs/models"),
) -> None:
    """Write a card for every model that ships."""
    for name, text in pages().items():
        write_file(out / name, text)


if __name__ == "__main__":
    typer.run(main)
