"""What a concept means to a network with a memory, from samples: the smallest statement that fits
what it perceived.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import prod
from typing import Any

import numpy as np
import torch

from algolens.execution import Run
from algolens.extraction.wording import Statements, Worded, worded
from algolens.fields import Field, Location, numbers_in
from algolens.logic import Formula, factored
from algolens.logic.formula import Not, conjunction
from algolens.looks import (
    RELATIONS,
    Comparison,
    Observation,
    Order,
    Quantified,
    Quantity,
    Relation,
    Statement,
    Term,
    Test,
    Whose,
    statement_text,
)
from algolens.looks.language import atoms
from algolens.programs.comparing import always_alike

MOST_GRAPHS = 100  # whose runs are gone through
MOST_LITERALS = 3  # of a statement about one in view
MOST_KINDS = 4_096  # of others, beyond which fields are left out
MOST_WORDED = 24  # choices of quantified statements that are put into words
MOST_PAIRED = 24  # quantified statements that are tried two by two
# a literal must explain more samples than both of these: mistakes fewer than that never make a
# statement longer
FEWEST_SAMPLES, SHARE_OF_SAMPLES = 3, 1 / 500
MOST_SHOWN = 3


@dataclass(frozen=True)
class Misfit:
    """A situation in which a network perceived otherwise than the statement found says."""

    situation: str
    perceived: bool
    times: int

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {"situation": self.situation, "perceived": self.perceived, "times": self.times}


@dataclass(frozen=True)
class SampledMeaning:
    """What a concept was found to be on samples, beside what is declared."""

    name: str
    at: str
    declared: Formula
    found: Formula
    samples: int  # elements and steps
    fidelity: float  # share of them at which it says what the network perceived
    # what was found and what is declared are the same in every case; of the network, samples alone
    # are known
    equal: bool
    misfits: tuple[Misfit, ...]  # where it fails, the most frequent first

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON."""
        return {
            "name": self.name,
            "at": self.at,
            "declared": statement_text(self.declared),
            "found": statement_text(self.found),
            "on": "samples",
            "samples": self.samples,
            "fidelity": self.fidelity,
            "found_is_as_declared": self.equal,
            "fails": [each.to_json() for each in self.misfits],
        }


@torch.no_grad()
def sampled_meanings(run: Run) -> list[SampledMeaning]:
    """What every concept means to the network that made a run; none where the algorithm sees in
    Python.
    """
    declaration = run.algorithm.declaration
    if declaration.seen is None or not run.has_concepts:
        return []
    run = run.take(range(min(MOST_GRAPHS, run.graph.num_graphs))).to("cpu")
    readings = [
        each for each in declaration.seen.readings if each.observation.name in declaration.concepts
    ]
    return [_meaning(reading, run) for reading in readings]


def _meaning(declared: Statement, run: Run) -> SampledMeaning:
    name, location = declared.observation.name, declared.observation.location
    choices = [_best(vocabulary, run, name) for vocabulary in _vocabularies(declared, run)]
    best = min(choices, key=lambda each: each.cost)
    found = Statement(Observation(name, location, best.formula), declared.scope)
    return SampledMeaning(
        name=name,
        at=location.value,
        declared=declared.observation.formula,
        found=best.formula,
        samples=best.samples,
        fidelity=1 - best.errors / best.samples,
        equal=always_alike(found, declared),
        misfits=best.misfits,
    )


# ---- what a statement may speak of


def _vocabularies(declared: Statement, run: Run) -> Iterator[Statement]:
    """For each relation that the look goes by, a reading that speaks of all fields there; where
    none is, of the element.
    """
    look = run.algorithm.declaration.seen
    assert look is not None
    location = declared.observation.location
    relations = dict.fromkeys(
        each.relation
        for each in (declared, *look.readings)
        if each.relation is not None and each.relation.own is location
    )
    fields = {
        name: declared.scope.fields[name] for name in look.fields if name in declared.scope.fields
    }
    if not relations:
        neighbour = next(
            (each() for each in RELATIONS if each.words[0] == "neighbour" and each.own is location),
            None,
        )
        relations = {} if neighbour is None else {neighbour: None}
    if not relations:
        yield _vocabulary(declared, None, fields)
    for relation in relations:
        yield _vocabulary(declared, relation, fields)


def _vocabulary(
    declared: Statement, relation: Relation | None, fields: dict[str, Field]
) -> Statement:
    location = declared.observation.location
    own, other = (
        _own_atoms(fields, location),
        [] if relation is None else _other_atoms(fields, location, relation),
    )
    own += [
        atom for atom in atoms(declared.observation.formula) if not isinstance(atom, Quantified)
    ]
    if relation is not None and relation == declared.relation:
        other = [atom for each in declared.quantifiers for atom in atoms(each.body)] + other
    parts = list(dict.fromkeys(own))
    if relation is not None:
        other = _few(list(dict.fromkeys(other)), declared)
        most = max(declared.most if relation == declared.relation else 1, 1)
        parts.append(Quantified(Quantity.AT_LEAST, relation, conjunction(*other), most))
    return Statement(
        Observation(declared.observation.name, location, conjunction(*parts)), declared.scope
    )


