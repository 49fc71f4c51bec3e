"""Whether two declarations take the same steps, and refuse the same runs, on every graph, proven
by Z3.

Both are put into one theory of any finite graph, in any state. What is to be shown, of every state
that a run may reach: both begin alike, a step makes the same of every field, and both stop alike.
By induction over the steps, their runs are then the same, on every graph and for all inputs. A
state that a run may reach is one that satisfies an invariant: it holds at the start, and every step
of the trusted declaration keeps it. A question is settled where Z3 refutes its opposite; where it
does not, nothing is claimed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from dataclasses import field as settings
from functools import cached_property, partial
from itertools import chain

import numpy as np

from algolens.algorithms import Algorithm, Values, python_methods
from algolens.arrays import NUMPY
from algolens.data.small_graphs import DIRECTIONS, RandomRuns
from algolens.engines import Run, run_algorithm
from algolens.graphs import Graph
from algolens.language.ir import At, Field, Program
from algolens.proofs.equality.candidates import CandidateClause, NearStates, price
from algolens.proofs.equality.ghosts import BEGUN, Counts, History, Parts
from algolens.proofs.equality.invariants import LITTLE_WORK, Invariant
from algolens.proofs.equality.proposals import Proposals
from algolens.proofs.states import Side, State
from algolens.proofs.theory import (
    Expression,
    GraphTheory,
    OutOfTimeError,
    Prover,
    check_solver,
    in_time,
    z3,
)

RUNS, SIZES = 40, (2, 9)  # that candidates are held against
MOST_CLAUSES = 2_000  # of one round
REFUSALS = "that both refuse the same runs, where a sum leaves 62 bits, could not be shown"
Report = Callable[[str], None]


@dataclass(frozen=True)
class Equality:
    """What is proven of two declarations."""

    proven: bool
    unproven: str | None = None  # where the proof ends
    invariant: tuple[str, ...] = ()  # what holds in every state that is reached, where it is needed
    seconds: float = settings(default=0.0, compare=False)  # of computing
    # proven, but for runs that one alone may refuse: a sum may leave 62 bits
    within_bits: bool = False


def prove_equal(
    found: Program, known: Algorithm, seconds: float = 60.0, report: Report | None = None
) -> Equality:
    """Whether a program takes the same steps as a trusted algorithm, on every graph.

    Parameters
    ----------
    found : Program
        HIR, of the same fields.
    known : Algorithm
        Declared in statements.
    seconds : float
        Of computing, after which nothing is proven.
    report : callable, optional
        Is told what is being proven.

    Raises
    ------
    AlgoLensError
        Where Z3 is not installed.
    """
    check_solver()
    began = time.process_time()
    wrong = _incomparable(found, known)
    if wrong is None:
        made = Proof(found, known, began + seconds, report or (lambda _: None)).result()
    else:
        made = Equality(False, wrong)
    return replace(made, seconds=time.process_time() - began)


def _incomparable(found: Program, known: Algorithm) -> str | None:
    """What keeps two programs from being compared."""
    methods = python_methods(known)
    if methods:
        return f"'{known.name}' goes by its own {methods[0]}() in Python"
    declared = known.declaration.program

    def parts(program: Program) -> dict[str, object]:
        return {
            "inputs": program.inputs,
            "state": program.state,
            "outputs": program.outputs,
            "limits of steps": (program.times, program.per),
            "ways to stop": program.goes_on is None,
        }

    ours, theirs = parts(found), parts(declared)
    for part, value in theirs.items():
        if ours[part] != value:
            return f"they have other {part}"
    both = {let.name for let in found.lets} & {let.name for let in declared.lets}
    for name in known.declaration.outcomes:
        if name not in both | declared.state.keys():
            return f"the outcome '{name}' is no observation"
    for name, field in (declared.inputs | declared.state | declared.outputs).items():
        if field.to not in (None, "node"):
            return f"'{name}' leads to no node"
    return None


class Proof:
    """Two programs in one theory."""

    def __init__(self, found: Program, known: Algorithm, until: float, report: Report) -> None:
        self.found, self.known, self.algorithm = found, known.declaration.program, known
        self.until, self.report = until, report
        self.fields, self.outputs = self.known.state, self.known.outputs
        self.terminates = known.declaration.terminates
        self.bounding: str | None = None  # a mask that is to bound the number of steps
        self.theory = GraphTheory(known.graphs, until)
        self.inputs = State(self.theory)
        for name, declared in self.known.inputs.items():
            self.inputs.declare(name, declared, f"input {name}")
        self.history, self.counts = History(self.known, self.fields), Counts(self.fields)
        self.parts = Parts(self.fields)
        self.parts.declare(self.inputs)
        self.inputs.axioms += self._taken()
        self.now = self.state("")
        self.begun = self.now.values[BEGUN](None)
        self.first, self.second = (
            Side(program, self.now, self.inputs) for program in (found, self.known)
        )

    def state(self, suffix: str) -> State:
        words = self.inputs.another(suffix)
        for name, declared in self.fields.items():
            words.declare(name, declared)
        words.declare(BEGUN, Field("graph", "mask"))
        for name, declared in self.history.fields.items():
            words.declare(name, declared, met=False)
        self.counts.declare(words)
        self.parts.along(words)
        return words

    def _taken(self) -> list[Expression]:
        """What is true of inputs that the trusted algorithm takes: it refuses others."""
        return [
            self.inputs.values[name](None) < self.theory.count["node"]
            for check, name, *_ in self.algorithm.known_checks
            if check == "below_count"
        ]

    def any_row(self, at: At) -> Expression:
        """Any row of a table."""
        return self.theory.variable(at, "any")

    def is_there(self, at: At, row: Expression) -> Expression:
        """That the graph has a row, which patterns are to meet."""
        return self.theory.there(at) & self.theory.is_met(at, row)

    def always(self, states: Iterable[State], *said: Expression) -> list[Expression]:
        """What is true of any graph, in any states, as far as what is said rests on it."""
        made = self.theory.axioms()
        for state in (self.inputs, *states):
            made += state.resting(said)
        return made

    # ---- what is to be shown

    def result(self) -> Equality:
        """What is proven in time."""
        left = dict[str, Expression]()  # what is not yet shown, in words, and its opposite
        try:
            for name in self.fields:
                if not self._begins_alike(name):
                    return Equality(False, f"'{name}' may begin otherwise")
            left |= self._goals()
            for said, opposite in list(left.items()):
                self.report(said)
                if self._refutes([self.now], opposite, self.theory.in_order()):
                    del left[said]
            if not left and self.bounding is None:
                return self._proven([])
            return self._with_invariant(left)
        except OutOfTimeError:
            return Equality(False, next(iter(left), self._unbounded))

    def _refutes(
        self, states: Iterable[State], opposite: Expression, further: Sequence[Expression] = ()
    ) -> bool:
        """Whether a statement contradicts what is true in any states."""
        always = self.always(states, opposite)
        return Prover(always, self.until, further).refutes(opposite) is not None

    @property
    def _unbounded(self) -> str:
        if self.bounding is None:
            return "there was no time to begin a proof"
        return f"that '{self.bounding}' bounds the number of steps could not be shown"

    @cached_property
    def refusal(self) -> Expression:
        """That one refuses a run in a state, or how it begins, where the other does not."""
        lets = [(*one.lets, *one.becomes) for one in (self.found, self.known)]
        starts = self.first.refuses(self.found.start) != self.second.refuses(self.known.start)
        return starts | (self.first.refuses(lets[0]) != self.second.refuses(lets[1]))

    def _proven(self, tried: Sequence[Invariant]) -> Equality:
        """What is proven where the same steps are, with what was tried last."""
        try:
            same = self._refutes([self.now], self.refusal)
            same = same or (bool(tried) and tried[-1].shows(self.refusal))
        except OutOfTimeError:
            same = False
        needed = [clause for one in tried for clause in one.needed()]
        invariant = tuple(dict.fromkeys(clause.words(self.text) for clause in needed))
        return Equality(same, None if same else REFUSALS, invariant, within_bits=not same)

    def _begins_alike(self, name: str) -> bool:
        at = self.fields[name].at
        me = self.any_row(at)
        ours, theirs = (side.start(name, me) for side in (self.first, self.second))
        return self._refutes([], self.theory.there(at) & (ours != theirs))

    def _goals(self) -> dict[str, Expression]:
        """What could not be shown, in words; and the opposite of what is to be shown."""
        goals = {}
        decided = self.algorithm.declaration.decided
        for name, declared in (self.fields | self.outputs).items():
            me = self.any_row(declared.at)
            differ = self.first.after(name, me) != self.second.after(name, me)
            words = "be decided" if name in decided else "move"
            there = self.is_there(declared.at, me) & self.steps()
            goals[f"'{name}' could not be shown to {words} alike"] = there & differ
        if self.terminates:
            differ = self.first.goes_on() != self.second.goes_on()
            goals["they could not be shown to stop alike"] = self.begun & differ
        outcomes = self.algorithm.declaration.outcomes
        if outcomes:
            ended, bounded = self._ended()
            goals |= bounded
        for name in outcomes:
            ours, theirs = (side.outcome(name) for side in (self.first, self.second))
            said = f"the outcome '{name}' could not be shown to be the same"
            goals[said] = ended & (ours != theirs)
        return goals

    def _ended(self) -> tuple[Expression, dict[str, Expression]]:
        """What is true of a state that a run ends in, and what is to be shown for it.

        A run ends where the rule asks for no other step, or at the limit, as many steps as there
        are nodes. Where a mask grows in every step that the rule asks for, and is true somewhere
        after the first step if the rule asks for another then (``Invariant.shows_bound``), k steps
        leave it true of at least k nodes, as long as the rule asks for more. At the limit it is
        true of all, where it cannot grow: so the rule asks for none.
        """
        # without nodes there is no graph, so that a first step is taken
        is_one_per_node = (self.known.times, self.known.per) == (1, "node")
        grows = self._growing_mask() if self.terminates and is_one_per_node else None
        if grows is None:
            return z3.BoolVal(True), {}
        before, me = self.now.values[grows], self.any_row("node")
        after = partial(self.second.after, grows)
        grown = self.now.some_row("node", lambda it: ~before(it) & after(it))
        self.bounding = grows
        shrinks = self.is_there("node", me) & before(me) & ~after(me)
        goes_on = self.begun & self.second.goes_on()
        ended = self.begun & ~self.second.goes_on()
        return ended, {self._unbounded: goes_on & (shrinks | ~grown)}

    def _growing_mask(self) -> str | None:
        """A mask that grew in every step of the runs that were tried, but the first."""
        for name, one in self.fields.items():
            is_mask = (one.at, one.kind) == ("node", "mask")
            if is_mask and all(_grows(run, name) for run in self.runs):
                return name
        return None

    def steps(self) -> Expression:
        """That a step is taken from here: the first one, or one that the rule asks for."""
        if not self.terminates:
            return z3.BoolVal(True)
        return ~self.begun | self.second.goes_on()

    # ---- invariants

    def _with_invariant(self, left: dict[str, Expression]) -> Equality:
        proposals, tried = self.proposals(), list[Invariant]()
        self.text = proposals.text
        kept: dict[CandidateClause, list[CandidateClause]] = {}  # and by which
        for group in proposals.stacks():
            self.report(f"{len(group)} candidates about a stack")
            kept = Invariant(self, group, [], kept).keep()
        pool, wanted = list[CandidateClause](), set[CandidateClause]()
        near = NearStates(proposals.states, np.random.default_rng(2))
        little = ((candidates, LITTLE_WORK) for candidates in chain([[]], proposals.rounds()))
        for candidates, work in chain(little, [([], 5 * LITTLE_WORK)]):
            pool = list(dict.fromkeys([*pool, *candidates]))
            pool = near.kept(sorted(pool, key=lambda clause: (clause not in wanted, price(clause))))
            self.report(f"{len(pool)} candidates for an invariant")
            dropped, asked = set[CandidateClause](), list(left)
            while asked or not left:
                some = near.telling([clause for clause in pool if clause not in dropped])
                if left and not some and not kept:
                    break  # nothing has been asked with more
                goals = [*left.values(), self.refusal]
                invariant = Invariant(self, some[:MOST_CLAUSES], goals, kept, work)
                tried.append(invariant)
                again = []
                for said in asked:
                    if invariant.shows(left[said]):
                        del left[said]
                    elif invariant.dropped:  # what these implied has not been tried
                        again.append(said)
                if not left and invariant.shows_bound():
                    return self._proven(tried)
                dropped |= invariant.dropped
                wanted |= invariant.wanted
                is_more_known = invariant.needed().keys() - kept.keys()
                kept |= invariant.needed()
                asked = list(left) if is_more_known else again
                if not left:
                    break
        return Equality(False, next(iter(left), self._unbounded))

    def proposals(self) -> Proposals:
        """Candidates for an invariant."""
        return Proposals(self)

    @cached_property
    def runs(self) -> list[Run]:
        """Runs that candidates are held against."""
        made = runs_of(self.algorithm, np.random.default_rng(0)).many(RUNS, SIZES)
        return list(in_time(made, self.until))


def _grows(run: Run, name: str) -> bool:
    """Whether a mask of nodes grows in every step but the first."""
    for step in range(1, int(run.lengths.max())):
        before, after = run.state(name)[step], run.state(name)[step + 1]
        grown = run.graph.any_per_graph(after & ~before, "node")
        if (before & ~after).any() or not grown[run.lengths > step].all():
            return False
    return True


def runs_of(algorithm: Algorithm, rng: np.random.Generator) -> RandomRuns[Run]:
    """Runs of an algorithm on random graphs, as arrays of NumPy."""

    def run(graph: Graph, inputs: Values) -> Run:
        return run_algorithm(algorithm, graph, inputs, kernel="tensor").to(NUMPY)

    inputs = algorithm.declaration.inputs
    return RandomRuns(inputs, DIRECTIONS[algorithm.graphs], algorithm.sample, run, rng)
