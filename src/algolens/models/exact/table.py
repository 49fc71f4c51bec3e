"""All that a stage can come upon, as a table: the closure of what it receives."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from math import prod

import numpy as np
import torch

from algolens.language.finite import Closure, Statement, closure, has_value, operations, stated
from algolens.language.ir import (
    FALSE,
    TRUE,
    Expr,
    Quantified,
    conjunction,
    disjunction,
    negation,
)
from algolens.models.exact.stage import Stage

LARGEST_TABLE = 2**16  # entries; one that has more is not stated
LARGEST_STATEMENT = 2**10  # operations


@dataclass(frozen=True, eq=False)
class StageTable:
    """A stage of one seed as a table: what another of a kind leads to, and what is concluded.

    Cases that no further others can tell apart are one. So a kind that makes no difference leads
    from every case to itself.
    """

    first: np.ndarray  # [own classes] the case of an element that has nobody in view
    after: np.ndarray  # [cases, kinds]
    concluded: np.ndarray  # [cases] bools

    @classmethod
    def of(cls, stage: Stage) -> StageTable:
        """The table of a stage, by what its layers say."""
        first, after, concluded = [], [], []
        total = 0
        for own in range(len(stage.own_features)):
            received = receiving(stage, own)
            first.append(total)
            after.append(received.after + total)
            concluded.append(conclusions(stage, own, received))
            total += len(received.after)
        return merged(np.array(first), np.concatenate(after), np.concatenate(concluded))

    @cached_property
    def groups(self) -> list[list[int]]:
        """The kinds that make a difference in some case, those that make the same together."""
        groups: dict[bytes, list[int]] = {}
        for kind, after in enumerate(self.after.T):
            if (after != np.arange(len(after))).any():
                groups.setdefault(after.tobytes(), []).append(kind)
        return list(groups.values())

    def stated(self, statement: Statement) -> Expr | None:
        """The stage as a statement of what it tells apart; None where that is large."""
        sizes = [feature.size for feature in statement.own]
        sizes += [statement.most + 1] * len(self.groups)
        if prod(sizes) > LARGEST_TABLE:
            return None

        def said(variable: int, values: Collection[int]) -> Expr:
            own = len(statement.own)
            if variable < own:
                return has_value(statement.own[variable], values)
            return self._counted(statement, self.groups[variable - own], values)

        value = stated(self.by_counts(statement.most).reshape(sizes), said)
        return value if operations(value) <= LARGEST_STATEMENT else None

    def by_counts(self, most: int) -> np.ndarray:
        """What is concluded for every own class and every count of each group, up to ``most``."""
        case = self.first
        for group in self.groups:
            cases = [case]
            for _ in range(most):
                cases.append(self.after[cases[-1], group[0]])
            case = np.stack(cases, -1).ravel()
        return self.concluded[case]

    def _counted(self, statement: Statement, group: list[int], counts: Collection[int]) -> Expr:
        """That as many of a group are in view as one of some counts, the largest and all above."""
        assert statement.view is not None
        view, others, most = statement.view, statement.others, statement.most
        among = np.isin(np.arange(statement.num_neighbours), group)
        body = stated(
            among.reshape([each.size for each in others]),
            lambda variable, values: has_value(others[variable], values),
        )

        def at_least(count: int) -> Expr:
            if not 0 < count <= most:
                return TRUE if count <= 0 else FALSE
            return Quantified("some" if count == 1 else "at least", view, body, count)

        begins = [count for count in sorted(counts) if count - 1 not in counts]
        ends = [count for count in sorted(counts) if count + 1 not in counts]
        return disjunction(
            *(
                conjunction(at_least(begin), negation(at_least(end + 1)))
                for begin, end in zip(begins, ends, strict=True)
            )
        )


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
def conclusions(stage: Stage, own: int, cases: Closure) -> np.ndarray:
    """[cases] bools: what an element of an own class concludes in each case."""
    device = stage.own_features.device
    received = as_bits(stage, cases.received).to(device)[None]
    own_classes = torch.full((len(cases.received),), own, device=device)
    return (stage.conclude(own_classes, received)[0] > 0).cpu().numpy()


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
    return StageTable(refined[first], refined[after[representative]], concluded[representative])