def _few(found: list[Formula], declared: Statement) -> list[Formula]:
    """As many of the atoms, the first first, as leave the kinds of others countable."""

    def size(atom: Formula) -> int:
        if isinstance(atom, Test):
            kind = (
                declared.scope.fields[atom.term.path[-1]].kind
                if atom.term.path[-1] in declared.scope.fields
                else None
            )
            return max(len(kind.labels), 2) if kind is not None else 2
        return 3

    while prod(map(size, found)) > MOST_KINDS:
        found = found[:-1]
    return found


def _own_atoms(fields: dict[str, Field], location: Location) -> list[Formula]:
    """A statement about each field of the element itself."""
    here = {name: field for name, field in fields.items() if field.location is location}
    found = [_test(Whose.MY, name, field) for name, field in here.items() if field.kind.labels]
    numbers = list(numbers_in(here))
    for one, other in combinations(numbers, 2):
        found.append(
            Comparison((Term(Whose.MY, (one,)),), Order.LOWER, (Term(Whose.MY, (other,)),))
        )
    return found


def _other_atoms(fields: dict[str, Field], own: Location, relation: Relation) -> list[Formula]:
    """A statement about each field of one in view; numbers and pointers are held against those of
    the same name.
    """
    there = {name: field for name, field in fields.items() if field.location is relation.others}
    found = [_test(Whose.ITS, name, field) for name, field in there.items() if field.kind.labels]
    for name, field in there.items():
        if not field.kind.labels and own is relation.others:
            order = Order.LOWER if field.kind.is_number else Order.EQUAL
            found.append(Comparison((Term(Whose.ITS, (name,)),), order, (Term(Whose.MY, (name,)),)))
    return found


def _test(whose: Whose, name: str, field: Field) -> Formula:
    return Test(Term(whose, (name,)), None if field.kind.is_truth_value else field.kind.labels[0])


# ---- what was perceived


@dataclass(frozen=True, eq=False)
class _Samples:
    """Distinct situations: an own class and how many of each kind are in view; how often each was
    perceived true and false.
    """

    own: np.ndarray  # [M]
    counts: np.ndarray  # [M, kinds]
    perceived: np.ndarray  # [M, 2] times false, and true


def _samples(vocabulary: Statement, run: Run, name: str) -> _Samples:
    """All elements at all steps that their graphs took."""
    look = run.algorithm.declaration.seen
    assert look is not None
    on_graph = look.on(run.graph)
    plan = on_graph.observer.plan(vocabulary)
    location = vocabulary.observation.location
    rows, answers = [], []
    states = {each: run.state(each) for each in run.start}
    for step in range(run.num_steps):
        batch = on_graph.batch(run.inputs, {each: value[step] for each, value in states.items()})
        on_graph.observer.see(batch)
        row = plan.own_class(batch).long().numpy()[:, None]
        if vocabulary.relation is not None:
            looks, kinds = plan.pairs(batch)
            counts = np.zeros((len(row), vocabulary.num_kinds), np.int64)
            np.add.at(counts, (looks.numpy(), kinds.numpy()), 1)
            row = np.concatenate([row, np.minimum(counts, vocabulary.most)], 1)
        alive = run.is_alive[step][run.graph.owner(location)].numpy()
        rows.append(row[alive])
        answers.append(run[name][step].numpy()[alive])
    seen, which = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    perceived = np.bincount(
        which.reshape(-1) * 2 + np.concatenate(answers), minlength=2 * len(seen)
    ).reshape(-1, 2)
    return _Samples(seen[:, 0], seen[:, 1:], perceived)


# ---- the statement that fits


@dataclass(frozen=True, eq=False)
class _Fit:
    formula: Formula
    errors: int
    samples: int
    cost: float
    misfits: tuple[Misfit, ...]


def _best(vocabulary: Statement, run: Run, name: str) -> _Fit:
    """The cheapest statement: a sample at which it fails costs 1, a literal a price."""
    samples = _samples(vocabulary, run, name)
    total = int(samples.perceived.sum())
    price = max(FEWEST_SAMPLES, SHARE_OF_SAMPLES * total)
    quantified = list(_quantified(vocabulary, samples))
    ranked = sorted(_choices(samples, quantified, price), key=lambda each: each[0])[:MOST_WORDED]
    fits = [
        _fitted(vocabulary, samples, [quantified[place] for place in chosen], price)
        for _, chosen in ranked
    ]
    return min(fits, key=lambda each: each.cost)


@dataclass(frozen=True, eq=False)
class _Said:
    """A quantified statement, in which situations it holds, and its literals."""

    formula: Formula
    holds: np.ndarray  # [M] bools
    literals: int


