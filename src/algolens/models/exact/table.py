"""All that a stage can come upon, as a table: the closure of what it receives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import prod

import numpy as np
import torch

from algolens.logic.formula import Formula
from algolens.logic.tensors import size, table_as_formula
from algolens.looks import Statement
from algolens.looks.by_change.plan import ObservationPlan
from algolens.looks.closure import Closure, closure
from algolens.models.exact.stage import Stage

LARGEST_FORMULA_TABLE = 2**12  # entries of a table that is made a formula
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

    def plan(self, statement: Statement) -> ObservationPlan:
        """The stage as tables over own classes and counts of groups of kinds in view."""
        kinds = np.arange(statement.num_kinds)
        groups = [np.isin(kinds, group) for group in self.groups]
        return ObservationPlan.concluded(statement, groups, partial(self.by_counts, statement.most))


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
