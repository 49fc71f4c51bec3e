"""From what was settled to a program, and to an algorithm."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch

from algolens.algorithms import Algorithm, Declaration, Limit
from algolens.discovery.decisions import Move, UnexplainedError, after_name
from algolens.discovery.examples import tensors_on
from algolens.discovery.fit import BitTable, cheapest_fit
from algolens.discovery.limits import Limits
from algolens.discovery.literals import own_literals, values_of
from algolens.discovery.names import words_of
from algolens.discovery.oracle import Episodes, Schema
from algolens.discovery.search import Search, limit_of
from algolens.engines.tensors import Tensors
from algolens.graphs import At
from algolens.language.ir import (
    GOES_ON,
    IT,
    TRUE,
    And,
    Case,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    Let,
    Me,
    Not,
    Or,
    Program,
    Quantified,
    The,
    atoms,
    conjunction,
    disjunction,
    put,
    rebuilt,
)
from algolens.language.lower import OPPOSITE
from algolens.language.rules import as_expr, going_on
from algolens.logic import minimal_rules, pack

Looks = Mapping[str, tuple[At, Expr]]


def program_of(search: Search, episodes: Sequence[Episodes]) -> Program:
    """What a search settled, as a program."""
    schema, script, continues = search.schema, search.script, search.going_on
    inputs, state, outputs = schema.declared, dict(schema.state), dict(schema.outputs)
    concepts = {*search.concepts, *(continues.names if continues is not None else ())}
    if not concepts:
        concepts = {*[name for name, (at, _) in script.look.items() if at == schema.location][:1]}
    becomes = {
        name: script.decisions[name].becomes(field)
        if name in outputs or field.kind != "mask"
        else Get(after_name(name), field.at)
        for name, field in (state | outputs).items()
        if name in script.decisions
    }
    for name, moves in script.moves.items():
        stays = Get(name, state[name].at)
        becomes[name] = Case(tuple(map(_case, moves)) or ((TRUE, stays),), stays)
    wanted = {*concepts, *schema.outcomes} | words_of(And(tuple(becomes.values())))
    look = _inlined(script.look, wanted, keep=concepts)
    used = wanted.union(*(words_of(said) for _, said in look.values()))
    for name, field in state.items():  # what nothing else goes by is said where it becomes so
        after = after_name(name)
        if becomes.get(name) == Get(after, field.at) and not _is_named(after, look, becomes, name):
            becomes[name] = look.pop(after)[1]
    lets = [let for let in search.sums.values() if let.name in used]
    lets += [Let(name, at, said) for name, (at, said) in look.items()]
    if continues is not None:
        lets.append(Let(GOES_ON, "graph", going_on(continues, schema.location)))
    limit = schema.most_steps or _limit(episodes, fixed=continues is None)
    return Program(
        schema.name,
        inputs,
        state,
        tuple(Let(name, one.at, _start(schema, name, episodes)) for name, one in state.items()),
        tuple(lets),
        tuple(
            Let(name, one.at, becomes.get(name, Get(name, one.at)))
            for name, one in (state | outputs).items()
        ),
        limit.times,
        limit.per,
        outputs,
        tuple(name for name in look if name in concepts),
        schema.outcomes,
        dict(schema.only_where),
        dict(schema.endless),
    )


def _case(move: Move) -> tuple[Expr, Expr]:
    """Where a move applies, and what the field becomes there."""
    guard = TRUE if move.guard is None else move.guard
    if move.relation is None or move.mark is None:
        return guard, move.said
    return guard, The(move.relation.view, put(move.mark, me=IT), put(move.said, me=IT))


def _is_named(word: str, look: Looks, becomes: Mapping[str, Expr], but: str) -> bool:
    said = [one for _, one in look.values()]
    said += [value for name, value in becomes.items() if name != but]
    return any(word in words_of(one) for one in said)


def _inlined(look: Looks, wanted: set[str], keep: set[str]) -> dict[str, tuple[At, Expr]]:
    """What is wanted and all that it names; what can be said in one statement is said in one."""
    made: dict[str, tuple[At, Expr]] = {}
    for name, (at, said) in look.items():
        made[name] = (at, _turned(said if name in keep else _expanded(at, said, made)))
    needed, used = list(wanted), set()
    while needed:
        name = needed.pop()
        if name in made and name not in used:
            used.add(name)
            needed += words_of(made[name][1])
    return {name: value for name, value in made.items() if name in used}


def with_atoms(said: Expr, changed: Callable[[Expr], Expr]) -> Expr:
    """The same statement, each of its atoms changed."""
    match said:
        case Const():
            return said
        case Not(term):
            inner = with_atoms(term, changed)
            return inner.term if isinstance(inner, Not) else Not(inner)
        case And(terms):
            return conjunction(*(with_atoms(term, changed) for term in terms))
        case Or(terms):
            return disjunction(*(with_atoms(term, changed) for term in terms))
    return changed(said)


def _turned(said: Expr) -> Expr:
    """The same statement, comparisons that do not hold as their opposites."""
    match said:
        case Not(Compare(left, op, right)) if not isinstance(right[0], Const):
            return Compare(left, OPPOSITE[op], right)
        case And() | Or():
            turned: Expr = rebuilt(said, _turned)
            return turned
    return said


def _expanded(at: At, said: Expr, made: Looks) -> Expr:
    """Own observations by what they say, as long as one relation is looked at."""

    def inside(atom: Expr) -> Expr:
        match atom:
            case Get(name, _, Me()) if name in made and made[name][0] == at:
                return made[name][1]
        return atom

    def own_alone(atom: Expr) -> Expr:
        inner = inside(atom)
        return atom if any(isinstance(part, Quantified) for part in atoms(inner)) else inner

    for change in (inside, own_alone):
        wider = with_atoms(said, change)
        if len({part.view for part in atoms(wider) if isinstance(part, Quantified)}) <= 1:
            return wider
    return said


# ---- the start


def _start(schema: Schema, name: str, episodes: Sequence[Episodes]) -> Expr:
    """How a field of the state begins, from the inputs."""
    field = schema.state[name]
    first = np.concatenate([some.frames[0][name].numpy() for some in episodes])
    tensors = [tensors_on(some.graph, schema.inputs, some.inputs) for some in episodes]
    if field.kind != "pointer" and (first == first[:1]).all():
        value = int(first[0]) if len(first) else 0
        return Const(bool(value) if field.kind == "mask" else value)
    unsettled = UnexplainedError(f"how '{name}' begins is not settled by the inputs.")
    if field.kind in ("number", "pointer"):
        for said, _ in values_of(schema.inputs, field, field.at):
            if (column_of(tensors, field, said) == first).all():
                return said
        raise unsettled
    literals = list(own_literals(schema.inputs, field.at))
    columns = [column_of(tensors, field, literal.said) for literal in literals]
    costs = np.array([float(literal.cost) for literal in literals])
    rows, bits = np.arange(len(first)), BitTable(np.array(columns, bool).reshape(-1, len(first)).T)
    fit = cheapest_fit(bits, rows, first.astype(np.int64), costs, Limits())
    if fit is None:
        raise unsettled
    chosen = {f"c{number}": literals[number].said for number in fit.chosen}
    packed = pack(np.stack([columns[number] for number in fit.chosen], 1))

    def where(label: int) -> Expr:
        on, off = np.unique(packed[first == label]), np.unique(packed[first != label])
        said = as_expr(minimal_rules(tuple(chosen), on, off).formula, field.at)
        return with_atoms(said, lambda atom: chosen[atom.column] if isinstance(atom, Get) else atom)

    if field.kind == "mask":
        return where(1)
    # what is said of no class begins with the first
    labels = [label for label in range(1, len(field.labels)) if (first == label).any()]
    return Case(tuple((where(label), Const(label)) for label in labels), Const(0))


def column_of(tensors: Sequence[Tensors], field: Field, said: Expr) -> np.ndarray:
    """[N] what an expression is on inputs; a pointer as an index within its graph."""
    parts = [one.within_graph(field, one.value(field.at, said)) for one in tensors]
    return torch.cat(parts).numpy()


def _limit(episodes: Sequence[Episodes], *, fixed: bool) -> Limit:
    limit = limit_of(episodes, fixed=fixed)
    if limit is None:
        raise UnexplainedError("how many steps it takes is not settled by the size of the graph.")
    return limit


def algorithm_of(schema: Schema, declared: Declaration, called: str) -> Algorithm:
    """A declaration as an algorithm."""

    class Discovered(Algorithm, part=True):
        """An algorithm that was discovered from runs."""

        name = called
        graphs = schema.graphs  # type: ignore[assignment]
        recipe = schema.recipe
        loops_matter = schema.loops_matter
        parallel_edges_matter = schema.parallel_edges_matter

        @property
        def declaration(self) -> Declaration:
            return declared

    return Discovered()
