"""From what was settled to a declaration, and to a file of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.discovery.bits import BitTable
from algolens.discovery.decisions import SettledMove, UnsettledError
from algolens.discovery.going_on import limit_of
from algolens.discovery.literals import elements, numbers, own_literals
from algolens.discovery.observations import Observation
from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.search import Search
from algolens.discovery.settle import settle
from algolens.fields import Category, Field, Location, Mask, Number, Observed, Pointer
from algolens.logic import minimal_rules, pack
from algolens.logic.formula import And, Formula, Not, Or, conjunction, disjunction
from algolens.logic.rule_set import RuleSet
from algolens.looks import (
    Comparison,
    GraphState,
    Observer,
    Quantified,
    Scope,
    Statement,
    Term,
    Test,
    Whose,
)
from algolens.looks.language import atoms, statement_text, terms, with_atoms
from algolens.discovery.exclusive import exclusive


def declaration_of(search: Search, episodes: Sequence[Episodes]) -> Declaration:
    """What a search settled, as a declaration."""
    schema, script = search.schema, search.bench.script
    continues = search.going_on
    concepts = list(search.concepts)
    if continues is not None:
        concepts += [name for name in continues.names if name not in concepts]
    rules = {
        name: _rules(search, name)
        for name, declared in schema.outputs.items()
        if isinstance(declared.kind, Mask | Category)
    }
    # what never changes moves to itself
    moves = {
        name: [_move_text(move) for move in settled] or [name]
        for name, settled in script.moves.items()
    }
    if not concepts:
        some = next(
            (name for name, (at, _) in search.bench.look.items() if at is schema.location), None
        )
        concepts = [some] if some is not None else []
    wanted = [
        *concepts,
        *schema.outcomes,
        *script.marks,
        *(name for name in schema.state if name in search.bench.look),
    ]
    look = _inlined(search.bench.look, wanted, keep=set(concepts))
    used = _words(look.values()) | {
        move.source.path[-1]
        for settled in script.moves.values()
        for move in settled
        if move.source.path
    }
    rule_set = exclusive(RuleSet(tuple(concepts), rules, continues)) if concepts else None
    hints = {
        name: declared
        for name, declared in schema.state.items()
        if name not in schema.outputs and name not in look
    }
    return Declaration(
        location=schema.location,
        inputs=dict(schema.inputs),
        state=tuple(schema.state),
        start={name: _start(schema, name, episodes) for name in schema.state},
        sums={name: Observed(at, text) for name, (at, text) in search.sums.items() if name in used},
        look={name: Observed(at, statement_text(formula)) for name, (at, formula) in look.items()},
        concepts=tuple(concepts),
        outputs={name: declared.kind for name, declared in schema.outputs.items()},
        hints=hints,
        moves={name: texts[0] if len(texts) == 1 else texts for name, texts in moves.items()},
        rules={} if rule_set is None else rule_set.rules,
        continues=continues,
        only_where=dict(schema.only_where),
        endless=dict(schema.endless),
        outcomes=schema.outcomes,
        most_steps=schema.most_steps or _limit(episodes, fixed=continues is None),
    )


def _rules(search: Search, name: str) -> dict[str, Formula]:
    settled, kind = search.bench.script.decisions[name], search.schema.outputs[name].kind
    labels = ("false", "true") if isinstance(kind, Mask) else kind.labels
    return {label: settled.formula(number) for number, label in enumerate(labels)}


def _move_text(move: SettledMove) -> str:
    source = move.source
    if source.relation is None:
        text = "'s ".join(source.path) or "me"
    else:
        value = "".join(f"'s {step}" for step in source.path)
        text = f"the {source.relation.phrase(1)}{value} ({move.mark})"
    return text if move.guard is None else f"{text} where {move.guard}"


def _words(look: object) -> set[str]:
    return {word for _, formula in look for term in terms(formula) for word in term.path}  # type: ignore[attr-defined]


def _inlined(
    look: Mapping[str, tuple[Location, Formula]], wanted: Sequence[str], keep: set[str]
) -> dict[str, tuple[Location, Formula]]:
    """What is wanted and all that it names; what can be said in one statement is said in one."""
    made: dict[str, tuple[Location, Formula]] = {}
    for name, (at, formula) in look.items():
        said = formula if name in keep else _expanded(at, formula, made)
        made[name] = (at, _turned(said))
    needed, used = list(dict.fromkeys(wanted)), set()
    while needed:
        name = needed.pop()
        if name in used or name not in made:
            continue
        used.add(name)
        needed += [
            word.removeprefix("last ") if word not in made else word
            for word in _words([made[name]])
        ]
    return {name: value for name, value in made.items() if name in used}


def _turned(formula: Formula) -> Formula:
    """The same formula, comparisons that do not hold as their opposites."""
    match formula:
        case Not(Comparison(left, order, right)):
            return Comparison(left, order.opposite, right)
        case Not(term):
            return Not(_turned(term))
        case And(parts):
            return conjunction(*map(_turned, parts))
        case Or(parts):
            return disjunction(*map(_turned, parts))
    return formula


def _expanded(
    at: Location, formula: Formula, made: Mapping[str, tuple[Location, Formula]]
) -> Formula:
    """Own observations by what they say, as long as one relation is looked at."""

    def said(atom: Formula) -> Formula:
        match atom:
            case Test(Term(Whose.MY, (name,)), None) if name in made and made[name][0] is at:
                return made[name][1]
        return atom

    def own_alone(atom: Formula) -> Formula:
        inner = said(atom)
        return atom if any(isinstance(part, Quantified) for part in atoms(inner)) else inner

    for change in (said, own_alone):
        wider = with_atoms(formula, change)
        relations = {part.relation for part in atoms(wider) if isinstance(part, Quantified)}
        if len(relations) <= 1:
            return wider
    return formula


# ---- the start


def _start(schema: Schema, name: str, episodes: Sequence[Episodes]) -> str | int | dict[str, str]:
    """How a field of the state begins, from the inputs."""
    declared = schema.state[name]
    first = np.concatenate([some.frames[0][name].numpy() for some in episodes])
    scope = Scope(dict(schema.inputs))
    states = [GraphState(some.graph, scope, some.inputs) for some in episodes]
    if isinstance(declared.kind, Number):
        if len(first) and (first == first[0]).all():
            return int(first[0])
        for path, _, _ in numbers(scope, declared.location):
            if (_path_values(states, scope, path, declared) == first).all():
                return "'s ".join(path)
        raise UnsettledError(f"how '{name}' begins is not settled by the inputs.")
    if isinstance(declared.kind, Pointer):
        for element in elements(scope, declared.location):
            if element.at is declared.kind.to:
                values = _path_values(states, scope, element.steps, declared)
                if (values == first).all():
                    return "'s ".join(element.steps) or "me"
        raise UnsettledError(f"how '{name}' begins is not settled by the inputs.")
    labels = ("false", "true") if isinstance(declared.kind, Mask) else declared.kind.labels
    if len(np.unique(first)) <= 1:
        value = int(first[0]) if len(first) else 0
        return str(bool(value)) if isinstance(declared.kind, Mask) else labels[value]
    observations = []
    for literal in own_literals(scope, declared.location):
        statement = Statement("begins", declared.location, literal.formula, scope)
        observer = Observer([statement])
        column = torch.cat([observer.observe(statement, state) for state in states]).numpy()
        observations.append(Observation(literal.formula, literal.cost, column))
    costs = np.array([float(some.cost) for some in observations])
    rows = np.arange(len(first))
    bits = BitTable.of([some.column for some in observations], len(first))
    settled = settle(bits, rows, first.astype(np.int64), costs, float("inf"))
    if settled is None:
        raise UnsettledError(f"how '{name}' begins is not settled by the inputs.")
    chosen = [observations[number] for number in settled.chosen]
    names = tuple(f"c{number}" for number in range(len(chosen)))
    said = {name: some.formula for name, some in zip(names, chosen, strict=True)}
    packed = pack(np.stack([some.column for some in chosen], 1))
    texts = {}
    for number, label in enumerate(labels):
        on, off = np.unique(packed[first == number]), np.unique(packed[first != number])
        if len(on) and number:  # what is said of no class begins with the first
            formula = minimal_rules(names, on, off).formula
            texts[label] = statement_text(with_atoms(formula, lambda atom: said[str(atom)]))
    return texts["true"] if isinstance(declared.kind, Mask) else texts


def _path_values(
    states: Sequence[GraphState], scope: Scope, path: tuple[str, ...], declared: Field
) -> np.ndarray:
    resolved = scope.resolve(Term(Whose.MY, path), declared.location, None)
    parts = []
    for state in states:
        value = state.of(resolved)
        if isinstance(declared.kind, Pointer):
            value = state.graph.place(declared.kind.to).index_select(0, value)
        parts.append(value.numpy())
    return np.concatenate(parts)


def _limit(episodes: Sequence[Episodes], *, fixed: bool) -> Limit:
    limit = limit_of(episodes, fixed=fixed)
    if limit is None:
        raise UnsettledError("how many steps it takes is not settled by the size of the graph.")
    return limit


def algorithm_of(schema: Schema, declaration: Declaration, called: str) -> Algorithm:
    """A declaration as an algorithm."""

    class Discovered(Algorithm):
        """An algorithm that was discovered from runs."""

        name = called
        graphs = schema.graphs  # type: ignore[assignment]
        recipe = schema.recipe
        loops_matter = schema.loops_matter
        parallel_edges_matter = schema.parallel_edges_matter

        def declare(self) -> Declaration:
            return declaration

    return Discovered()
