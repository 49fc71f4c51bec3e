"""What a concept means to a network with a memory: the smallest statement that fits its samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from operator import itemgetter

import numpy as np
import torch

from algolens.execution import Run
from algolens.extraction.cases import seen_in_states
from algolens.extraction.meaning import Misfit, SampledMeaning
from algolens.extraction.statements import Statements, denied, quantified, worded
from algolens.fields import Category, Field, Location, Mask, Number, Pointer
from algolens.logic import Formula, factored
from algolens.logic.formula import conjunction
from algolens.looks import (
    RELATIONS,
    Comparison,
    Look,
    Order,
    Quantified,
    Quantity,
    Relation,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.language import atoms

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
    look = declaration.seen
    if look is None or not run.has_concepts:
        return []
    run = run.take(range(min(MOST_GRAPHS, run.graph.num_graphs))).to("cpu")
    return [
        _meaning(statement, look, run)
        for statement in look.statements
        if statement.name in declaration.concepts
    ]


def _meaning(declared: Statement, look: Look, run: Run) -> SampledMeaning:
    fits = [
        fit
        for vocabulary in _vocabularies(declared, look)
        for fit in _fits(_Samples.of(vocabulary, look, run))
    ]
    best = min(fits, key=lambda fit: fit.cost)
    perceived = Statement(declared.name, declared.location, best.formula, declared.scope)
    total = int(best.samples.perceived.sum())
    return SampledMeaning(
        name=declared.name,
        at=declared.location.value,
        declared=declared.formula,
        found=best.formula,
        samples=total,
        fidelity=1 - int(best.wrong.sum()) / total,
        equal=perceived.equivalent(declared),
        misfits=tuple(_misfits(best)),
    )


# ---- what a statement may speak of


def _vocabularies(declared: Statement, look: Look) -> Iterator[Statement]:
    """For each relation that the look goes by, a statement that speaks of all fields there."""
    location = declared.location
    relations = [
        statement.relation
        for statement in (declared, *look.statements)
        if statement.relation is not None and statement.relation.own is location
    ]
    if not relations:
        relations = [
            relation
            for relation in RELATIONS
            if relation.words[0] == "neighbour" and relation.own is location
        ][:1]
    known = declared.scope.fields
    fields = {name: known[name] for name in look.fields if name in known}
    if not relations:
        yield _vocabulary(declared, None, fields)
    for relation in dict.fromkeys(relations):
        yield _vocabulary(declared, relation, fields)


def _vocabulary(
    declared: Statement, relation: Relation | None, fields: Mapping[str, Field]
) -> Statement:
    parts = _own_atoms(fields, declared.location)
    parts += [atom for atom in atoms(declared.formula) if not isinstance(atom, Quantified)]
    parts = list(dict.fromkeys(parts))
    if relation is not None:
        others, most = _other_atoms(fields, declared.location, relation), 1
        if relation == declared.relation:
            said = [atom for part in declared.quantifiers for atom in atoms(part.body)]
            others, most = said + others, max(declared.most, 1)
        body = conjunction(*_few(list(dict.fromkeys(others)), declared.scope.fields))
        parts.append(Quantified(Quantity.AT_LEAST, relation, body, most))
    return Statement(declared.name, declared.location, conjunction(*parts), declared.scope)


def _few(others: list[Formula], fields: Mapping[str, Field]) -> list[Formula]:
    """As many of the atoms, the first first, as leave the kinds of others countable."""

    def size(atom: Formula) -> int:
        if not isinstance(atom, Test):
            return 3
        field = fields.get(atom.term.path[-1])
        return 2 if field is None else max(len(field.kind.labels), 2)

    while prod(map(size, others)) > MOST_KINDS:
        others = others[:-1]
    return others


def _own_atoms(fields: Mapping[str, Field], location: Location) -> list[Formula]:
    """A statement about each field of the element itself."""
    numbers = [
        (Term(Whose.MY, (name,)),)
        for name, field in fields.items()
        if field.location is location and isinstance(field.kind, Number)
    ]
    pairs = [Comparison(one, Order.LOWER, other) for one, other in combinations(numbers, 2)]
    return [*_tests(fields, location, Whose.MY), *pairs]


def _other_atoms(fields: Mapping[str, Field], own: Location, relation: Relation) -> list[Formula]:
    """A statement about each field of one in view; numbers and pointers beside one's own."""
    others = _tests(fields, relation.others, Whose.ITS)
    for name, field in fields.items():
        is_comparable = own is relation.others is field.location
        if is_comparable and isinstance(field.kind, Number | Pointer):
            order = Order.LOWER if field.kind.is_number else Order.EQUAL
            its, mine = Term(Whose.ITS, (name,)), Term(Whose.MY, (name,))
            others.append(Comparison((its,), order, (mine,)))
    return others


def _tests(fields: Mapping[str, Field], location: Location, whose: Whose) -> list[Formula]:
    """A statement about each mask and each category there."""
    return [
        Test(Term(whose, (name,)), None if field.kind.is_truth_value else field.kind.labels[0])
        for name, field in fields.items()
        if field.location is location and isinstance(field.kind, Mask | Category)
    ]


# ---- what was perceived


