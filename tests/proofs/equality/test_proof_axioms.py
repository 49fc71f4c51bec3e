"""What proofs rest on is true of real graphs: no real step contradicts it, and other steps do."""

import time
from functools import partial
from itertools import chain

import numpy as np
import pytest

from algolens.algorithms import Algorithm, algorithm
from algolens.engines import Run
from algolens.language.ir import At, Expr, Field, Not
from algolens.proofs.equality.candidates import CandidateClause
from algolens.proofs.equality.ghosts import BEGUN
from algolens.proofs.equality.invariants import assumed
from algolens.proofs.equality.proof import Proof, runs_of
from algolens.proofs.theory import Expression, Prover, for_all, z3

TABLES: tuple[At, ...] = ("node", "edge", "link")


class RealState:
    """One graph in one state of a run, in the words of a proof."""

    def __init__(self, ours: Algorithm, run: Run, step: int) -> None:
        self.proof = Proof(ours.declaration.program, ours, time.process_time() + 60, lambda _: None)
        self.run, self.step, graph = run, step, run.graph
        theory, known = self.proof.theory, self.proof.known
        self.elements = {
            at: [theory.variable(at, at) for _ in range(graph.count(at))] for at in TABLES
        }
        nodes, edges, links = (self.elements[at] for at in TABLES)
        facts = [theory.count["node"] == len(nodes), theory.count["edge"] == len(edges)]
        facts.append(theory.directed == graph.directed)
        facts += [theory.number["node"](node) == place for place, node in enumerate(nodes)]
        for place, (its_edge, ends) in enumerate(zip(edges, graph.edges.T.tolist(), strict=True)):
            one, other = (theory.steps["edge", end](its_edge) for end in ("one_end", "other_end"))
            facts += [theory.number["edge"](its_edge) == place]
            facts += [one == nodes[ends[0]], other == nodes[ends[1]]]
        for place, link in enumerate(links):  # all links one way, then all links back
            back, edge = divmod(place, len(edges))
            ends = graph.edges[:, edge].tolist()[:: -1 if back else 1]
            for word, end in zip(("sender", "receiver"), ends, strict=True):
                facts.append(theory.steps["link", word](link) == nodes[end])
            facts.append(theory.steps["link", "edge"](link) == edges[edge])
        for at, some in self.elements.items():
            if some:
                any_one = theory.variable(at)
                is_one = z3.Or(*[any_one == one for one in some])
                facts.append(for_all([any_one], is_one, theory.met(at, any_one)))
        now = self.proof.now
        facts.append(now.values[BEGUN](None) == (step > 0))
        fields = {name: (known.inputs[name], run.inputs[name]) for name in known.inputs}
        state = {name: (one, run.state(name)[step]) for name, one in self.proof.fields.items()}
        self.past = list(self.proof.history.along(run))
        past = {n: (f, self.past[step][n]) for n, f in self.proof.history.fields.items()}
        for name, (field, values) in {**fields, **state, **past}.items():
            facts += self.each(field, values, now.values[name])
        self.facts = facts

    def each(self, field: Field, values: np.ndarray, called: object) -> list[Expression]:
        """That a field has values."""
        elements = self.elements.get(field.at, [None])
        assert callable(called)
        return [
            called(element) == self.value(field, value)
            for element, value in zip(elements, values.tolist(), strict=True)
        ]

    def value(self, field: Field, value: int) -> Expression:
        if field.kind == "mask":
            return z3.BoolVal(bool(value))
        if field.kind == "category":
            return self.proof.theory.label_of(value)
        return z3.IntVal(value) if field.to is None else self.elements[field.to][value]

    def happens(self) -> list[Expression]:
        """What the next step makes, and whether the rule asked for it."""
        side, made = self.proof.second, list[Expression]()
        if self.step < self.run.num_steps:
            for name, field in (self.proof.fields | self.proof.outputs).items():
                made += self.each(field, self.run[name][self.step], partial(side.after, name))
            for name, field in self.proof.history.fields.items():
                becomes = partial(self.proof.history.after, name, side)
                made += self.each(field, self.past[self.step + 1][name], becomes)
        if self.proof.terminates and self.step:
            made.append(side.goes_on() == bool(self.run.goes_on[self.step - 1, 0]))
        return made

    def is_refuted(self, said: Expression) -> bool:
        always = self.proof.always([self.proof.now], said, *self.facts)
        further = self.proof.theory.in_order()
        prover = Prover([*always, *self.facts, *further], time.process_time() + 10)
        return prover.refutes(said, depths=(4.5,)) is not None


@pytest.mark.parametrize(
    "name",
    ["bfs_tree", "matching", "kruskal", "bellman_ford", "coloring", "order_statistic", "dfs"],
)
def test_a_real_step_contradicts_nothing_and_another_step_does(name):
    ours, rng, refuted = algorithm(name), np.random.default_rng(3), []
    for _ in range(3):
        for run in runs_of(ours, rng).many(1, (1, 4)):
            state = RealState(ours, run, int(rng.integers(0, run.num_steps + 1)))
            happens = state.happens()
            assert not state.is_refuted(z3.And(*happens))
            refuted += [state.is_refuted(z3.Not(one)) for one in happens[:3] + happens[-3:]]
    assert any(refuted)


@pytest.mark.parametrize("name", ["dfs", "matching", "kruskal"])
def test_a_clause_that_holds_in_a_real_state_can_be_assumed_and_others_cannot(name):
    ours, rng, refuted = algorithm(name), np.random.default_rng(5), []
    for run in runs_of(ours, rng).many(1, (3, 4)):
        state = RealState(ours, run, int(rng.integers(1, run.num_steps + 1)))
        state.proof.runs = [run]
        proposals = state.proof.proposals()
        sampled = proposals.states
        sampled.reached = [sampled.reached[state.step]]
        some = [*chain(*proposals.stacks()), *chain(*proposals.rounds())]
        offered = sorted(some, key=lambda clause: rng.random() * len(clause.literals), reverse=True)
        for clause in offered[:15]:
            for literals in (clause.literals, [_opposite(one) for one in clause.literals]):
                holds = sampled.table(clause.at, literals, True).any(1).all()
                other = CandidateClause(clause.at, tuple(literals))
                is_refuted = state.is_refuted(assumed(state.proof.now, other))
                assert not (holds and is_refuted), other.words(proposals.text)
                refuted += [is_refuted] if not holds else []
    assert sum(refuted) > len(refuted) / 2


def _opposite(literal: Expr) -> Expr:
    return literal.term if isinstance(literal, Not) else Not(literal)
