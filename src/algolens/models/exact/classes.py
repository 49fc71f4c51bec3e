"""The own class of every element, and the neighbour class of everyone in view, in a state."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from algolens.engines.compiled import compared
from algolens.engines.tensors import Tensors
from algolens.language.finite import Compared, Feature, Label, Statement
from algolens.language.ir import Expr
from algolens.language.text import table_of

# [A] whether numbers are lower (0), equal (1) or higher (2) than others
Outcome = Callable[[Compared, list[Tensor], list[Tensor]], Tensor]


def true_outcome(_: Compared, left: list[Tensor], right: list[Tensor]) -> Tensor:
    """How numbers compare."""
    return 1 + compared(left, ">", right).long() - compared(left, "<", right).long()


def classes(
    statement: Statement, tensors: Tensors, outcome: Outcome = true_outcome
) -> tuple[Tensor, Tensor, Tensor]:
    """[N] own classes; of [A] pairs in view, who looks, and the neighbour class."""
    at, view = statement.at, statement.view
    own = _numbered(
        statement.own, tensors.counts[at], lambda term: tensors.value(at, term), outcome, tensors
    )
    if view is None:
        nobody = own.new_zeros(0)
        return own, nobody, nobody
    me, it = tensors.pairs(at, view)
    neighbours = _numbered(
        statement.others,
        len(me),
        lambda term: tensors.of_pairs(term, me, it, at, table_of(view)),
        outcome,
        tensors,
    )
    return own, me, neighbours


def _numbered(
    features: Sequence[Feature],
    count: int,
    value: Callable[[Expr], Tensor],
    outcome: Outcome,
    tensors: Tensors,
) -> Tensor:
    """[count] the combination of features' values, by its number; the first counts most."""
    number = torch.zeros(count, dtype=torch.int64, device=tensors.device)
    for feature in features:
        sides = [[*map(value, side)] for side in feature.sides]
        match feature:
            case Compared():
                found = outcome(feature, *sides)
            case Label():
                found = sides[0][0]
            case _:
                found = sides[0][0] == sides[1][0]
        number = feature.size * number + found
    return number
