"""Candidates for an invariant, in the order in which they are tried.

Those of searches that go back come first, because what is under way there forms a stack. A mask is
true of one node at most, the top. Nodes under way are told by one or two literals, each but the
lowest points to the one below it, and a time grows from the bottom to the top. That the stack is
empty where there is no top follows from these clauses, and not from fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from algolens.language.ir import At, Expr, Field
from algolens.language.text import Text
from algolens.proofs.equality.candidates import CandidateClause, SampledStates, clauses
from algolens.proofs.equality.ghosts import BEGUN, STEPS
from algolens.proofs.equality.vocabulary import AROUND, Vocabulary

if TYPE_CHECKING:
    from algolens.proofs.equality.proof import Proof

Texts = tuple[str, ...]  # literals of a clause; "{}" stands before a field that is the node's own


class Stacks:
    """Stacks that states of runs have.

    Parameters
    ----------
    states : SampledStates
        That runs reach.
    words : Vocabulary
        Fields.
    """

    def __init__(self, states: SampledStates, words: Vocabulary) -> None:
        self.states, self.words, history = states, words, words.proof.history

        def of_kind(at: str, kind: str) -> list[str]:
            fields = ((name, words.fields[name]) for name in words.state)
            return [name for name, field in fields if (field.at, field.kind) == (at, kind)]

        self.masks, self.numbers = of_kind("node", "mask"), of_kind("node", "number")
        self.pointers = [
            name for name in of_kind("node", "pointer") if words.all[name].to == "node"
        ]
        self.times = [*history.times, *self.numbers]
        self.of_graph = of_kind("graph", "number")
        told = [f"{{}}{name}" for name in (*self.masks, *history.seen)]
        told += [f"{{}}{name} = 0" for name in self.numbers]
        self.literals = [it for one in told for it in (one, f"~({one})")]

    def groups(self) -> Iterator[list[CandidateClause]]:
        """Clauses that all states satisfy, of one stack after the other; then of numbers."""
        for top, pointer, members in self._members():
            for name in self.times:
                in_time = self._clauses(self._in_time(top, pointer, members, name))
                if all(map(self._holds, in_time)):
                    of_stack = self._clauses(self._of(top, pointer, members))
                    yield self._that_hold([*of_stack, *in_time])
                    break
        yield self._that_hold(self._clauses(self._of_numbers()))

    def _clauses(self, made: Iterable[Texts]) -> list[CandidateClause]:
        return [CandidateClause("node", tuple(map(self._said, texts))) for texts in made]

    def _said(self, text: str) -> Expr:
        return self.words.said("node", text.replace("{}", ""))

    def _that_hold(self, clauses: Iterable[CandidateClause]) -> list[CandidateClause]:
        return [*filter(self._holds, dict.fromkeys(clauses))]

    def _holds(self, clause: CandidateClause) -> bool:
        return bool(self.states.table("node", clause.literals, True).any(1).all())

    def _members(self) -> Iterator[tuple[str, str, Texts]]:
        """The top's mask, the pointer below, and by what members are told."""
        count = len(self.literals)
        for pointer in self.pointers:
            below = [text.format(f"{pointer}'s ") for text in self.literals]
            others = [f"some other node ({name})" for name in self.masks]
            texts = map(self._said, [*self.literals, *below, *self.masks, *others])
            rows = self.states.table("node", list(texts), True)
            here, there = rows[:, :count], rows[:, count : 2 * count]
            for place, top in enumerate(self.masks, 2 * count):
                is_top, is_another = rows[:, place], rows[:, place + len(self.masks)]
                if not is_top.any() or (is_top & is_another).any():
                    continue
                of_top, alone = np.flatnonzero(here[is_top].all(0)).tolist(), set[int]()
                for chosen in (*combinations(of_top, 1), *combinations(of_top, 2)):
                    if alone & set(chosen):
                        continue
                    belongs = here[:, chosen].all(1)
                    rest = belongs & ~is_top
                    if rest.any() and is_another[rest].all() and there[belongs][:, chosen].all():
                        alone |= set(chosen) if len(chosen) == 1 else set()
                        yield top, pointer, tuple(self.literals[n] for n in chosen)

    def _of(self, top: str, pointer: str, members: Texts) -> Iterator[Texts]:
        """What is true of the top, of members, and of those below them."""
        is_another, is_lowest = f"some other node ({top})", f"me = {pointer}"
        outside = _negated(members)
        for relation in AROUND:
            yield is_lowest, f"some {relation} (it = my {pointer})"
        yield members  # one that never was under way does not look as if it had left
        yield f"~{top}", f"~{is_another}"
        yield *outside, top, is_another
        for literal in members:
            below = literal.format(f"{pointer}'s ")
            yield f"~{top}", literal
            yield f"~{top}", below
            yield *outside, below
            # what was never under way points to itself
            yield literal, is_lowest

    def _of_numbers(self) -> Iterator[Texts]:
        """That numbers differ but where they are 0, and that none is above one of the graph."""
        for name in self.numbers:
            yield f"{name} = 0", f"no other node (its {name} = my {name})"
            for of_graph in self.of_graph:
                yield (f"{name} <= graph's {of_graph}",)

    def _in_time(self, top: str, pointer: str, members: Texts, name: str) -> Iterator[Texts]:
        """What is true of a time that grows to the top: no other member is later than the top,
        none is between a member and the one below it, and none below the lowest.
        """
        outside, is_lowest = _negated(members), f"me = {pointer}"
        its = " & ".join(f"{literal}" for literal in members)
        earlier = f"{its} & its {name} < my {name}"
        yield *outside, is_lowest, f"{pointer}'s {name} < {name}"
        yield f"~{top}", f"no other node ({its} & its {name} >= my {name})"
        yield *outside, f"~({is_lowest})", f"no other node ({earlier})"
        between = f"it != my {pointer} & its {name} >= my {pointer}'s {name}"
        yield *outside, f"no other node ({earlier} & {between})"
        yield (f"{name} <= graph's {STEPS}",)


