"""What may always be true of a run: clauses that hold in every state of the runs that were tried.

They are candidates only. Of those that hold in any state whatever nothing would be learnt: they are
left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
import torch
from torch import Tensor

from algolens.discovery.proofs.counts import Counts
from algolens.discovery.proofs.history import History
from algolens.discovery.proofs.parts import PART, Parts
from algolens.discovery.schema import Episodes
from algolens.fields import Category, Field, Mask, Number, Pointer
from algolens.graphs import Graph, Location
from algolens.logic.formula import And, Formula, Not, conjunction, disjunction
from algolens.looks import Comparison, Order, Quantified, Quantity, Term, Test, Whose
from algolens.looks.language import atoms, statement_text, terms
from algolens.looks.observer import Observer
from algolens.looks.relations import RELATIONS, Relation
from algolens.looks.scope import NUMBER, Scope
from algolens.looks.state import GraphState
from algolens.looks.statement import Statement

NODE, EDGE, LINK, GRAPH = Location
BEGUN, ZERO = "begun", "constant_0"
GHOSTS = {
    BEGUN: Field(GRAPH, Mask()),  # whether a step has been taken
    ZERO: Field(GRAPH, Number(1)),
}
MY, ITS = Whose.MY, Whose.ITS
STEPS_OF = {
    NODE: ((), ("graph",)),
    EDGE: ((), ("one_end",), ("other_end",), ("graph",)),
    LINK: ((), ("sender",), ("receiver",), ("edge",), ("graph",)),
    GRAPH: ((),),
}
MOST_STATES = 400  # of runs, that candidates are held against
MOST_ROWS = 20_000


@dataclass(frozen=True)
class CandidateClause:
    """One of several literals holds, of every element at a location."""

    location: Location
    literals: tuple[Formula, ...]

    @property
    def formula(self) -> Formula:
        """Itself as a statement."""
        return disjunction(*self.literals)

    def __str__(self) -> str:
        said = statement_text(self.formula)
        return f"{self.location.value}: {said.replace('graph' + chr(39) + 's begun', 'begun')}"


class Vocabulary:
    """What can be said of an element: literals from fields, in the language of looks.

    Parameters
    ----------
    fields : mapping of str to Field
        Inputs and state.
    state : collection of str
        What changes.
    declared : sequence
        Quantified statements of both declarations, over fields alone, with their locations.
    counts : sequence of str
        Of how many nodes masks are true.
    parts : Parts
        Of the graph.
    """

    def __init__(
        self,
        fields: Mapping[str, Field],
        state: Sequence[str],
        declared: Sequence[tuple[Location, Quantified]],
        units: Mapping[str, object],
        counts: Sequence[str],
        parts: Parts,
    ) -> None:
        self.fields, self.state = dict(fields), tuple(state)
        self.declared, self.units, self.counts, self.parts = declared, units, counts, parts
        self.relations = list(dict.fromkeys(atom.relation for _, atom in declared))

    def _paths(self, at: Location) -> Iterator[tuple[tuple[str, ...], Location]]:
        """Ways from an element to others: along the graph, then along one pointer."""
        for steps in STEPS_OF[at]:
            place = at
            for step in steps:
                place = {"graph": GRAPH, "edge": EDGE}.get(step, NODE)
            yield steps, place
            if steps == ("graph",):
                continue
            for name, field in self.fields.items():
                kind = field.kind
                if field.location is place and isinstance(kind, Pointer):
                    yield (*steps, name), kind.to

    def tests(self, at: Location, whose: Whose = MY, far: bool = False) -> list[Formula]:
        """Masks and classes of an element, and of those that it leads to."""
        made: list[Formula] = []
        for path, place in self._paths(at):
            if not far and any(step in self.fields for step in path):
                continue
            for name, field in {**self.fields, **GHOSTS}.items():
                if field.location is not place or (name not in self.state and name != BEGUN):
                    continue
                if isinstance(field.kind, Mask):
                    made.append(Test(Term(whose, (*path, name))))
                elif isinstance(field.kind, Category):
                    made += [Test(Term(whose, (*path, name)), label) for label in field.kind.labels]
        return made

    def meetings(self, at: Location) -> list[Formula]:
        """Whether two ways lead to one element."""
        ends = [(path, place) for path, place in self._paths(at) if place is not GRAPH]
        ends += [
            (("graph", name), field.kind.to)
            for name, field in self.fields.items()
            if field.location is GRAPH and isinstance(field.kind, Pointer) and at is not GRAPH
        ]
        for path, place in list(ends):  # along a pointer twice
            if path and path[-1] in self.fields and len(path) == 1 and place is at:
                ends.append(((*path, path[-1]), place))
        pairs = [
            (one, other)
            for (one, place), (other, where) in combinations(ends, 2)
            if place is where and any(word in self.fields for word in (*one, *other))
        ]
        pairs += [((name, PART), (PART,)) for name in self.parts.pointers if at is NODE]
        return [
            Comparison((Term(MY, one),), Order.EQUAL, (Term(MY, other),)) for one, other in pairs
        ]

    def numbers(self, at: Location) -> list[tuple[tuple[str, ...], object]]:
        """Numbers of an element and of those that it leads to, and what they are counted in."""
        made: list[tuple[tuple[str, ...], object]] = []
        for path, place in self._paths(at):
            if place is NODE:
                made.append(((*path, NUMBER), NUMBER))
            for name, field in self.fields.items():
                if field.location is place and isinstance(field.kind, Number):
                    made.append(((*path, name), self.units.get(name, name)))
        return made

    def comparisons(self, at: Location) -> list[Formula]:
        """How numbers of an element compare, and with 0."""
        made: list[Formula] = []
        numbers = self.numbers(at)
        for (one, unit), (other, its) in combinations(numbers, 2):
            if unit == its and self._changes(one, other):
                made += [
                    Comparison((Term(MY, one),), order, (Term(MY, other),))
                    for order in (Order.LOWER, Order.EQUAL, Order.HIGHER)
                ]
        zero = Term(MY, (ZERO,) if at is GRAPH else ("graph", ZERO))
        for one, unit in numbers:
            if unit != NUMBER and self._changes(one):
                made += [
                    Comparison((Term(MY, one),), order, (zero,))
                    for order in (Order.EQUAL, Order.HIGHER)
                ]
        made += [
            Comparison((Term(MY, (name,)),), Order.EQUAL, (Term(MY, (count,)),))
            for name in (self.state if at is GRAPH else ())
            if self.fields[name].location is GRAPH and isinstance(self.fields[name].kind, Number)
            for count in self.counts
        ]
        return made

    def _changes(self, *paths: tuple[str, ...]) -> bool:
        return any(word in self.state for path in paths for word in path)

    def views(self, at: Location, compared: bool) -> list[Formula]:
        """What some of those in view are."""
        made: list[Formula] = [atom for place, atom in self.declared if place is at]
        made += [it for place, atom in self.declared if place is at for it in self._varied(atom)]
        everyone = [relation for relation in RELATIONS if relation.own is at]
        used = [
            relation
            for relation in everyone
            if relation in self.relations
            or relation.words[0] in ("other node", "node", "predecessor", "neighbour")
        ]
        used += [relation for relation in self.relations if relation.pointer and relation.own is at]
        for relation in dict.fromkeys(used):
            if relation.pointer == "POINTER":
                continue
            for test in self.tests(relation.others, ITS):
                path = test.term.path if isinstance(test, Test) else ()
                if path[0] == "graph":
                    continue
                made += [_some(relation, test), _some(relation, Not(test))]
            if compared and relation.words[0] in ("predecessor", "neighbour"):
                made += self._compared_in_view(at, relation)
        return list(dict.fromkeys(made))

    def _varied(self, atom: Quantified) -> Iterator[Formula]:
        """What is declared of others in view that compare with the element, said of other classes
        and of those that compare the other way round.
        """
        parts = atom.counted.terms if isinstance(atom.counted, And) else ()
        if not any(isinstance(part, Comparison) for part in parts):
            return
        for some in product(*map(self._variants, parts)):
            yield _some(atom.relation, conjunction(*some))

    def _variants(self, part: Formula) -> list[Formula]:
        match part:
            case Comparison(left, Order.LOWER | Order.HIGHER as order, right):
                return [part, Comparison(left, order.reversed, right)]
            case Test(term, str()) | Not(Test(term, str())):
                kind = self.fields[term.path[-1]].kind
                assert isinstance(kind, Category)
                tests = [Test(term, label) for label in kind.labels]
                return [*tests, *map(Not, tests)]
        return [part]

    def _compared_in_view(self, at: Location, relation: Relation) -> Iterator[Formula]:
        for name, field in self.fields.items():
            if field.location is at and isinstance(field.kind, Pointer) and field.kind.to is at:
                yield _some(
                    relation, Comparison((Term(ITS, ()),), Order.EQUAL, (Term(MY, (name,)),))
                )
        for one, unit in self.numbers(relation.others):
            for other, its in self.numbers(at):
                if unit == its and self._changes(one, other) and "graph" not in (*one, *other):
                    for order in (Order.LOWER, Order.NOT_HIGHER):
                        yield _some(
                            relation, Comparison((Term(ITS, one),), order, (Term(MY, other),))
                        )


def _some(relation: Relation, body: Formula) -> Quantified:
    return Quantified(Quantity.SOME, relation, body)


def over_fields(formula: Formula, fields: Mapping[str, Field]) -> Iterator[Quantified]:
    """Quantified statements of a formula that name fields alone."""
    known = {*fields, NUMBER, "sender", "receiver", "edge", "one_end", "other_end", "graph"}
    for atom in atoms(formula):
        if isinstance(atom, Quantified) and all(
            word in known for term in terms(atom.body) for word in term.path
        ):
            yield atom


class SampledStates:
    """States that runs reach, and states that none may reach.

    Parameters
    ----------
    fields : mapping of str to Field
        Inputs and state.
    state : sequence of str
        What changes.
    history : History
        Of runs.
    counts : Counts
        Of masks.
    parts : Parts
        Of graphs.
    runs : sequence of Episodes
        Runs of the algorithm that is trusted.
    """

    def __init__(
        self,
        fields: Mapping[str, Field],
        state: Sequence[str],
        history: History,
        counts: Counts,
        parts: Parts,
        runs: Sequence[Episodes],
        rng: np.random.Generator,
    ) -> None:
        self.counts, self.parts = counts, parts
        self.scope = Scope({**fields, **GHOSTS, **history.fields, **counts.fields, **parts.fields})
        self.reached: list[GraphState] = []
        self.random: list[GraphState] = []
        for run in runs:
            for step, past in enumerate(history.along(run)):
                if len(self.reached) == MOST_STATES:
                    break
                values = {name: run.frames[step][name] for name in state}
                begun = torch.full((run.graph.num_graphs,), step > 0)
                values |= past
                self.reached.append(self.state(run.graph, run.inputs, values, begun))
            any_field = {**{name: fields[name] for name in state}, **history.fields}
            for _ in range(12):
                values = {
                    name: random_values(field, run.graph, rng) for name, field in any_field.items()
                }
                begun = torch.full((run.graph.num_graphs,), bool(rng.random() < 0.7))
                self.random.append(self.state(run.graph, run.inputs, values, begun))

    def state(
        self,
        graph: Graph,
        inputs: Mapping[str, Tensor],
        values: Mapping[str, Tensor],
        begun: Tensor,
    ) -> GraphState:
        """A state of a batch of graphs."""
        ghosts = {BEGUN: begun, ZERO: torch.zeros(graph.num_graphs, dtype=torch.int64)}
        made = {**self.counts.of(graph, values), **self.parts.of(graph)}
        return GraphState(graph, self.scope, {**inputs, **values, **ghosts, **made})

    def truth(self, at: Location, formula: Formula, state: GraphState) -> Tensor:
        """Of which elements a formula is true."""
        statement = Statement("said", at, formula, self.scope)
        return Observer([statement]).observe(statement, state)

    def table(self, at: Location, formulas: Sequence[Formula], reached: bool) -> np.ndarray:
        """[rows, formulas] bools: where each holds, different rows alone."""
        states = self.reached if reached else self.random
        columns = [
            np.concatenate([self.truth(at, formula, state).numpy() for state in states])
            for formula in formulas
        ]
        return np.unique(np.stack(columns, 1), axis=0)


def random_values(field: Field, graph: Graph, rng: np.random.Generator) -> Tensor:
    """Any values of a kind."""
    kind, count = field.kind, graph.count(field.location)
    if isinstance(kind, Mask):
        return torch.from_numpy(rng.random(count) < rng.random())
    if isinstance(kind, Category):
        return torch.from_numpy(rng.integers(0, len(kind.labels), count))
    if isinstance(kind, Pointer):
        sizes = graph.counts(kind.to)[graph.owner(field.location)]
        return torch.from_numpy((rng.random(count) * sizes.numpy()).astype(np.int64))
    low = max(getattr(kind, "least", 0), -4)
    return torch.from_numpy(rng.integers(low, low + 8, count))


def clauses(
    states: SampledStates, at: Location, formulas: Sequence[Formula], size: int
) -> list[CandidateClause]:
    """Clauses of up to so many literals that all reached states satisfy, and others do not.

    A clause that contains one of fewer literals is left out.
    """
    if not formulas:
        return []
    reached = states.table(at, formulas, True)
    anywhere = states.table(at, formulas, False)
    literals = [*formulas, *map(Not, formulas)]
    # rows where each literal is false
    false_here = np.concatenate([~reached, reached], 1).astype(np.float32)
    false_there = np.concatenate([~anywhere, anywhere], 1).astype(np.float32)
    _, first = np.unique(np.concatenate([false_here, false_there]), axis=1, return_index=True)
    kept = np.sort(first)  # of literals that never differ, one
    literals = [literals[place] for place in kept]
    false_here, false_there = false_here[:, kept], false_there[:, kept]
    always = ~false_here.any(0)
    made = [
        CandidateClause(at, (literals[place],))
        for place in np.flatnonzero(always & false_there.any(0))
    ]
    rest = np.flatnonzero(~always)
    here, there = false_here[:, rest], false_there[:, rest]
    both_here, both_there = here.T @ here, there.T @ there
    pairs = np.argwhere(np.triu((both_here == 0), 1))
    made += [
        CandidateClause(at, (literals[rest[i]], literals[rest[j]]))
        for i, j in pairs
        if both_there[i, j] > 0
    ]
    if size > 2:
        open_pairs = np.argwhere(np.triu(both_here > 0, 1))
        holds = both_here == 0
        for i, j in open_pairs:
            with_both = (here[:, i] * here[:, j]) @ here
            third = (with_both == 0) & ~holds[i] & ~holds[j]
            third[: j + 1] = False
            for k in np.flatnonzero(third):
                if (there[:, i] * there[:, j] * there[:, k]).any():
                    made.append(CandidateClause(at, tuple(literals[rest[n]] for n in (i, j, k))))
    return made
