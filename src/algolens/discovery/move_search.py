"""How pointers and numbers move: sources that explain all changes, and marks that are settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch

from algolens.discovery.bench import Bench
from algolens.discovery.decisions import Decision, SettledDecision, SettledMove, UnsettledError
from algolens.discovery.moving import Reach, Source, sources
from algolens.fields import Field, Location, Number
from algolens.logic.formula import Concept
from algolens.looks.look import SUM_BITS

MOST_SOURCES = 4  # of a move, that are tried


@dataclass(frozen=True, eq=False)
class _Part:
    """A source, who must take a value from it, and who may not take a wrong one."""

    reach: Reach
    must: np.ndarray  # [N] bools
    considered: np.ndarray


class MoveSearch:
    """The moves of one field.

    Parameters
    ----------
    bench : Bench
        Where marks and guards are settled.
    name : str
        The field.
    sums : dict
        The sums that were declared, by name: where they sit, and their text.
    mark_all : bool
        Whether all are marked that a value may be taken from.
    """

    def __init__(
        self, bench: Bench, name: str, sums: dict[str, tuple[Location, str]], *, mark_all: bool
    ) -> None:
        self.bench, self.name, self.sums, self.mark_all = bench, name, sums, mark_all
        self.declared = bench.schema.state[name]
        situations = bench.situations
        after = situations.after(name)
        steps = situations.of_graphs("has_step", self.declared.location).astype(bool)
        changed = steps & (after != situations.earlier(name))
        self.plans = list(self._plans(after, changed, steps)) if changed.any() else []
        if changed.any() and not self.plans:
            raise UnsettledError(
                f"nothing in view has the values that '{name}' takes: the language cannot say "
                "where they come from, or more than two moves are needed."
            )
        for plan in self.plans:
            for part in plan:
                self._declare_sum(part.reach.source)

    def is_settled(self, bound: int) -> bool:
        """Whether its moves are settled by observations of up to a price; they are then kept."""
        if not self.plans:
            self.bench.script.moves[self.name] = []
            return True
        for plan in self.plans:
            moves = self._settled_plan(plan, bound)
            if moves is not None:
                self.bench.script.moves[self.name] = moves
                return True
        return False

    def _plans(
        self, after: np.ndarray, changed: np.ndarray, steps: np.ndarray
    ) -> Iterator[list[_Part]]:
        """Ways to explain all changes: by one source, or by two."""
        whole, partial = [], []
        for source in sources(self.bench.situations, self.declared):
            reach = Reach.of(source, self.bench.situations, self.declared.location, after)
            if (reach.covers | ~changed).all():
                whole.append(reach)
            elif (reach.covers & changed).any():
                partial.append(reach)
        plain = [reach for reach in whole if reach.source.total is None] or whole
        # a mark that needs no guard says more than one that does
        alone = [
            reach
            for reach in plain
            if reach.source.relation is None or reach.marks(changed, steps) is not None
        ]
        for reach in (alone or plain)[:MOST_SOURCES]:
            yield [_Part(reach, changed, steps)]
        if whole:
            return
        partial.sort(key=lambda reach: (-(reach.covers & changed).sum(), reach.source.cost))
        for place, first in enumerate(partial[:MOST_SOURCES]):
            for second in partial[place + 1 :]:
                if not (first.covers | second.covers | ~changed).all():
                    continue
                for one, other in ((first, second), (second, first)):
                    only = changed & ~other.covers
                    yield [
                        _Part(one, only, steps),
                        _Part(other, changed & other.covers, steps & ~only),
                    ]

    def _settled_plan(self, plan: Sequence[_Part], bound: int) -> list[SettledMove] | None:
        """Marks and guards of a plan; None where one is not settled yet."""
        settled = []
        for number, part in enumerate(plan):
            name = self.name if len(plan) == 1 else f"{self.name}_{number + 1}"
            parts = self._settled_part(name, part, bound)
            if parts is None:
                return None
            settled.append(parts)
        moves = []
        for part, (mark, guard) in zip(plan, settled, strict=True):
            names = [None if some is None else self._kept(some) for some in (mark, guard)]
            moves.append(SettledMove(self._by_name(part.reach.source), *names))
        return moves

    def _kept(self, settled: SettledDecision) -> str:
        formula = self.bench.keep(settled).formula(1)
        if isinstance(formula, Concept):  # another field goes by the same
            return formula.name
        self.bench.observe(settled.name, settled.location, formula)
        return settled.name

    def _settled_part(
        self, name: str, part: _Part, bound: int
    ) -> tuple[SettledDecision | None, SettledDecision | None] | None:
        """The mark alone, or a guard with it; of an own value, the guard."""
        reach, settled = part.reach, self.bench.settled
        harmful = part.considered & ~part.must
        if reach.source.relation is None:
            harmful = harmful & ~reach.covers
        rows = np.flatnonzero(part.must | harmful)
        decided = part.must[rows].astype(np.int64)
        guard = Decision(f"moves_{name}", self.declared.location, rows, decided)
        if reach.source.relation is None:
            if not harmful.any():
                return None, None
            guarded = settled(guard, bound)
            return None if guarded is None else (None, guarded)
        at = reach.source.relation.others
        marks = reach.marks(part.must, part.considered, mark_all=self.mark_all)
        if marks is not None:
            marked = settled(Decision(f"gives_{name}", at, *marks), bound)
            return None if marked is None else (marked, None)
        marks = reach.marks(part.must, part.must, mark_all=self.mark_all)
        if marks is None:
            return None
        marked = settled(Decision(f"gives_{name}", at, *marks), bound)
        if marked is None:
            return None
        guarded = settled(guard, bound)
        return None if guarded is None else (marked, guarded)

    # ---- sums

    def _declare_sum(self, source: Source) -> None:
        """Adds the sum of a source to what statements may name."""
        name = self._sum_name(source)
        if source.total is None or name in self.sums:
            return
        at = source.at or self.declared.location
        self.sums[name] = (at, str(source.total))
        situations = self.bench.situations
        values = source.values(situations, self.declared.location)
        parts = np.split(values, situations.starts(at)[1:])
        field = Field(at, Number(SUM_BITS, signed=True))
        self.bench.add(name, field, [torch.from_numpy(part) for part in parts])

    def _sum_name(self, source: Source) -> str:
        words = str(source.total).replace("'s ", "_").replace(" + ", "_plus_")
        at = source.at or self.declared.location
        is_other = words in self.sums and self.sums[words][0] is not at
        return f"{words}_at_{at.value}" if is_other else words

    def _by_name(self, source: Source) -> Source:
        """The source, its sum by name."""
        if source.total is None:
            return source
        return replace(source, path=(self._sum_name(source),), total=None)
