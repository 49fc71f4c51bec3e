"""What a concept means to a network with a memory: the smallest statement that fits its samples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from operator import itemgetter

import numpy as np
import torch
from numpy import ndarray

from algolens.algorithms import Declaration
from algolens.arrays import NUMPY
from algolens.engines import Run
from algolens.extraction.meaning import Misfit, SampledMeaning
from algolens.extraction.statements import Statements, quantified, seen_in_states, worded
from algolens.language.finite import Statement
from algolens.language.ir import (
    IT,
    ME,
    At,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Let,
    Not,
    Op,
    Quantified,
    atoms,
    conjunction,
)
from algolens.language.parse import Parser, parse
from algolens.language.text import table_of

MOST_GRAPHS = 100  # whose runs are gone through
MOST_LITERALS = 3  # of a statement about one in view
MOST_KINDS = 4_096  # of others, beyond which fields are left out
MOST_WORDED = 24  # choices of quantified statements that are put into words
MOST_PAIRED = 24  # quantified statements that are tried two by two
# a literal must explain more samples than both of these: mistakes fewer than that never make a
# statement longer
FEWEST_SAMPLES, SHARE_OF_SAMPLES = 3, 1 / 500
MOST_SHOWN = 3


@torch.no_grad()
def sampled_meanings(run: Run) -> list[SampledMeaning]:
    """What every concept means to the network that made a run.

    Parameters
    ----------
    run
        Of a network with a memory.

    Returns
    -------
    list of SampledMeaning
        None at all where the algorithm sees in Python, or the network has no concepts.
    """
    declaration = run.algorithm.declaration
    if declaration.in_python or not run.has_concepts:
        return []
    run = run.take(range(min(MOST_GRAPHS, run.graph.num_graphs))).to(NUMPY)
    names = [name for name in declaration.statements if name in declaration.concepts]
    return [_meaning(name, declaration, run) for name in names]


def _meaning(name: str, declaration: Declaration, run: Run) -> SampledMeaning:
    declared = declaration.statements[name]
    fits = [
        fit
        for vocabulary in _vocabularies(declared, declaration)
        for fit in _fits(_Samples.of(vocabulary, run))
    ]
    best = min(fits, key=lambda fit: fit.cost)
    perceived = Statement(Let(name, declared.at, best.value), declared.columns)
    total = int(best.samples.perceived.sum())
    return SampledMeaning(
        name=name,
        at=declared.at,
        declared=declared.text,
        found=best.value,
        in_words=perceived.text,
        samples=total,
        fidelity=1 - int(best.wrong.sum()) / total,
        equal=perceived.equivalent(declared),
        misfits=tuple(_misfits(best)),
    )


# ---- what a statement may speak of


def _vocabularies(declared: Statement, declaration: Declaration) -> Iterator[Statement]:
    """For each relation that is looked at from there, a statement that speaks of all fields."""
    every = (declared, *declaration.statements.values())
    views = {each.view: None for each in every if each.view is not None and each.at == declared.at}
    if not views and declared.at == "node":
        neighbours = parse(Parser.statement, "some neighbour", "node", {})
        assert isinstance(neighbours, Quantified)
        views = {neighbours.view: None}
    program, at, known = declaration.program, declared.at, declared.columns
    given = [name for name, field in declaration.inputs.items() if not field.start_only]
    fields = [(name, (program.inputs | program.state)[name]) for name in (*given, *program.state)]
    numbers = [Get(name, at) for name, field in fields if (field.at, field.kind) == (at, "number")]
    own = [
        *_classes(fields, at, ME),
        *(Compare((one,), "<", (other,)) for one, other in combinations(numbers, 2)),
        *(atom for atom in atoms(declared.value) if not isinstance(atom, Quantified)),
    ]
    if not views:
        yield Statement(Let(declared.name, at, conjunction(*own)), known)
    for view in views:
        its, most = table_of(view), 1
        others = _classes(fields, its, IT)
        for name, field in fields if at == its else ():  # beside one's own
            if field.at == at and field.kind in ("number", "pointer"):
                op: Op = "<" if field.kind == "number" else "="
                others.append(Compare((Get(name, at, IT),), op, (Get(name, at),)))
        if view == declared.view:
            said = [atom for part in declared.quantifiers for atom in atoms(part.body)]
            others, most = said + others, declared.most
        while True:  # as many of the atoms, the first first, as leave neighbour classes countable
            about_others = Quantified("at least", view, conjunction(*others), most)
            value = conjunction(*own, about_others)
            vocabulary = Statement(Let(declared.name, at, value), known)
            if vocabulary.num_neighbours <= MOST_KINDS:
                break
            others = others[:-1]
        yield vocabulary


def _classes(fields: Sequence[tuple[str, Field]], at: At, of: Expr) -> list[Expr]:
    """A statement about each mask and each category of an element."""
    found: list[Expr] = []
    for name, field in fields:
        if field.at == at and field.kind in ("mask", "category"):
            value = Get(name, at, of)
            found.append(value if field.kind == "mask" else Compare((value,), "=", (Const(0),)))
    return found


# ---- what was perceived


@dataclass(frozen=True, eq=False)
class _Samples:
    """Distinct situations, and how often each was perceived true and false."""

    vocabulary: Statement  # that tells them apart
    own: ndarray  # [M] own classes
    counts: ndarray  # [M, neighbour classes] how many of each are in view
    perceived: ndarray  # [M, 2] times false, and true

    @classmethod
    def of(cls, vocabulary: Statement, run: Run) -> _Samples:
        """All elements at all steps that their graphs took."""
        concept, owner = vocabulary.name, run.graph.owner(vocabulary.at)
        rows, answers = [], []
        states = seen_in_states(run, [vocabulary])
        for step, [(own, looks, neighbours)] in zip(range(run.num_steps), states, strict=False):
            counts = np.zeros((len(own), vocabulary.num_neighbours), np.int64)
            np.add.at(counts, (looks, neighbours), 1)
            alive = run.is_alive[step][owner]
            rows.append(np.column_stack([own, np.minimum(counts, vocabulary.most)])[alive])
            answers.append(run[concept][step][alive])
        seen, which = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
        perceived = np.bincount(
            which.reshape(-1) * 2 + np.concatenate(answers), minlength=2 * len(seen)
        )
        return cls(vocabulary, seen[:, 0], seen[:, 1:], perceived.reshape(-1, 2))

    def votes(self, about_others: Sequence[_Quantified]) -> tuple[ndarray, ndarray]:
        """[M] the own class and what holds of others as one number, and [keys, 2] perceived so."""
        key = self.own
        for part in about_others:
            key = key * 2 + part.holds
        _, key = np.unique(key, return_inverse=True)
        votes = np.zeros((key.max() + 1, 2))
        np.add.at(votes, key, self.perceived)
        return key, votes


# ---- the statement that fits


@dataclass(frozen=True, eq=False)
class _Quantified:
    """A quantified statement, in which situations it holds, and its literals."""

    value: Quantified
    holds: ndarray  # [M] bools
    literals: int


@dataclass(frozen=True, eq=False)
class _Fit:
    """A statement, what it costs, and where it fails."""

    value: Expr
    cost: float
    samples: _Samples
    says: ndarray  # [M] bools
    wrong: ndarray  # [M] at how many samples of each situation it fails


def _fits(samples: _Samples) -> Iterator[_Fit]:
    """Statements that cost little: a sample at which one fails costs 1, a literal a price."""
    price = max(FEWEST_SAMPLES, SHARE_OF_SAMPLES * int(samples.perceived.sum()))

    def cost(chosen: Sequence[_Quantified]) -> float:
        """What a statement of these costs at least."""
        votes = samples.votes(chosen)[1]
        return float(votes.min(1).sum()) + price * sum(said.literals for said in chosen)

    single = [(cost([said]), (said,)) for said in _about_others(samples)]
    best = [said for _, (said,) in sorted(single, key=itemgetter(0))[:MOST_PAIRED]]
    paired = [(cost(both), both) for both in combinations(best, 2)]
    for _, chosen in sorted([(cost([]), ()), *single, *paired], key=itemgetter(0))[:MOST_WORDED]:
        yield _fitted(samples, chosen, price)


def _about_others(samples: _Samples) -> Iterator[_Quantified]:
    """All statements about some in view, by up to three literals; of equal ones the first."""
    vocabulary = samples.vocabulary
    if vocabulary.view is None:
        return
    other = Statements.of(vocabulary.others)
    known: set[bytes] = set()
    for places, signs in _combinations(len(other.said)):
        those = (other.holds[:, places] == signs).all(1)
        literals = [other.said[place][not sign] for place, sign in zip(places, signs, strict=True)]
        met = samples.counts @ those
        for least in range(1, vocabulary.most + 1):
            holds = met >= least
            if holds.all() or not holds.any() or known & {holds.tobytes(), (~holds).tobytes()}:
                continue
            known.add(holds.tobytes())
            said = quantified(vocabulary.view, conjunction(*literals), least)
            yield _Quantified(said, holds, max(len(places), 1))


def _combinations(num_atoms: int) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Up to three atoms, each said or denied: few first, and of as many those that deny least."""
    for count in range(MOST_LITERALS + 1):
        every = product((True, False), repeat=count)
        for signs in sorted(every, key=lambda signs: signs.count(False)):
            yield from ((places, signs) for places in combinations(range(num_atoms), count))


