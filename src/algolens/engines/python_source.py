"""A program as a Python module that stands alone: groups of rows become functions of NumPy."""

from __future__ import annotations

import builtins
import keyword
import re
from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING

from algolens.language import ir
from algolens.language.given import CHECKS, DIFFERENT, check_source
from algolens.language.ir import (
    GOES_ON,
    ME,
    NUMBER,
    STEPS,
    And,
    Any,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Count,
    Expr,
    Field,
    First,
    Get,
    Group,
    It,
    Known,
    Let,
    Me,
    Not,
    Or,
    Pairs,
    Within,
    children,
    reads,
)
from algolens.language.lower import lower, unshared
from algolens.language.text import Text
from algolens.logic.exports import classes_in_order, in_docstring, rule_functions

if TYPE_CHECKING:
    from algolens.engines.program import Program

MOST_NESTED = 50  # of choices one within another, as Python parses no more than 200 parentheses
MODULE = '''"""{title}

    steps, outcomes = run(graph_of(4, [(0, 1), (1, 2), (2, 3)]), {{{given}}})

An algorithm on graphs, all of it; NumPy is all it needs. Values are arrays: one value for each
node, edge or link, in order, or a single one for the graph. A mask holds truth values, a category
the number of its class in CLASSES, a pointer the number of what it points to, from 0 on.

{remarks}
"""

import warnings

import numpy as np

CLASSES = {classes}
INPUTS = {inputs}  # where each sits, the least and the greatest value
STATE = {state}
SEEN = {seen}
OUTPUTS = {outputs}
OUTCOMES = {outcomes}


def run(graph, inputs):
    """Every step, as a dict of all that was seen and decided in it; and the graph's outcomes.

    Outcomes are seen after the last step.
    """
    of = checked(graph, inputs)
    {refuse}of |= start(graph, of)
    steps, seen = [], look(graph, of)
    while len(steps) < {most}:
        after = step(graph, {{**of, **seen}})
        steps.append({{**{{name: seen[name] for name in SEEN}}, **after}})
        of |= {{name: after[name] for name in STATE}}
        seen = look(graph, of)
{stop}    return steps, {{name: bool((of | seen)[name][0]) for name in OUTCOMES}}


def start(graph, of):
    """The state before the first step."""
{start}


def look(graph, of):
    """All that is seen in a state."""
{look}


def step(graph, of):
    """What a step makes of the state, and its outputs."""
{step}


'''
STOP = """        if not seen[{goes_on!r}][0]:
            break
    else:
        if steps:
            warnings.warn(
                f"cut short after {{len(steps)}} steps, the most it may take, "
                "though it asks for more",
                stacklevel=2,
            )
"""
GRAPH = '''def graph_of(num_nodes, edges, directed=False):
    """A graph. Edges are pairs [E, 2] of nodes, an undirected one once.

    Links are the edges from their one end to the other, then all the other way.
    """
    one_end, other_end = pairs = np.asarray(edges, np.int64).reshape(-1, 2).T
    distinct = set(zip(*(pairs if directed else np.sort(pairs, 0)).tolist()))
    if np.any(one_end == other_end) or len(distinct) < len(one_end):
        raise ValueError("an edge leads from a node to itself, or stands twice: leave it out.")
    number, count = np.arange(len(one_end)), len(one_end)
    back = number[:0] if directed else number
    sides = np.unique(np.concatenate([pairs, pairs[::-1]], 1), axis=1)
    return {
        "nodes": np.arange(num_nodes),
        "edges": number,
        "links": np.arange(count + len(back)),
        "graphs": np.arange(1),
        "one_end": one_end,
        "other_end": other_end,
        "sender": np.concatenate([one_end, other_end[back]]),
        "receiver": np.concatenate([other_end, one_end[back]]),
        "edge": np.concatenate([number, back]),
        "reverse": number if directed else np.concatenate([number + count, number]),
        "sides": np.arange(sides.shape[1]),
        "one_side": sides[0],
        "other_side": sides[1],
    }


def checked(graph, inputs):
    """The inputs as arrays; refused where one is missing, or leaves its bounds."""
    missing = INPUTS.keys() - inputs.keys()
    if missing:
        raise ValueError(f"'{min(missing)}' is missing: the inputs are {', '.join(INPUTS)}.")
    values = {name: np.atleast_1d(inputs[name]) for name in INPUTS}
    for name, (table, least, most) in INPUTS.items():
        if len(values[name]) != len(graph[table]):
            raise ValueError(f"'{name}' has {len(values[name])} values, for {len(graph[table])}.")
        # a pointer leads to what the graph has
        most = len(graph[most]) - 1 if isinstance(most, str) else most
        bounded(name, values[name], least, most)
    return values


def everywhere(rows, value):
    """A value for each row, where it may be one for all."""
    return np.broadcast_to(value, rows.shape).copy()


def bounded(name, values, least, most):
    """The same numbers; refused where one leaves its bounds."""
    if np.any((values < least) | (values > most)):
        raise OverflowError(f"'{name}' leaves its bounds, {least} to {most}.")
    return values
'''
# what is written only where it is called
HELPERS = {
    "product": '''
def product(a, b):
    """a * b, refused where it leaves 64 bits."""
    bounded("a product", np.multiply(a, b, dtype=float), -(2.0**62), 2.0**62)
    return a * b
''',
    "compared": '''
def compared(left, right):
    """-1, 0 or 1: several numbers compare as words in a dictionary do."""
    result = 0
    for a, b in zip(left[::-1], right[::-1]):
        order = np.sign(np.greater(a, b).astype(np.int64) - np.less(a, b))
        result = np.where(order == 0, result, order)
    return result
''',
    "grouped": '''
def grouped(mine, rows, keys):
    """Which group each row looks at, which one each row is in, and how many groups there are.

    A group is of rows with the same keys. mine and keys are lists of arrays.
    """
    columns = [
        np.concatenate([np.broadcast_to(a, mine[0].shape), np.broadcast_to(b, rows.shape)])
        for a, b in zip(mine[1:], keys)
    ]
    group = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].reshape(-1)
    return group[: len(mine[0])], group[len(mine[0]) :], 1 + group.max(initial=-1)
''',
    "some_of": '''
def some_of(groups, marked):
    """Whether some row of one's group is marked."""
    mine, its, count = groups
    found = np.zeros(count, bool)
    found[its[np.broadcast_to(marked, its.shape)]] = True
    return found[mine]
''',
    "number_of": '''
def number_of(groups, marked):
    """How many rows of one's group are marked."""
    mine, its, count = groups
    return np.bincount(its[np.broadcast_to(marked, its.shape)], minlength=count)[mine]
''',
    "first_of": '''
def first_of(groups, marked, keys=(), last=False, rank=0):
    """The marked row of one's group with the least (last: greatest) keys, else -1.

    Of rows with equal keys, the first; rank 1: the next one.
    """
    mine, its, count = groups
    rows = np.flatnonzero(np.broadcast_to(marked, its.shape))
    keys = [np.broadcast_to(key, its.shape)[rows] * (-1 if last else 1) for key in keys]
    order = np.lexsort([rows, *keys[::-1], its[rows]])
    begin = np.searchsorted(its[rows][order], np.arange(count + 1))
    place = begin[:-1] + rank
    found = np.append(rows[order], -1)[np.minimum(place, len(rows))]
    return np.where(place < begin[1:], found, -1)[mine]
''',
    "taken": '''
def taken(values, rows):
    """The values of some rows; of no row (-1), any value."""
    return values[rows] if len(values) else np.zeros(rows.shape, values.dtype)
''',
    "pairs_of": '''
def pairs_of(mine, rows, fits):
    """For each row, how many others fit."""
    me, it = np.divmod(np.arange(len(mine) * len(rows)), max(len(rows), 1))
    return np.bincount(me[np.broadcast_to(fits(me, it), me.shape)], minlength=len(mine))
''',
}
NEEDS = {"some_of": ["grouped"], "number_of": ["grouped"], "first_of": ["grouped"]}
REFUSING = '''

def refuse(graph, inputs):
    """Raises a ValueError where inputs are refused."""
    of = {{name: np.atleast_1d(value) for name, value in inputs.items()}}
    known = {{
        "owner": np.zeros_like(graph["nodes"]),
        "count": np.array([len(graph["nodes"])]),
        "sender": graph["sender"],
        "receiver": graph["receiver"],
        "called": "node {{}}".format,
    }}
    for wrong in ({calls}):
        if wrong is not None:
            raise ValueError(wrong)


{functions}
'''
# columns that the graph gives, as the module calls them
GIVEN: dict[tuple[At, str], str] = {
    **{step: step[1] for step in STEPS if step[0] != "side" and step[1] != "graph"},
    ("side", "sender"): "one_side",
    ("side", "receiver"): "other_side",
    ("node", NUMBER): "nodes",
    ("edge", NUMBER): "edges",
    ("link", NUMBER): "edge",
}
WORDS = """np warnings run start look step decide goes_on graph of me it CLASSES INPUTS STATE SEEN
OUTPUTS OUTCOMES graph_of checked everywhere bounded nodes edges links sides graphs"""
RESERVED = {*keyword.kwlist, *dir(builtins), *WORDS.split(), *HELPERS, *GIVEN.values()}


