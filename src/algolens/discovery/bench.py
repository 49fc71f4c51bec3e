"""Settling one decision after the other: what was observed so far, and what may be observed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from torch import Tensor

from algolens.discovery.decisions import Decision, Script, SettledDecision
from algolens.discovery.names import concept_name
from algolens.discovery.observations import Candidates, Observation
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.settle import is_settled, settle
from algolens.discovery.situations import Situations
from algolens.errors import DefinitionError
from algolens.fields import Category, Field, Location, Mask
from algolens.logic import pack
from algolens.logic.formula import Concept, Formula
from algolens.looks import Term, Test, Whose
from algolens.looks.language import with_atoms

MOST_PRICE = 7  # of one observation
FURTHER = 2  # prices beyond the first at which a decision is settled, in search of a cheaper set
KNOWN = 0.1  # what an observation costs that was chosen before
MOST_OFFERED = 12_000  # observations, beyond which no cheaper set is looked for


class Bench:
    """Situations, what was observed in them, and what settles a decision.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    until : float
        A time of the process, when it ends.
    earlier : Script
        Of a search on fewer runs: what it settled is kept where it still does.
    progress : callable
        Is told in a line what is being done.
    """

    def __init__(
        self,
        schema: Schema,
        episodes: Sequence[Episodes],
        until: float,
        earlier: Script,
        progress: Callable[[str], None],
    ) -> None:
        self.schema, self.until, self.progress = schema, until, progress
        self.situations = Situations(schema, episodes)
        self.earlier, self.script = earlier, Script()
        self.look: dict[str, tuple[Location, Formula]] = {}  # what is observed, in order
        self.tried = 0  # statements
        self._names: dict[tuple[Location, str], str] = {}
        self._candidates: dict[Location, Candidates] = {}

    def is_late(self) -> bool:
        """Whether the time is spent."""
        return time.process_time() > self.until

    def settled(self, decision: Decision, bound: int) -> SettledDecision | None:
        """What settles a decision, of observations of up to a price."""
        if bound == 1 and (again := self._again(decision)) is not None:
            return again
        best, last = None, MOST_PRICE
        while bound <= last:
            observations = self.offered(decision.location, bound)
            costs = np.array([self._price(decision.location, some) for some in observations])
            # what costs much more than its dearest part is a chance of the few runs seen
            most = min(bound + 4, 2 * bound + 1) if best is None else best.cost - 0.05
            chosen = settle(observations, decision.rows, decision.decided, costs, self.until, most)
            if chosen is None and best is None:
                return None
            if best is None:
                last = min(bound + FURTHER, MOST_PRICE)
            if chosen is not None:
                some = [observations[number] for number in chosen.chosen]
                best = replace(_settled_by(decision, some, chosen.cost), proven=chosen.proven)
            assert best is not None
            is_whole = self._candidates[decision.location].complete
            best = replace(best, proven=best.proven and is_whole, bound=bound)
            # a set that costs less has no part that costs as much
            last = min(last, int(np.ceil(best.cost)) - 1)
            bound += 1
            if len(observations) > MOST_OFFERED or self.is_late():
                break
        return best

    def offered(self, location: Location, bound: int) -> list[Observation]:
        """All observations of up to a price."""
        if location not in self._candidates:
            self._candidates[location] = Candidates(self.situations, location)
        candidates = self._candidates[location]
        before = candidates.tried
        observations = candidates.up_to(bound, self.until)
        self.tried += candidates.tried - before
        return observations

    def _again(self, decision: Decision) -> SettledDecision | None:
        """What settled it before, where it still does: on more situations nothing is cheaper."""
        before = self.earlier.decisions.get(decision.name)
        if before is None or not before.formulas or before.location is not decision.location:
            return None
        try:
            chosen = [
                Observation(formula, 1, self._column(decision.location, formula))
                for formula in before.formulas
            ]
        except DefinitionError:  # it names what is not there this time
            return None
        table = np.stack([some.column[decision.rows] for some in chosen], 1)
        if not is_settled(table, decision.decided):
            return None
        again = _settled_by(decision, chosen, before.cost)
        return replace(again, proven=before.proven, bound=before.bound)

    def _column(self, location: Location, formula: Formula) -> np.ndarray:
        parts = self.situations.observe("seen", location, formula)
        return np.concatenate([part.numpy() for part in parts])

    def _price(self, location: Location, observation: Observation) -> float:
        is_known = (location, str(observation.formula)) in self._names
        return KNOWN if is_known else observation.cost

    # ---- what was settled

    def keep(self, settled: SettledDecision) -> SettledDecision:
        """Names the observations that settle a decision."""
        names = tuple(self.concept(settled.location, formula) for formula in settled.formulas)
        named = self.script.decisions[settled.name] = replace(settled, concepts=names)
        said = "; ".join(map(str, settled.formulas))
        self.progress(f"settled {settled.name}: {said or 'always the same'}")
        return named

    def keep_output(self, settled: SettledDecision) -> None:
        """The same; what was decided is an atom of all that follows."""
        named, name = self.keep(settled), settled.name
        kind = self.schema.decided[name].kind
        if isinstance(kind, Mask):
            is_output = name in self.schema.outputs
            self.observe(f"next_{name}" if is_output else name, named.location, named.formula(1))
        elif isinstance(kind, Category) and named.concepts:
            for number, label in enumerate(kind.labels):
                if (named.decided == number).any():
                    self.observe(f"next_{name}_{label}", named.location, named.formula(number))

    def concept(self, location: Location, formula: Formula) -> str:
        """The name of an observation; made from what it says, where it has none."""
        match formula:
            case Test(Term(Whose.MY, (name,)), None) if name in self.look:
                return name
        key = (location, str(formula))
        if key not in self._names:
            taken = {*self.situations.fields, *self.look, *self.schema.decided, *self.schema.inputs}
            name = self._names[key] = concept_name(formula, taken)
            self.observe(name, location, formula)
        return self._names[key]

    def observe(self, name: str, location: Location, formula: Formula) -> None:
        """Adds an observation, which all that follows may name."""
        said = with_atoms(
            formula, lambda atom: own_test(atom.name) if isinstance(atom, Concept) else atom
        )
        values = self.situations.observe(name, location, said)
        self.look[name] = (location, said)
        self.add(name, Field(location, Mask()), values)

    def add(self, name: str, field: Field, values: Sequence[Tensor]) -> None:
        """Adds a field that statements may name; a tensor for each block."""
        self.situations.add(name, field, values)
        self._candidates.clear()


def own_test(name: str) -> Formula:
    """That a mask holds of the element itself."""
    return Test(Term(Whose.MY, (name,)))


def _settled_by(decision: Decision, chosen: Sequence[Observation], cost: float) -> SettledDecision:
    """What is decided on each pattern of some observations."""
    if chosen:
        packed = pack(np.stack([some.column[decision.rows] for some in chosen], 1))
    else:
        packed = np.zeros(len(decision.rows), np.uint64)
    patterns, first = np.unique(packed, return_index=True)
    formulas = tuple(some.formula for some in chosen)
    decided = decision.decided[first]
    return SettledDecision(decision.name, decision.location, formulas, (), patterns, decided, cost)