def _quantified(vocabulary: Statement, samples: _Samples) -> Iterator[_Said]:
    """All statements about some one in view, by up to three literals; those that hold in the same
    situations once.
    """
    if vocabulary.relation is None:
        return
    other = Statements.of(vocabulary.other)
    known: set[bytes] = set()
    for places, signs in _combinations(len(other.atoms)):
        kinds = np.ones(len(other.holds), bool)
        for place, sign in zip(places, signs, strict=True):
            kinds &= other.holds[:, place] == sign
        body = conjunction(
            *(_signed(other.atoms[place], sign) for place, sign in zip(places, signs, strict=True))
        )
        met = samples.counts @ kinds
        for least in range(1, vocabulary.most + 1):
            holds = met >= least
            if (
                holds.tobytes() in known
                or (~holds).tobytes() in known
                or holds.all()
                or not holds.any()
            ):
                continue
            known.add(holds.tobytes())
            quantity = Quantity.SOME if least == 1 else Quantity.AT_LEAST
            yield _Said(
                Quantified(quantity, vocabulary.relation, body, least), holds, max(len(places), 1)
            )


def _combinations(num_atoms: int) -> Iterator[tuple[tuple[int, ...], tuple[bool, ...]]]:
    """Up to three statements, each said or denied: few first, and of as many those that deny
    least.
    """
    for count in range(MOST_LITERALS + 1):
        for signs in sorted(
            product((True, False), repeat=count), key=lambda each: each.count(False)
        ):
            yield from ((places, signs) for places in combinations(range(num_atoms), count))


def _signed(atom: Formula, sign: bool) -> Formula:
    if sign:
        return atom
    return (
        Comparison(atom.left, atom.order.opposite, atom.right)
        if isinstance(atom, Comparison)
        else Not(atom)
    )


def _choices(
    samples: _Samples, quantified: Sequence[_Said], price: float
) -> Iterator[tuple[float, tuple[int, ...]]]:
    """None, one or two quantified statements, and what they cost at least."""
    yield _errors(samples, []), ()
    alone = []
    for place, said in enumerate(quantified):
        cost = _errors(samples, [said.holds]) + price * said.literals
        alone.append((cost, place))
        yield cost, (place,)
    for (_, one), (_, other) in combinations(sorted(alone)[:MOST_PAIRED], 2):
        both = quantified[one], quantified[other]
        yield (
            _errors(samples, [each.holds for each in both])
            + price * sum(each.literals for each in both),
            (one, other),
        )


def _keys(samples: _Samples, columns: Sequence[np.ndarray]) -> np.ndarray:
    key = samples.own
    for column in columns:
        key = key * 2 + column
    return key


def _errors(samples: _Samples, columns: Sequence[np.ndarray]) -> float:
    """Samples at which no statement about the own class and these columns can say what was
    perceived.
    """
    key = _keys(samples, columns)
    votes = np.stack([np.bincount(key, weights=samples.perceived[:, side]) for side in (0, 1)])
    return float(votes.min(0).sum())


def _fitted(
    vocabulary: Statement, samples: _Samples, chosen: Sequence[_Said], price: float
) -> _Fit:
    """The smallest statement over the own class and some quantified statements, as most samples of
    each combination say.
    """
    own = Statements.of(vocabulary.own).at(samples.own)
    columns = [each.holds for each in chosen]
    key, which = np.unique(_keys(samples, columns), return_inverse=True)
    votes = np.stack([np.bincount(which, weights=samples.perceived[:, side]) for side in (0, 1)])
    first = np.array([np.flatnonzero(which == place)[0] for place in range(len(key))])
    statements = own
    if chosen:
        statements = own.beside(
            Statements(tuple(each.formula for each in chosen), np.stack(columns, 1))
        )
    found: Worded = worded(statements.at(first), votes[1] > votes[0])
    says = statements.evaluate(found.formula)
    wrong = np.where(says, samples.perceived[:, 0], samples.perceived[:, 1])
    used = [each for each in chosen if each.formula in _quantifiers(found.formula)]
    literals = found.size[1] + sum(each.literals for each in used)
    return _Fit(
        formula=factored(found.formula),
        errors=int(wrong.sum()),
        samples=int(samples.perceived.sum()),
        cost=float(wrong.sum()) + price * literals + 0.01 * price * found.size[2],
        misfits=tuple(_misfits(vocabulary, samples, says, wrong)),
    )


def _quantifiers(formula: Formula) -> list[Formula]:
    return [atom for atom in atoms(formula) if isinstance(atom, Quantified)]


def _misfits(
    vocabulary: Statement, samples: _Samples, says: np.ndarray, wrong: np.ndarray
) -> Iterator[Misfit]:
    for place in np.argsort(-wrong, kind="stable")[:MOST_SHOWN]:
        if not wrong[place]:
            return
        around = ""
        if vocabulary.relation is not None:
            kinds = np.flatnonzero(samples.counts[place])
            seen = "; ".join(vocabulary.kind_words(int(kind)) for kind in kinds)
            around = f" with {f'in view: {seen}' if seen else 'nobody in view'}"
        where = (
            f"a {vocabulary.observation.location.value} "
            f"({vocabulary.own_words(int(samples.own[place]))}){around}"
        )
        yield Misfit(where, not bool(says[place]), int(wrong[place]))
