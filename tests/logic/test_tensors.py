"""Circuits say what formulas and tables say, whatever they are put together from."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens.logic.formula import Concept, Formula
from algolens.logic.tensors import Has, Truth, circuit, size, table_as_formula
from tests.effort import examples
from tests.strategies import formulas, streams

NAMES = ("a", "b", "c")


@examples(80)
@given(formulas(NAMES))
def test_a_circuit_says_what_its_formula_says(formula: Formula) -> None:
    rows = torch.arange(8)
    columns = {name: (rows >> place & 1).bool() for place, name in enumerate(NAMES)}

    def of_atom(atom: Formula) -> Truth[dict[str, Tensor]]:
        assert isinstance(atom, Concept)
        return lambda values: values[atom.name]

    found = circuit(formula, of_atom)
    expected = formula.evaluate(columns)
    assert torch.equal(
        torch.full((8,), found) if isinstance(found, bool) else found(columns), expected
    )


@examples(80)
@given(st.lists(st.integers(1, 4), max_size=4), streams())
def test_a_table_is_what_its_formula_says(sizes: list[int], rng: np.random.Generator) -> None:
    table = rng.random(sizes) < rng.random()
    places = torch.from_numpy(
        np.stack(np.unravel_index(np.arange(table.size), sizes or (1,)))[: len(sizes)]
    )

    def of_atom(atom: Formula) -> Truth[Tensor]:
        assert isinstance(atom, Has)
        return lambda values: torch.isin(values[atom.variable], torch.tensor(sorted(atom.values)))

    formula = table_as_formula(table)
    found = circuit(formula, of_atom)
    assert (
        torch.full((table.size,), found) if isinstance(found, bool) else found(places)
    ).tolist() == table.flatten().tolist()
    assert size(formula) <= 4 * table.size