def _fitted(samples: _Samples, chosen: Sequence[_Quantified], price: float) -> _Fit:
    """The smallest statement of the own class and these that says what most samples say."""
    key, votes = samples.votes(chosen)
    statements = Statements.of(samples.vocabulary.own).at(samples.own)
    for part in chosen:
        statements = statements.beside([(part.value, Not(part.value))], part.holds[:, None])
    is_true = votes[:, 1] > votes[:, 0]
    said = worded(statements.at(np.unique(key, return_index=True)[1]), is_true)
    says = is_true[key]
    wrong = np.where(says, *samples.perceived.T)
    used = set(atoms(said.value))
    literals = said.size[1] + sum(part.literals for part in chosen if part.value in used)
    cost = float(wrong.sum()) + price * literals + 0.01 * price * said.size[2]
    return _Fit(said.value, cost, samples, says, wrong)


def _misfits(fit: _Fit) -> Iterator[Misfit]:
    samples, vocabulary = fit.samples, fit.samples.vocabulary
    worst = np.argsort(-fit.wrong, kind="stable")[:MOST_SHOWN]
    for place in worst[fit.wrong[worst] > 0]:
        around = np.flatnonzero(samples.counts[place]).tolist()
        where = vocabulary.case_words(int(samples.own[place]), around)
        yield Misfit(where, not bool(fit.says[place]), int(fit.wrong[place]))
