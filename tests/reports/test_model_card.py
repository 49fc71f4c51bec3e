"""Model cards say what the files beside the weights say."""

from __future__ import annotations

from pathlib import Path

from benchmarks.model_cards import model_card, pages
from msgspec import structs

from algolens.algorithms import SHIPPED
from algolens.proofs.certificate import CertificatesRecord
from algolens.reading import read_record

CARDS = Path(__file__).parents[2] / "results" / "models"


def test_the_cards_are_fresh():
    wanted = pages()
    assert {path.name for path in CARDS.glob("*.md")} == set(wanted)
    stale = [name for name, text in wanted.items() if (CARDS / name).read_text() != text]
    assert not stale, f"run `make model-cards`: {', '.join(stale)}"


def test_a_card_tells_what_is_not_proven():
    path = SHIPPED / "bfs" / "certificate.json"
    (right,) = read_record(path, CertificatesRecord).certificates
    first, *others = right.checks
    wrong = structs.replace(right, checks=(structs.replace(first, failures=7), *others))
    card = model_card(SHIPPED / "bfs", wrong)
    assert "**It is not proven.**" in card
    assert "| has_been_visited | 2 | 7 |" in card
    assert "every state of every graph" not in card
