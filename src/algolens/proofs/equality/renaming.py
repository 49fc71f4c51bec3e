"""Other names for what is a program's own: its state, and what it sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice, permutations, product
from typing import Any

from msgspec.structs import asdict, replace

from algolens.algorithms import Declaration
from algolens.errors import AlgoLensError, DefinitionError, UnknownNameError
from algolens.language.check import check_name
from algolens.language.finite import Statement, columns
from algolens.language.ir import (
    FALSE,
    GOES_ON,
    NUMBER,
    STEPS,
    Case,
    Expr,
    Get,
    Let,
    Program,
    Quantified,
    The,
    columns_of,
    conjunction,
    disjunction,
    negation,
    parts_of,
    rebuilt,
)

MOST_WAYS = 24  # to match fields of the state that are of one kind
MOST_CLASSES = 2**14  # that one formula tells apart


def renamed(declaration: Declaration, names: Mapping[str, str]) -> Declaration:
    """The same declaration, fields and features renamed; features give way to fields."""
    program = declaration.program
    own = [let.name for let in program.lets if let.name != GOES_ON]
    fields = {**program.inputs, **program.state, **program.outputs}
    known = dict.fromkeys([*own, *fields])
    for name, other in names.items():
        if name not in known:
            raise UnknownNameError("observation or field", name, known)
        if other in fields and other not in names:
            raise AlgoLensError(f"'{name}' cannot be called '{other}': another field is.")
        check_name(other)
    taken = set(known)
    free = {
        name: _free(f"saw_{name}", taken)
        for name in own
        if name in names.values() and name not in names
    }
    return Declaration(with_names(program, {**free, **names}), declaration.words)


def with_names(program: Program, names: Mapping[str, str]) -> Program:
    """The same program, fields and features renamed."""

    def new(name: str) -> str:
        return names.get(name, name)

    def said(node: Expr) -> Expr:
        made = rebuilt(node, said)
        match node:
            case Get(column, at) if (at, column) not in STEPS and column != NUMBER:
                return replace(made, column=new(column))
            case Quantified(view=view) | The(view=view):
                pointers = {
                    name for pair in view.joins for one in pair for _, name in columns_of(one)
                }
                words = (new(word) if word in pointers else word for word in view.words.split())
                return replace(made, view=replace(made.view, words=" ".join(words)))
        return made

    def all_new(value: Any) -> Any:
        match value:
            case Let():
                return replace(value, name=new(value.name), value=said(value.value))
            case str():
                return new(value)
            case tuple():
                return tuple(map(all_new, value))
            case dict():
                return {new(name): all_new(one) for name, one in value.items()}
        return value

    kept = ("name", "per")
    return replace(
        program, **{n: all_new(one) for n, one in asdict(program).items() if n not in kept}
    )


def aligned(ours: Program, theirs: Program) -> Program:
    """The second program; what is its own is called as the first calls what says the same.

    Inputs, outputs and outcomes are called by the task. Names of all else have no meaning.
    """
    told = {*ours.inputs, *ours.outputs, *theirs.outputs, *ours.outcomes, GOES_ON}
    own = [name for name in _names(theirs) if name not in told]
    taken = {*_names(ours), *_names(theirs), *ours.inputs}
    neutral = {name: _free(f"its_{place}", taken) for place, name in enumerate(own)}
    apart, before = with_names(theirs, neutral), {other: name for name, other in neutral.items()}
    names: dict[str, str] = {}
    for way in _ways(ours, apart, told, before):
        names = max(names, _matched(ours, apart, way, before), key=len)
        if len(names) == len(before):
            break
    used = {*names.values(), *told}
    rest = {it: name for it, name in before.items() if it not in names and name not in used}
    return with_names(apart, names | rest)


def _names(program: Program) -> list[str]:
    return [*program.state, *(let.name for let in program.lets)]


def _ways(
    ours: Program, theirs: Program, told: set[str], before: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """Ways to match fields of the state that are alike; those of one name first."""

    def alike(program: Program) -> dict[object, list[str]]:
        made: dict[object, list[str]] = {}
        for name, field in program.state.items():
            if name not in told:
                made.setdefault(field, []).append(name)
        return made

    groups, its = [], alike(theirs)
    for key, names in alike(ours).items():
        others = its.get(key, [])
        if len(others) == len(names):
            places = {name: place for place, name in enumerate(names)}
            others = sorted(others, key=lambda other: places.get(before[other], len(names)))
            some = islice(permutations(others), MOST_WAYS)
            groups.append([list(zip(way, names, strict=True)) for way in some])
    for chosen in islice(product(*groups), MOST_WAYS):
        yield dict(chain(*chosen))


def _matched(
    ours: Program, theirs: Program, way: Mapping[str, str], before: Mapping[str, str]
) -> dict[str, str]:
    """Of names of the second program, those by which the first calls what says the same."""
    names, known = dict(way), columns(ours)
    for name in (let.name for let in theirs.lets):
        if name not in before or name in names:
            continue
        let = next(let for let in with_names(theirs, names).lets if let.name == name)
        free = [one for one in ours.lets if one.at == let.at and one.name not in names.values()]
        free.sort(key=lambda one: (one.value != let.value, one.name != before[let.name]))
        for one in free:
            if says_the_same(one, let, known):
                names[name] = one.name
                break
    return names


def says_the_same(one: Let, other: Let, known: Mapping[Any, Any]) -> bool:
    """Whether two values are the same in every case; False also where that is not settled."""
    if one.value == other.value:
        return True
    cases = [_by_value(let.value) for let in (one, other)]
    if columns_of(one.value) != columns_of(other.value) or cases[0].keys() != cases[1].keys():
        return False
    try:
        pairs = [
            [Statement(Let(one.name, one.at, said[value]), known) for said in cases]
            for value in cases[0]
        ]
        return all(
            max(each.num_own for each in pair) <= MOST_CLASSES and pair[0].equivalent(pair[1])
            for pair in pairs
        )
    except DefinitionError:  # a number, or a look at two relations
        return False


def _by_value(node: Expr) -> dict[Expr | None, Expr]:
    """Where an expression has each of its values; of what is true or false alone, where it is."""
    if not isinstance(node, Case) or parts_of(node, The):
        return {None: node}
    found: dict[Expr | None, Expr] = {}
    rest: list[Expr] = []
    for guard, value in (*node.cases, (conjunction(), node.otherwise)):
        here = conjunction(*rest, guard)
        found[value] = disjunction(found.get(value, FALSE), here)
        rest.append(negation(guard))
    return found


def _free(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "_"
    return wanted
