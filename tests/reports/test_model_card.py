"""Model cards say what the files beside the weights say."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.model_cards import pages

from algolens.experiment import SHIPPED
from algolens.reports.model_card import model_card

CARDS = Path(__file__).parents[2] / "docs" / "models"


def test_the_cards_in_docs_are_fresh():
    wanted = pages()
    assert {path.name for path in CARDS.glob("*.md")} == set(wanted)
    stale = [name for name, text in wanted.items() if (CARDS / name).read_text() != text]
    assert not stale, f"run `make model-cards`: {', '.join(stale)}"


def test_a_card_tells_what_is_not_proven():
    certificate = json.loads((SHIPPED / "bfs" / "certificate.json").read_text())
    certificate["proven"] = False
    certificate["checks"][0]["failures"] = 7
    card = model_card(SHIPPED / "bfs", certificate)
    assert "**It is not proven.**" in card
    assert "| has_been_visited | 2 | 7 |" in card
    assert "every state of every graph" not in card
