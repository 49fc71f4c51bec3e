"""What proofs rest on is true of real graphs: no real step contradicts it, and other steps do."""

import time
from itertools import chain

import numpy as np
import pytest
import torch

from algolens.algorithms import Algorithm, algorithm
from algolens.discovery import AlgorithmTeacher, Episodes
from algolens.discovery.checks import random_runs
from algolens.discovery.proofs.assumed import assumed
from algolens.discovery.proofs.candidates import CandidateClause
from algolens.discovery.proofs.equality import Proof
from algolens.discovery.proofs.solver import Prover
from algolens.discovery.proofs.theory import GRAPH, Expression, for_all, z3
from algolens.discovery.proofs.vocabulary import BEGUN
from algolens.fields import Category, Field, Location, Mask, Pointer
from algolens.logic.formula import Formula, Not

NODE, EDGE, LINK, _ = Location


class RealState:
    """One graph in one state of a run, in the words of a proof."""

    def __init__(self, ours: Algorithm, run: Episodes, step: int) -> None:
        self.proof = Proof(ours.declaration, ours, time.process_time() + 60, lambda _: None)
        self.run, self.step, graph = run, step, run.graph
        theory, known = self.proof.theory, ours.declaration
        self.elements = {
            at: [theory.variable(at, at.value) for _ in range(graph.count(at))]
            for at in (NODE, EDGE, LINK)
        }
        nodes, edges, links = (self.elements[at] for at in (NODE, EDGE, LINK))
        facts = [theory.count[NODE] == len(nodes), theory.count[EDGE] == len(edges)]
        facts.append(theory.directed == graph.directed)
        facts += [theory.number[NODE](node) == place for place, node in enumerate(nodes)]
        for place, (its_edge, ends) in enumerate(zip(edges, graph.edges.T.tolist(), strict=True)):
            one, other = (theory.steps[EDGE, end](its_edge) for end in ("one_end", "other_end"))
            facts += [theory.number[EDGE](its_edge) == place]
            facts += [one == nodes[ends[0]], other == nodes[ends[1]]]
        for place, link in enumerate(links):  # all links one way, then all links back
            back, edge = divmod(place, len(edges))
            ends = graph.edges[:, edge].tolist()[:: -1 if back else 1]
            for word, end in zip(("sender", "receiver"), ends, strict=True):
                facts.append(theory.steps[LINK, word](link) == nodes[end])
            facts.append(theory.steps[LINK, "edge"](link) == edges[edge])
        for at, some in self.elements.items():
            if some:
                any_one = theory.variable(at)
                is_one = z3.Or(*[any_one == one for one in some])
                facts.append(for_all([any_one], is_one, theory.met(at, any_one)))
        now = self.proof.now
        facts.append(now.values[BEGUN](None) == (step > 0))
        fields = {name: (known.inputs[name], run.inputs[name]) for name in known.inputs}
        state = {name: (known.predicted[name], run.frames[step][name]) for name in known.state}
        self.past = list(self.proof.history.along(run))
        past = {n: (f, self.past[step][n]) for n, f in self.proof.history.fields.items()}
        for name, (field, values) in {**fields, **state, **past}.items():
            facts += self.each(field, values, now.values[name])
        self.facts = facts

    def each(self, field: Field, values: torch.Tensor, called: object) -> list[Expression]:
        """That a field has values."""
        elements = [None] if field.location is GRAPH else self.elements[field.location]
        assert callable(called)
        return [
            called(element) == self.value(field, value)
            for element, value in zip(elements, values.tolist(), strict=True)
        ]

    def value(self, field: Field, value: int) -> Expression:
        match field.kind:
            case Mask():
                return z3.BoolVal(bool(value))
            case Category(labels=labels):
                return self.proof.theory.label_of(labels[value])
            case Pointer(to=to):
                return self.elements[to][value]
        return z3.IntVal(value)

    def happens(self) -> list[Expression]:
        """What the next step makes, and whether the rule asked for it."""
        known, side, made = self.proof.known, self.proof.second, list[Expression]()
        if self.step < len(self.run.frames) - 1:
            after = self.run.frames[self.step + 1]
            for name in dict.fromkeys((*known.state, *known.outputs)):

                def called(me: Expression, name: str = name) -> Expression:
                    return side.after(name, me)

                made += self.each(known.predicted[name], after[name], called)
            for name, field in self.proof.history.fields.items():

                def becomes(me: Expression, name: str = name) -> Expression:
                    return self.proof.history.after(name, side, me)

                made += self.each(field, self.past[self.step + 1][name], becomes)
        if known.terminates and self.step and int(self.run.asked[self.step - 1, 0]) >= 0:
            made.append(side.goes_on() == bool(self.run.asked[self.step - 1, 0]))
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
    teacher = AlgorithmTeacher(ours)
    for _ in range(3):
        for run in random_runs(teacher, 1, (1, 4), rng):
            state = RealState(ours, run, int(rng.integers(0, len(run.frames))))
            happens = state.happens()
            assert not state.is_refuted(z3.And(*happens))
            refuted += [state.is_refuted(z3.Not(one)) for one in happens[:3] + happens[-3:]]
    assert any(refuted)


@pytest.mark.parametrize("name", ["dfs", "matching", "kruskal"])
def test_a_clause_that_holds_in_a_real_state_can_be_assumed_and_others_cannot(name):
    ours, rng, refuted = algorithm(name), np.random.default_rng(5), []
    for run in random_runs(AlgorithmTeacher(ours), 1, (3, 4), rng):
        state = RealState(ours, run, int(rng.integers(1, len(run.frames))))
        state.proof.runs = [run]
        proposals = state.proof.proposals()
        sampled = proposals.states
        sampled.reached = [sampled.reached[state.step]]
        some = [*chain(*proposals.stacks()), *chain(*proposals.rounds())]
        offered = sorted(some, key=lambda clause: rng.random() * len(clause.literals), reverse=True)
        for clause in offered[:15]:
            for literals in (clause.literals, [_opposite(one) for one in clause.literals]):
                holds = sampled.table(clause.location, literals, True).any(1).all()
                other = CandidateClause(clause.location, tuple(literals))
                is_refuted = state.is_refuted(assumed(state.proof.now, other))
                assert not (holds and is_refuted), str(other)
                refuted += [is_refuted] if not holds else []
    assert sum(refuted) > len(refuted) / 2


def _opposite(literal: Formula) -> Formula:
    return literal.term if isinstance(literal, Not) else Not(literal)
