"""All that a stage can come upon, as a table: the closure of what it receives."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import torch

from algolens.logic.formula import FALSE, TRUE, Formula, Not, conjunction, disjunction
from algolens.logic.tensors import Has, size, table_as_formula
from algolens.looks import (
    Comparison,
    Feature,
    Label,
    Meeting,
    Order,
    Quantified,
    Quantity,
    Statement,
    Test,
)
from algolens.looks.closure import Closure, closure
from algolens.looks.language import with_atoms
from algolens.models.exact.stage import Stage

LARGEST_FORMULA_TABLE = 2**12  # entries of a table that is made a formula
LARGEST_STATED_TABLE, LARGEST_STATED = 2**16, 2**10  # of a table that is made a statement
LARGEST_FORMULA = 2**6  # operations; a table that takes more is gone through case by case


@dataclass(frozen=True, eq=False)
class StageTable:
    """A stage of one seed as a table: what another of a kind leads to, and what is concluded.

    Cases that no further others can tell apart are one. So a kind that makes no difference leads
    from every case to itself.
    """

    first: torch.Tensor  # [own classes] the case of an element that has nobody in view
    after: torch.Tensor  # [cases, kinds]
    concluded: torch.Tensor  # [cases] bools

    @classmethod
    def of(cls, stage: Stage) -> StageTable:
        """The table of a stage, by what its layers say."""
        first, after, concluded = [], [], []
        total = 0
        for own in range(len(stage.own_features)):
            received = receiving(stage, own)
            first.append(total)
            after.append(received.after + total)
            concluded.append(conclusions(stage, own, received).numpy())
            total += len(received.after)
        return merged(np.array(first), np.concatenate(after), np.concatenate(concluded))

    @cached_property
    def groups(self) -> list[list[int]]:
        """The kinds that make a difference in some case, those that make the same together."""
        groups: dict[bytes, list[int]] = {}
        for kind, after in enumerate(self.after.T.contiguous().numpy()):
            if (after != np.arange(len(after))).any():
                groups.setdefault(after.tobytes(), []).append(kind)
        return list(groups.values())

    def formula(self, own: Sequence[int], most: int) -> Formula | None:
        """The table as a formula of own features and of how many of each group are in view.

        own: how many values each own feature has. most: up to how many of a group make a
        difference. None where the formula is large.
        """
        sizes = [*own, *[most + 1] * len(self.groups)]
        if prod(sizes) > LARGEST_FORMULA_TABLE:
            return None
        formula = table_as_formula(self.by_counts(most).reshape(sizes))
        return formula if size(formula) <= LARGEST_FORMULA else None

    def by_counts(self, most: int) -> np.ndarray:
        """What is concluded for every own class and every count of each group, up to ``most``."""
        case = self.first
        for group in self.groups:
            cases = [case]
            for _ in range(most):
                cases.append(self.after[cases[-1], group[0]])
            case = torch.stack(cases, -1).flatten()
        return self.concluded[case].numpy()

    def stated(self, statement: Statement) -> Formula | None:
        """The stage as a statement of what it tells apart; None where that is large."""
        sizes = [feature.size for feature in statement.own]
        most = statement.most
        total = prod(sizes) * (most + 1) ** len(self.groups)
        if total > LARGEST_STATED_TABLE:
            return None
        table = self.by_counts(most).reshape([*sizes, *[most + 1] * len(self.groups)])
        formula = table_as_formula(table)
        kinds = np.arange(statement.num_kinds)

        def said(atom: Formula) -> Formula:
            assert isinstance(atom, Has)
            if atom.variable < len(sizes):
                return has_value(statement.own[atom.variable], atom.values)
            group = np.isin(kinds, self.groups[atom.variable - len(sizes)])
            shape = [feature.size for feature in statement.other]
            body = with_atoms(
                table_as_formula(group.reshape(shape)),
                lambda kind: has_value(statement.other[kind.variable], kind.values),  # type: ignore[attr-defined]
            )

            def at_least(count: int) -> Formula:
                if not 0 < count <= most:
                    return TRUE if count <= 0 else FALSE
                assert statement.relation is not None
                quantity = Quantity.SOME if count == 1 else Quantity.AT_LEAST
                return Quantified(quantity, statement.relation, body, count)

            begins = [count for count in sorted(atom.values) if count - 1 not in atom.values]
            ends = [count for count in sorted(atom.values) if count + 1 not in atom.values]
            return disjunction(
                *(
                    conjunction(at_least(begin), Not(at_least(end + 1)))
                    for begin, end in zip(begins, ends, strict=True)
                )
            )

        return with_atoms(formula, said) if size(formula) <= LARGEST_STATED else None


def has_value(feature: Feature, values: Collection[int]) -> Formula:
    """That a feature has one of some values."""

    def one(value: int) -> Formula:
        match feature:
            case Label(term, ("false", "true")):
                return Test(term, None) if value else Not(Test(term, None))
            case Label(term, labels):
                return Test(term, labels[value])
            case Meeting(left, right):
                return Comparison((left,), Order.EQUAL if value else Order.DIFFERENT, (right,))
        order = (Order.LOWER, Order.EQUAL, Order.HIGHER)[value]
        return Comparison(feature.left, order, feature.right)

    return disjunction(*map(one, sorted(values)))


@torch.no_grad()
def sent_bits(stage: Stage, own: int) -> np.ndarray:
    """[kinds, bits] what each kind sends to an own class: 0 or 1."""
    kinds = torch.arange(len(stage.kind_features), device=stage.kind_features.device)
    logits = stage.messages(torch.full_like(kinds, own), kinds)[0]
    return (logits > 0).cpu().numpy().astype(np.uint8)


def receiving(stage: Stage, own: int) -> Closure:
    """All that an element of an own class can receive."""
    if not stage.looks_at_others:
        return closure(np.zeros((0, 0), np.uint8), np.zeros(0))
    return closure(sent_bits(stage, own), np.full(stage.bits, stage.most))


def as_bits(stage: Stage, received: np.ndarray) -> torch.Tensor:
    """[cases, bits x most] counts as the head sees them: a thermometer for each."""
    thermometer = received[:, :, None] > np.arange(stage.most)
    return torch.from_numpy(thermometer.reshape(len(received), -1).astype(np.float32))


@torch.no_grad()
def conclusions(stage: Stage, own: int, cases: Closure) -> torch.Tensor:
    """[cases] bools: what an element of an own class concludes in each case."""
    device = stage.own_features.device
    joined = as_bits(stage, cases.received).to(device)[None]
    own_classes = torch.full((len(cases.received),), own, device=device)
    return (stage.conclude(own_classes, joined)[0] > 0).cpu()


def merged(first: np.ndarray, after: np.ndarray, concluded: np.ndarray) -> StageTable:
    """The table with cases made one that conclude alike, whatever comes into view (Moore 1956)."""
    group = concluded.astype(np.int64)
    while True:
        rows = np.concatenate([group[:, None], group[after]], 1)
        _, refined = np.unique(rows, axis=0, return_inverse=True)
        refined = refined.reshape(-1)
        if refined.max(initial=0) == group.max(initial=0):
            break
        group = refined
    _, representative = np.unique(refined, return_index=True)
    return StageTable(
        torch.from_numpy(refined[first]),
        torch.from_numpy(refined[after[representative]]),
        torch.from_numpy(concluded[representative]),
    )
