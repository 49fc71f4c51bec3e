"""Candidates for an invariant of searches that go back: what is under way forms a stack.

A mask is true of one element at most, the top. Elements under way are told by one or two literals,
each but the lowest points to the one below it, and a time grows from the bottom to the top. That
the stack is empty where there is no top follows from these clauses, and not from fewer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from algolens.discovery.proofs.candidates import CandidateClause, SampledStates
from algolens.discovery.proofs.history import STEPS, History
from algolens.discovery.proofs.irredundant import opposite_literal
from algolens.discovery.proofs.vocabulary import GRAPH, ITS, MY, NODE, ZERO, Vocabulary
from algolens.fields import Mask, Number, Pointer
from algolens.language.relations import RELATIONS
from algolens.logic.formula import Formula, Not, conjunction
from algolens.looks import Comparison, Order, Quantified, Quantity, Term, Test, Whose

OTHERS = next(relation for relation in RELATIONS if relation.words[0] == "other node")
AROUND = [relation for relation in RELATIONS if relation.words[0] in ("predecessor", "neighbour")]
GRAPH_ZERO = ("graph", ZERO)


class Stacks:
    """Stacks that states of runs have.

    Parameters
    ----------
    states : SampledStates
        That runs reach.
    words : Vocabulary
        Fields.
    history : History
        Times, and what was seen.
    """

    def __init__(self, states: SampledStates, words: Vocabulary, history: History) -> None:
        self.states = states
        at_nodes = {name: f for name, f in words.fields.items() if f.location is NODE}
        of_state = {name: field for name, field in at_nodes.items() if name in words.state}
        self.masks = [name for name, field in of_state.items() if isinstance(field.kind, Mask)]
        self.pointers = [
            name
            for name, field in of_state.items()
            if isinstance(field.kind, Pointer) and field.kind.to is NODE
        ]
        numbers = [name for name, field in of_state.items() if isinstance(field.kind, Number)]
        self.numbers, self.times = numbers, [*history.times, *numbers]
        self.of_graph = [
            name
            for name in words.state
            if words.fields[name].location is GRAPH and isinstance(words.fields[name].kind, Number)
        ]
        tests = [Test(Term(MY, (name,))) for name in (*self.masks, *history.seen)]
        zeros = [_compared(MY, (name,), Order.EQUAL, MY, GRAPH_ZERO) for name in numbers]
        self.literals = [it for one in (*tests, *zeros) for it in (one, Not(one))]

    def groups(self) -> Iterator[list[CandidateClause]]:
        """Clauses that all states satisfy, of one stack after the other; then of numbers."""
        for top, pointer, members in self._members():
            for name in self.times:
                in_time = list(self._in_time(top, pointer, members, name))
                if all(map(self._holds, in_time)):
                    yield self._that_hold([*self._of(top, pointer, members), *in_time])
                    break
        yield self._that_hold(self._of_numbers())

    def _that_hold(self, made: Iterable[tuple[Formula, ...]]) -> list[CandidateClause]:
        return [CandidateClause(NODE, one) for one in dict.fromkeys(made) if self._holds(one)]

    def _holds(self, literals: Sequence[Formula]) -> bool:
        can_say = all(self.states.can_say(NODE, literal) for literal in literals)
        return can_say and bool(self.states.table(NODE, literals, True).any(1).all())

    def _members(self) -> Iterator[tuple[str, str, tuple[Formula, ...]]]:
        """The top's mask, the pointer below, and by what members are told."""
        count = len(self.literals)
        for pointer in self.pointers:
            below = [_of(literal, MY, (pointer,)) for literal in self.literals]
            tops = [Test(Term(MY, (name,))) for name in self.masks]
            others = [_others(Test(Term(ITS, (name,)))) for name in self.masks]
            rows = self.states.table(NODE, [*self.literals, *below, *tops, *others], True)
            here, there = rows[:, :count], rows[:, count : 2 * count]
            for place, top in enumerate(self.masks):
                is_top = rows[:, 2 * count + place]
                is_another = rows[:, 2 * count + len(tops) + place]
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

    def _of(
        self, top: str, pointer: str, members: Sequence[Formula]
    ) -> Iterator[tuple[Formula, ...]]:
        """What is true of the top, of members, and of those below them."""
        is_top, is_another = Test(Term(MY, (top,))), _others(Test(Term(ITS, (top,))))
        outside = [opposite_literal(literal) for literal in members]
        is_lowest = _compared(MY, (), Order.EQUAL, MY, (pointer,))
        for relation in AROUND:
            there = _compared(ITS, (), Order.EQUAL, MY, (pointer,))
            yield is_lowest, Quantified(Quantity.SOME, relation, there)
        yield tuple(members)  # one that never was under way does not look as if it had left
        yield Not(is_top), Not(is_another)
        yield *outside, is_top, is_another
        for literal in members:
            yield Not(is_top), literal
            yield Not(is_top), _of(literal, MY, (pointer,))
            yield *outside, _of(literal, MY, (pointer,))
            # what was never under way points to itself
            yield literal, is_lowest

    def _of_numbers(self) -> Iterator[tuple[Formula, ...]]:
        """That numbers differ but where they are 0, and that none is above one of the graph."""
        for name in self.numbers:
            is_zero = _compared(MY, (name,), Order.EQUAL, MY, GRAPH_ZERO)
            yield is_zero, Not(_others(_compared(ITS, (name,), Order.EQUAL, MY, (name,))))
            for of_graph in self.of_graph:
                yield (_compared(MY, (name,), Order.NOT_HIGHER, MY, ("graph", of_graph)),)

    def _in_time(
        self, top: str, pointer: str, members: Sequence[Formula], name: str
    ) -> Iterator[tuple[Formula, ...]]:
        """What is true of a time that grows to the top: no other member is later than the top,
        none is between a member and the one below it, and none below the lowest.
        """
        time, time_below = (name,), (pointer, name)
        outside = [opposite_literal(literal) for literal in members]
        its = [_of(literal, ITS) for literal in members]
        is_lowest = _compared(MY, (), Order.EQUAL, MY, (pointer,))
        earlier = _compared(ITS, time, Order.LOWER, MY, time)
        yield *outside, is_lowest, _compared(MY, time_below, Order.LOWER, MY, time)
        later = _compared(ITS, time, Order.NOT_LOWER, MY, time)
        yield Not(Test(Term(MY, (top,)))), Not(_others(*its, later))
        yield *outside, Not(is_lowest), Not(_others(*its, earlier))
        between = (
            _compared(ITS, (), Order.DIFFERENT, MY, (pointer,)),
            _compared(ITS, time, Order.NOT_LOWER, MY, time_below),
        )
        yield *outside, Not(_others(*its, earlier, *between))
        yield (_compared(MY, time, Order.NOT_HIGHER, MY, ("graph", STEPS)),)


def _compared(
    whose: Whose, path: tuple[str, ...], order: Order, other: Whose, its: tuple[str, ...]
) -> Formula:
    return Comparison((Term(whose, path),), order, (Term(other, its),))


def _others(*parts: Formula) -> Formula:
    return Quantified(Quantity.SOME, OTHERS, conjunction(*parts))


def _of(literal: Formula, whose: Whose, path: tuple[str, ...] = ()) -> Formula:
    """A literal of an element, said of another."""
    match literal:
        case Not(term):
            return Not(_of(term, whose, path))
        case Test(term, label):
            return Test(Term(whose, (*path, *term.path)), label)
        case Comparison((left,), order, (right,)):
            return _compared(whose, (*path, *left.path), order, whose, right.path)
    raise TypeError(type(literal))
