"""Stages as obligations: what each kind sends, and what an element concludes from any in view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from algolens.language.finite import Statement
from algolens.language.ir import Expr, Quantified
from algolens.models.exact import Stage, sent_bits
from algolens.proofs.smt.terms import (
    LayerTerms,
    Obligation,
    both,
    either,
    plus,
    truth_term,
)


def stage_obligations(statement: Statement, stage: Stage) -> Iterator[Obligation]:
    """For each own class: what every kind sends to it, and what it concludes from any in view."""
    for own in range(statement.num_own):
        if stage.looks_at_others:
            yield _messages(statement, stage, own)
        yield _conclusion(statement, stage, own)


def _messages(statement: Statement, stage: Stage, own: int) -> Obligation:
    """The kind of one in view is a constant for each of its features' values."""
    name, table = statement.name, sent_bits(stage, own)
    own_row, kind_rows = stage.own_features[own].tolist(), stage.kind_features.tolist()
    kinds = [f"kind{kind}" for kind in range(statement.num_neighbours)]
    inputs = [
        either([kinds[kind] for kind, row in enumerate(kind_rows) if row[i]])
        for i in range(len(kind_rows[0]))
    ]
    features = [
        *("true" if bit else None for bit in own_row),
        *(f"input{i}" for i in range(len(inputs))),
    ]
    layers = LayerTerms(stage.message_first, stage.message_last, features)
    one_of_them = both(
        [either(kinds), *(f"(not (and {a} {b}))" for i, a in enumerate(kinds) for b in kinds[:i])]
    )
    lines = [
        f"; kind{kind}: {statement.neighbour_words(kind)}"
        for kind in range(statement.num_neighbours)
    ]
    lines += [f"(assert {one_of_them})"]
    lines += [f"(define-fun input{i} () Bool {term})" for i, term in enumerate(inputs)]
    lines += layers.definitions()
    claims = []
    for bit in range(stage.bits):
        sends = either(
            [kinds[kind] for kind in range(statement.num_neighbours) if table[kind, bit]]
        )
        lines.append(f"(define-fun sends{bit} () Bool {sends})")
        claims.append(layers.decides(f"sends{bit}", bit))
    says = (
        f"Messages of '{name}' to own class {own} ({statement.own_words(own)}):\none of a kind "
        "sends exactly the bits of the table sends0, sends1, ...; no rounding can change one."
    )
    constants = dict.fromkeys(kinds, "Bool")
    claim = layers.claim(claims)
    return Obligation.write(f"stage-{name}-{own}-messages", name, says, constants, lines, claim)


def _conclusion(statement: Statement, stage: Stage, own: int) -> Obligation:
    """How many of each kind are in view is a constant: a Bool, or where it counts, an Int."""
    name = statement.name
    table = sent_bits(stage, own) if stage.looks_at_others else None
    exactly = statement.exactly
    is_counted = statement.most > 1 or exactly is not None
    kinds = [
        f"{'number' if is_counted else 'in_view'}{kind}" for kind in range(statement.num_neighbours)
    ]
    lines = [f"; {kind}: {statement.neighbour_words(place)}" for place, kind in enumerate(kinds)]
    if is_counted:
        lines += [f"(assert (>= {kind} 0))" for kind in kinds]
    if exactly is not None:
        lines.append(f"(assert (= {plus(kinds, '0')} {exactly}))")

    def at_least(count: int, some: list[str]) -> str:
        return f"(>= {plus(some, '0')} {count})" if is_counted else either(some)

    received = []
    for bit in range(stage.bits):
        assert table is not None
        senders = [kind for place, kind in enumerate(kinds) if table[place, bit]]
        for step in range(stage.most):
            received.append(f"received{bit}_{step}")
            lines.append(f"(define-fun {received[-1]} () Bool {at_least(step + 1, senders)})")
    features = [*("true" if bit else None for bit in stage.own_features[own].tolist()), *received]
    layers = LayerTerms(stage.head_first, stage.head_last, features)
    lines += _statements(statement, own, kinds, at_least)
    lines += layers.definitions()
    truth = truth_term(
        statement.value,
        lambda atom: (
            f"statement{statement.quantifiers.index(atom)}"
            if isinstance(atom, Quantified)
            else _atom_term(statement, own, None, atom)
        ),
    )
    lines.append(f"(define-fun declared () Bool {truth})")
    says = (
        f"'{name}' at own class {own} ({statement.own_words(own)}), declared as: "
        f"{statement.text}.\n"
        "Whoever is in view, the network concludes what is declared; no rounding can change it."
    )
    constants = dict.fromkeys(kinds, "Int" if is_counted else "Bool")
    claim = layers.claim([layers.decides("declared")])
    return Obligation.write(f"stage-{name}-{own}", name, says, constants, lines, claim)


def _statements(
    statement: Statement, own: int, kinds: list[str], at_least: Callable[[int, list[str]], str]
) -> list[str]:
    """Each quantified statement; of which kinds its body holds is left to the solver."""
    lines = []
    for place, quantified in enumerate(statement.quantifiers):
        every = quantified.quantity == "every"
        satisfying = []
        for kind, constant in enumerate(kinds):
            body = truth_term(quantified.body, partial(_atom_term, statement, own, kind))
            lines.append(f"(define-fun body{place}_{kind} () Bool {body})")
            fits = f"(not body{place}_{kind})" if every else f"body{place}_{kind}"
            is_bool = constant.startswith("in_view")
            satisfying.append(
                f"(and {constant} {fits})" if is_bool else f"(ite {fits} {constant} 0)"
            )
        met = at_least(quantified.count, satisfying)
        lines.append(f"(define-fun statement{place} () Bool {f'(not {met})' if every else met})")
    return lines


def _atom_term(statement: Statement, own: int, kind: int | None, atom: Expr) -> str:
    return "true" if statement.atom_holds(atom, own, kind) else "false"