def to_python(program: Program) -> str:
    """A module with ``graph_of`` and ``run``, and all that these call; it needs NumPy alone."""
    hir = program.program
    lowered, writer = lower(hir), _Writer(hir)
    read = Counter(
        (at, name) for let in (*lowered.lets, *lowered.becomes) for at, name, _ in reads(let.value)
    )
    often = (let.name for let in lowered.lets if read[let.at, let.name] > 1)
    lowered = unshared(lowered, (*(let.name for let in hir.lets), *often))
    most = {"pair": "len(graph['nodes']) ** 2", "graph": "1"}.get(
        hir.per, f"len(graph['{hir.per}s'])"
    )
    fields = hir.inputs | hir.outputs | hir.state
    classes = {name: field.labels for name, field in fields.items() if field.labels}
    refusing = _refusing(program)
    module = MODULE.format(
        title=program.name,
        given=", ".join(f"{name!r}: ..." for name in hir.inputs),
        remarks=in_docstring(program.rules),
        classes={**classes, **classes_in_order(program.rules)},
        inputs={name: (f"{field.at}s", *_bounds(field)) for name, field in hir.inputs.items()},
        state=tuple(hir.state),
        seen=tuple(let.name for let in hir.lets if let.name != GOES_ON),
        outputs=tuple(hir.outputs),
        outcomes=hir.outcomes,
        most=most if hir.times == 1 else f"{hir.times} * {most}",
        stop="" if hir.goes_on is None else STOP.format(goes_on=GOES_ON),
        start=writer.function(lowered.start, hir.start),
        look=writer.function(lowered.lets, hir.lets),
        step=writer.function(lowered.becomes, hir.becomes, prefix="new "),
        refuse="refuse(graph, of)\n    " if refusing else "",
    )
    helpers = "".join(f"\n{HELPERS[name]}" for name in HELPERS if name in writer.calls)
    return f"{module}{GRAPH}{refusing}{helpers}\n\n{rule_functions(program.rules)}"


