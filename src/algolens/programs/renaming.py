"""Other names for what a declaration speaks of: its fields, its sums and its observations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain, islice, permutations, product
from typing import TypeVar

from algolens.algorithms import Declaration, Words
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.fields import Observed
from algolens.logic import Formula
from algolens.looks import Look, parse_look
from algolens.looks.language import statement_text, terms
from algolens.looks.statement import Statement
from algolens.looks.sums import Sum
from algolens.programs.program import Program

MOST_WAYS = 24  # to match fields of the state that are of one kind
Value = TypeVar("Value")
# a word of a statement, unless it is the class of a category ("color is red")
WORD = re.compile(r"(\bis (?:not )?)?\b([A-Za-z_]\w*)")


def renamed(declaration: Declaration, names: Mapping[str, str]) -> Declaration:
    """The same declaration, fields and observations renamed."""
    fields = [*declaration.inputs, *declaration.state, *declaration.outputs]
    known = dict.fromkeys([*declaration.look, *declaration.sums, *fields])
    for name, other in names.items():
        if name not in known:
            raise UnknownNameError("observation or field", name, known)
        if other in fields and other not in names:
            raise AlgoLensError(f"'{name}' cannot be called '{other}': another field is.")
    taken = set(known)
    # an observation gives way to a field that is called as it was
    free = {
        name: _free(f"saw_{name}", taken)
        for name in (*declaration.look, *declaration.sums)
        if name in names.values() and name not in names and name not in fields
    }
    new = {**free, **names}

    def said(text: str) -> str:
        return WORD.sub(lambda word: (word[1] or "") + _new(word, new), text)

    def called(values: Mapping[str, Value]) -> dict[str, Value]:
        return {new.get(name, name): value for name, value in values.items()}

    def observed(entries: Mapping[str, Observed]) -> dict[str, Observed]:
        return called({n: Observed(at.location, said(at.text)) for n, at in entries.items()})

    def all_called(words: Iterable[str]) -> tuple[str, ...]:
        return tuple(new.get(word, word) for word in words)

    own = {name: field for name, field in declaration.hints.items() if name not in declaration.look}
    return replace(
        declaration,
        inputs=called(declaration.inputs),
        state=all_called(declaration.state),
        start=called(
            {
                name: {label: said(text) for label, text in start.items()}
                if isinstance(start, Mapping)
                else said(start)
                if isinstance(start, str)
                else start
                for name, start in declaration.start.items()
            }
        ),
        sums=observed(declaration.sums),
        look=observed(declaration.look),
        concepts=all_called(declaration.concepts),
        outputs=called(declaration.outputs),
        hints=called(own),
        moves=called(
            {
                name: said(texts) if isinstance(texts, str) else [said(text) for text in texts]
                for name, texts in declaration.moves.items()
            }
        ),
        rules=called(
            {
                output: {label: said(str(rule)) for label, rule in classes.items()}
                for output, classes in declaration.rules.items()
            }
        ),
        continues=None if declaration.continues is None else said(str(declaration.continues)),
        only_where={new.get(a, a): new.get(b, b) for a, b in declaration.only_where.items()},
        endless={new.get(a, a): new.get(b, b) for a, b in declaration.endless.items()},
        outcomes=all_called(declaration.outcomes),
    )


def _new(word: re.Match[str], names: Mapping[str, str]) -> str:
    return word[2] if word[1] else names.get(word[2], word[2])


def _free(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted


def aligned(first: Program, second: Program) -> Program:
    """The second program; what is its own is called as the first calls what says the same.

    Inputs, outputs and outcomes are called by the task. Names of all else have no meaning.
    """
    ours, theirs = first.declaration, replace(second.declaration, words=Words())
    mine = _own(ours)
    taken = {*ours.inputs, *ours.predicted, *ours.sums, *_own(theirs)}
    neutral = {name: _free(f"its_{place}", taken) for place, name in enumerate(_own(theirs))}
    apart = renamed(theirs, neutral)
    before = {other: name for name, other in neutral.items()}
    names: dict[str, str] = {}
    for way in _ways(ours, apart, mine, before):
        some = _matched(first.look, apart, way, before)
        names = max(names, some, key=len)
        if len(names) == len(before):
            break
    used = {*names.values(), *ours.inputs, *ours.outputs, *ours.outcomes}
    for other, name in before.items():
        if other not in names and name not in used:
            names[other] = name
    return replace(second, declaration=renamed(apart, names))


def _own(declaration: Declaration) -> list[str]:
    """What is called as its author likes: of the state, sums and observations."""
    told = {*declaration.inputs, *declaration.outputs, *declaration.outcomes}
    sums = [name for name in declaration.sums if not name.startswith("constant_")]
    known = dict.fromkeys([*declaration.state, *sums, *declaration.look])
    return [name for name in known if name not in told]


def _ways(
    ours: Declaration, theirs: Declaration, mine: Iterable[str], before: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Ways to match fields of the state that are alike; those of one name first."""

    def alike(declaration: Declaration, names: Iterable[str]) -> dict[object, list[str]]:
        made: dict[object, list[str]] = {}
        for name in names:
            if name in declaration.state:
                key = declaration.predicted[name], name in declaration.look
                made.setdefault(key, []).append(name)
        return made

    groups = []
    its = alike(theirs, before)
    for key, names in alike(ours, mine).items():
        others = its.get(key, [])
        if len(others) == len(names):
            places = {name: place for place, name in enumerate(names)}
            others = sorted(others, key=lambda other: places.get(before[other], len(names)))
            some = islice(permutations(others), MOST_WAYS)
            groups.append([list(zip(way, names, strict=True)) for way in some])
    for chosen in islice(product(*groups), MOST_WAYS):
        yield dict(chain(*chosen))


def _matched(
    first: Look, theirs: Declaration, way: Mapping[str, str], before: Mapping[str, str]
) -> dict[str, str]:
    """Of names of the second declaration, those by which the first calls what says the same."""
    names, look = dict(way), theirs.seen
    assert look is not None

    def said(text: str) -> str:
        return WORD.sub(lambda word: (word[1] or "") + _new(word, names), text)

    for name in before:
        if name in look.totals:
            total = Sum.parse(said(str(look.totals[name])))
            for other, its in first.totals.items():
                is_free = other not in names.values()
                is_there = first.sums[other].location is look.sums[name].location
                if is_free and is_there and its == total:
                    names[name] = other
                    break
    for statement in look.statements:
        name, at = statement.name, statement.location
        if name not in before or name in names:
            continue
        formula = parse_look(said(statement_text(statement.formula)), at)
        try:
            same = Statement(name, at, formula, first.scope)
        except DefinitionError:  # it names what the first has not
            continue
        about = _about(formula)
        free = [one for one in first.statements if one.name not in names.values()]
        free.sort(key=lambda one: (one.formula != formula, one.name != before[name]))
        for it in free:
            if _about(it.formula) == about and it.equivalent(same):
                names[name] = it.name
                break
    return names


def _about(formula: Formula) -> frozenset[tuple[str, ...]]:
    return frozenset(term.path for term in terms(formula))