@dataclass(frozen=True, eq=False)
class _Samples:
    """Distinct situations, and how often each was perceived true and false."""

    vocabulary: Statement  # that tells them apart
    own: np.ndarray  # [M] own classes
    counts: np.ndarray  # [M, kinds] how many of each are in view
    perceived: np.ndarray  # [M, 2] times false, and true

    @classmethod
    def of(cls, vocabulary: Statement, look: Look, run: Run) -> _Samples:
        """All elements at all steps that their graphs took."""
        concept, owner = (
            vocabulary.name,
            run.graph.owner(vocabulary.location),
        )
        rows, answers = [], []
        states = seen_in_states(look, run, [vocabulary])
        for step, [(own, looks, kinds)] in zip(range(run.num_steps), states, strict=False):
            counts = np.zeros((len(own), vocabulary.num_kinds), np.int64)
            np.add.at(counts, (looks, kinds), 1)
            alive = run.is_alive[step][owner].numpy()
            rows.append(np.column_stack([own, np.minimum(counts, vocabulary.most)])[alive])
            answers.append(run[concept][step].numpy()[alive])
        seen, which = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
        perceived = np.bincount(
            which.reshape(-1) * 2 + np.concatenate(answers), minlength=2 * len(seen)
        )
        return cls(vocabulary, seen[:, 0], seen[:, 1:], perceived.reshape(-1, 2))

    def keys(self, columns: Sequence[np.ndarray]) -> np.ndarray:
        """[M] the own class and these columns as one number."""
        key = self.own
        for column in columns:
            key = key * 2 + column
        return key

    def votes(self, keys: np.ndarray) -> np.ndarray:
        """[2, keys] how often false and true was perceived."""
        return np.stack([np.bincount(keys, weights=side) for side in self.perceived.T])


# ---- the statement that fits


@dataclass(frozen=True, eq=False)
class _Quantified:
    """A quantified statement, in which situations it holds, and its literals."""

    formula: Formula
    holds: np.ndarray  # [M] bools
    literals: int


@dataclass(frozen=True, eq=False)
class _Fit:
    """A statement, what it costs, and where it fails."""

    formula: Formula
    cost: float
    samples: _Samples
    says: np.ndarray  # [M] bools
    wrong: np.ndarray  # [M] at how many samples of each situation it fails


def _fits(samples: _Samples) -> Iterator[_Fit]:
    """Statements that cost little: a sample at which one fails costs 1, a literal a price."""
    price = max(FEWEST_SAMPLES, SHARE_OF_SAMPLES * int(samples.perceived.sum()))

    def cost(chosen: Sequence[_Quantified]) -> float:
        """What a statement of these costs at least."""
        votes = samples.votes(samples.keys([said.holds for said in chosen]))
        return float(votes.min(0).sum()) + price * sum(said.literals for said in chosen)

    single = [(cost([said]), (said,)) for said in _about_others(samples)]
    best = [said for _, (said,) in sorted(single, key=itemgetter(0))[:MOST_PAIRED]]
    paired = [(cost(both), both) for both in combinations(best, 2)]
    for _, chosen in sorted([(cost([]), ()), *single, *paired], key=itemgetter(0))[:MOST_WORDED]:
        yield _fitted(samples, chosen, price)


def _about_others(samples: _Samples) -> Iterator[_Quantified]:
    """All statements about some in view, by up to three literals; of equal ones the first."""
    vocabulary = samples.vocabulary
    if vocabulary.relation is None:
        return
    other = Statements.of(vocabulary.other)
    known: set[bytes] = set()
    for places, signs in _combinations(len(other.atoms)):
        kinds = (other.holds[:, places] == signs).all(1)
        body = conjunction(
            *(
                other.atoms[place] if sign else denied(other.atoms[place])
                for place, sign in zip(places, signs, strict=True)
            )
        )
        met = samples.counts @ kinds
        for least in range(1, vocabulary.most + 1):
            holds = met >= least
            if holds.all() or not holds.any() or known & {holds.tobytes(), (~holds).tobytes()}:
                continue
            known.add(holds.tobytes())
            formula = quantified(vocabulary.relation, body, least)
            yield _Quantified(formula, holds, max(len(places), 1))


def _combinations(num_atoms: int) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Up to three atoms, each said or denied: few first, and of as many those that deny least."""
    for count in range(MOST_LITERALS + 1):
        every = product((True, False), repeat=count)
        for signs in sorted(every, key=lambda signs: signs.count(False)):
            yield from ((places, signs) for places in combinations(range(num_atoms), count))


def _fitted(samples: _Samples, chosen: Sequence[_Quantified], price: float) -> _Fit:
    """The smallest statement of the own class and these that says what most samples say."""
    columns = [part.holds for part in chosen]
    keys = samples.keys(columns)
    distinct, first = np.unique(keys, return_index=True)
    votes = samples.votes(keys)[:, distinct]
    statements = Statements.of(samples.vocabulary.own).at(samples.own)
    if chosen:
        more = Statements(tuple(part.formula for part in chosen), np.stack(columns, 1))
        statements = statements.beside(more)
    said = worded(statements.at(first), votes[1] > votes[0])
    says = statements.evaluate(said.formula)
    wrong = np.where(says, *samples.perceived.T)
    used = set(atoms(said.formula))
    literals = said.size[1] + sum(part.literals for part in chosen if part.formula in used)
    cost = float(wrong.sum()) + price * literals + 0.01 * price * said.size[2]
    return _Fit(factored(said.formula), cost, samples, says, wrong)


def _misfits(fit: _Fit) -> Iterator[Misfit]:
    samples, vocabulary = fit.samples, fit.samples.vocabulary
    worst = np.argsort(-fit.wrong, kind="stable")[:MOST_SHOWN]
    for place in worst[fit.wrong[worst] > 0]:
        around = ""
        if vocabulary.relation is not None:
            kinds = np.flatnonzero(samples.counts[place]).tolist()
            seen = "; ".join(map(vocabulary.kind_words, kinds))
            around = f" with {f'in view: {seen}' if seen else 'nobody in view'}"
        own = vocabulary.own_words(int(samples.own[place]))
        where = f"a {vocabulary.location.value} ({own}){around}"
        yield Misfit(where, not bool(fit.says[place]), int(fit.wrong[place]))