def _bounds(field: Field) -> tuple[int, int | str]:
    """The least and the greatest value; of a pointer, the table of the rows that it leads to."""
    if field.kind == "number":
        return field.bounds
    return 0, f"{field.to}s" if field.to else max(len(field.labels) - 1, 1)


def _refusing(program: Program) -> str:
    """Functions that refuse inputs; none where nothing is refused but by the bits of numbers."""
    functions, calls = dict[str, str](), ""
    named = [(CHECKS[str(name)][0], arguments) for name, *arguments in program.checks]
    for name, field in program.program.inputs.items():
        if field.distinct:
            named.append((DIFFERENT[field.distinct], [name]))
    for check, arguments in named:
        functions |= check_source(check)
        calls += f"{check.__name__}(known, of, {', '.join(map(repr, arguments))}), "
    made = "\n\n\n".join(functions.values())
    return REFUSING.format(calls=calls.rstrip(" "), functions=made) if calls else ""


class _Writer:
    """Writes expressions for all rows of a table at once."""

    def __init__(self, program: ir.Program) -> None:
        self.text, self.calls = Text.of(program), set[str]()
        fields = (program.inputs | program.state).items()
        self.pointers = {(field.at, name) for name, field in fields if field.kind == "pointer"}
        self.names: dict[str, str] = {}
        self._reads: dict[str, list[str]] = {}
        self._groups: dict[tuple[At, Group], str] = {}
        self._lines: list[str] = []
        self._what = ""  # what is computed, for a refusal
        self._is_of_pairs = False  # each array is then looked up for one of the two

    def function(self, lets: Iterable[Let], written: Iterable[Let], prefix: str = "") -> str:
        """The body of a function that computes lets and gives them back.

        prefix: of their variables, where what they are computed from has the same names.
        """
        said = {let.name: let for let in written}
        self._reads, self._groups, self._lines = {"graph": [], "of": []}, {}, []
        made = []
        for let in lets:
            self._what = let.name
            value = self(let.value, let.at)
            if isinstance(let.value, And | Or | Compare):
                value = value[1:-1]  # it stands alone
            if not _is_full(let.value):
                value = f"everywhere({self._given(f'{let.at}s')}, {value})"
            if let.name in said:
                wanted = self.text(said[let.name].value)
                self._lines.append(f"# {let.name}, of every {let.at}: {wanted}")
            self._lines.append(f"{self._name(prefix + let.name)} = {value}")
            made.append(let.name)
        reads = []
        for source, names in self._reads.items():
            read = [name for name in names if source == "graph" or prefix or name not in made]
            if read:
                variables = ", ".join(self._name(name) if source == "of" else name for name in read)
                keys = ", ".join(map(repr, read))
                reads.append(
                    f"{variables} = {source}[{keys}]"
                    if len(read) == 1
                    else f"{variables} = ({source}[name] for name in ({keys}))"
                )
        given = ", ".join(f"{name!r}: {self._name(prefix + name)}" for name in made)
        return "\n".join(f"    {line}" for line in [*reads, *self._lines, f"return {{{given}}}"])

    def _name(self, name: str) -> str:
        """A column's variable."""
        if name not in self.names:
            word = re.sub(r"\W", "_", name)
            while word in RESERVED or word in self.names.values():
                word += "_"
            self.names[name] = word
        return self.names[name]

    def _read(self, source: str, name: str) -> None:
        if name not in self._reads[source]:
            self._reads[source].append(name)

    def _given(self, name: str) -> str:
        """An array of the graph's."""
        self._read("graph", name)
        return name

    def _rows(self, at: At) -> str:
        """The rows of a table."""
        return self._given(f"{at}s")

    def _call(self, function: str, *arguments: str) -> str:
        self.calls |= {function, *NEEDS.get(function, ())}
        return f"{function}({', '.join(arguments)})"

    def __call__(self, node: Expr, at: At) -> str:
        """An array of an expression, or one value where it is the same for all rows."""

        def say(part: Expr) -> str:
            return self(part, at)

        match node:
            case Const(value):
                return str(value)
            case Me() | It() if self._is_of_pairs:
                return "me" if node == ME else "it"
            case Get(column, _, Me() | It() as of) if self._is_of_pairs and column != "graph":
                return f"{self._column(Get(column, node.at), at)}[{self(of, at)}]"
            case Me():
                return self._rows(at)
            case Get():
                return self._column(node, at)
            case Not(Const(value)):
                return str(not value)
            case Not(term):
                return f"~{say(term)}"
            case And(terms):
                return f"({' & '.join(map(say, terms))})"
            case Or(terms):
                return f"({' | '.join(map(say, terms))})"
            case Compare(left, op, right):
                mark = {"=": "=="}.get(op, op)
                one, other = (", ".join(map(say, side)) for side in (left, right))
                if len(left) == 1:
                    return f"({one} {mark} {other})"
                return f"({self._call('compared', f'[{one}]', f'[{other}]')} {mark} 0)"
            case Arith(a, "*", b):
                return self._call("product", say(a), say(b))
            case Arith(a, op, b):
                return f"({say(a)} {op} {say(b)})"
            case Case(cases, otherwise):
                text = say(otherwise)
                if len(cases) > MOST_NESTED:
                    parts = (", ".join(map(say, each)) for each in zip(*cases, strict=True))
                    return f"np.select([{'], ['.join(parts)}], {text})"
                for condition, part in reversed(cases):
                    text = f"np.where({say(condition)}, {say(part)}, {text})"
                return text
            case Within(of, least, most):
                number = say(of)
                number = number[1:-1] if isinstance(of, Arith) and of.op != "*" else number
                return f"bounded({self._what!r}, {number}, {least}, {most})"
            case Known(of):
                return f"({say(of)} >= 0)"
            case Any(group, where):
                return self._call("some_of", self._group(group, at), self(where, group.rows))
            case Count(group, where):
                return self._call("number_of", self._group(group, at), self(where, group.rows))
            case First(group, where, keys, last, rank):
                order = [", ".join(self(key, group.rows) for key in keys)]
                more = [f"({order[0]},)"] if keys else []
                more += ["last=True"] * last + ["rank=1"] * rank
                marked = self(where, group.rows)
                return self._call("first_of", self._group(group, at), marked, *more)
            case Pairs(rows, where):
                self._is_of_pairs = True
                fits = self(where, at)
                self._is_of_pairs = False
                mine, its = self._rows(at), self._rows(rows)
                return self._call("pairs_of", mine, its, f"lambda me, it: {fits}")
        raise TypeError(node)

    def _column(self, node: Get, at: At) -> str:
        if node.column == "graph":
            return "0"
        is_given = (node.at, node.column) in GIVEN
        if not is_given:
            self._read("of", node.column)
        values = self._given(GIVEN[node.at, node.column]) if is_given else self._name(node.column)
        if isinstance(node.of, Me):
            return values
        index = self(node.of, at)
        return f"{values}[{index}]" if self._is_row(node.of) else self._call("taken", values, index)

    def _is_row(self, node: Expr) -> bool:
        """Whether it is a row in any case, and never none."""
        match node:
            case Get(column, table, of):
                is_step = (table, column) in STEPS or (table, column) in self.pointers
                return is_step and self._is_row(of)
        return isinstance(node, Me | It)

    def _group(self, group: Group, at: At) -> str:
        """The name of a group, which is found once."""
        if (at, group) not in self._groups:
            mine = ", ".join([self._rows(at), *(self(part, at) for part in group.mine)])
            keys = ", ".join(self(part, group.rows) for part in group.key)
            rows = self._rows(group.rows)
            name = f"groups_{len(self._groups)}"
            self._groups[at, group] = name
            self._lines.append(f"{name} = {self._call('grouped', f'[{mine}]', rows, f'[{keys}]')}")
        return self._groups[at, group]


def _is_full(node: Expr) -> bool:
    """Whether an expression gives a value for every row, and not one for all."""
    match node:
        case Me() | Any() | Count() | First() | Pairs():
            return True
        case Get(column, _, of):
            return column != "graph" and _is_full(of)
    return any(map(_is_full, children(node)))