def _negated(literals: Sequence[str]) -> Texts:
    """What holds where a literal does not, for each."""
    return tuple(
        text.removeprefix("~(").removesuffix(")") if text.startswith("~(") else f"~({text})"
        for text in literals
    )


class Proposals:
    """Clauses that hold in all states of some runs.

    Parameters
    ----------
    proof : Proof
        Two programs, and runs that candidates are held against.
    """

    def __init__(self, proof: Proof) -> None:
        fields = proof.known.inputs | proof.fields | {BEGUN: Field("graph", "mask")}
        for ghost in (proof.history, proof.counts, proof.parts):
            fields |= ghost.fields
        self.text = Text({(one.at, name): one.labels for name, one in fields.items() if one.labels})
        self.states, self.words = SampledStates(proof, fields), Vocabulary(proof, fields)
        self.near: list[At] = ["node", "graph"]
        if any(one.at == "edge" for one in proof.fields.values()):
            self.near.append("edge")

    def stacks(self) -> Iterator[list[CandidateClause]]:
        """Groups that are likely to be kept as a whole."""
        return Stacks(self.states, self.words).groups()

    def rounds(self) -> Iterator[list[CandidateClause]]:
        """Candidates, the simplest first."""
        words = self.words

        def simple(at: At) -> list[Expr]:
            return [*words.tests(at), *words.views(at, compared=False)]

        def larger(at: At) -> list[Expr]:
            related = [*words.meetings(at), *words.comparisons(at)]
            return [*words.tests(at, far=True), *related, *words.views(at, compared=True)]

        def few(at: At) -> list[Expr]:
            return [*words.tests(at), *words.meetings(at)]

        for places, literals, size in (
            (self.near, simple, 2),
            ([*self.near, "link"], larger, 2),
            (self.near, few, 3),
        ):
            yield [c for at in places for c in clauses(self.states, at, literals(at), size)]
