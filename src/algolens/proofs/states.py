"""What expressions of HIR are, of any row of any graph, as terms of Z3.

A statement about those in view is a predicate of its own, and the first in view a function, with
axioms that define it. A question rests on the definitions of what it names alone
(``State.resting``).

A ``Side`` is one program in a state: what it sees, what a step makes, whether it goes on.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, combinations_with_replacement, islice, product
from typing import NamedTuple

from algolens.language.ir import (
    GOES_ON,
    IT,
    ME,
    NUMBER,
    And,
    Arith,
    At,
    Case,
    Compare,
    Const,
    Expr,
    Field,
    Get,
    It,
    Let,
    Me,
    Not,
    Or,
    Program,
    Quantified,
    The,
    View,
    Within,
    children,
    conjunction,
    parts_of,
    put,
    speaks_of,
)
from algolens.language.lower import MOST
from algolens.language.text import table_of
from algolens.proofs.theory import (
    Expression,
    GraphTheory,
    Value,
    all_of,
    for_all,
    in_time,
    lexicographic,
    names_in,
    z3,
)

MOST_PATTERNS = 200  # of one axiom
Said = Callable[[Expression, Expression], Expression]  # of a row and of one in view
Keys = Callable[[Expression], list[Expression]]  # of one in view


class WayIntoView(NamedTuple):
    """One way for another to be in view of a row."""

    variable: Expression
    mine: Expression  # both sides meet where it is in view; None: it always is
    its: Expression
    it: Expression  # whom it leads to
    holds: Expression  # that it is in view


class State:
    """A state of a graph: its columns, and what expressions are in it.

    Parameters
    ----------
    theory : GraphTheory
        The graph.
    suffix : str
        By which functions of this state differ from those of others.
    """

    passes_over = True  # a case whose value is that of a row in view, where none is: so is HIR

    def __init__(self, theory: GraphTheory, suffix: str = "") -> None:
        self.theory, self.suffix = theory, suffix
        self.values: dict[str, Value] = {}
        self.axioms: list[Expression] = []
        # axioms by the name of what they define, and what is defined; programs of one state share
        # them, so that what both say is said once
        self.defining: dict[str, list[Expression]] = {}
        self._defined: dict[object, tuple[Value, object]] = {}
        self._predicates: dict[tuple[Expr, At], Value] = {}

    def another(self, suffix: str) -> State:
        """Another state, of the columns that are known so far."""
        other = State(self.theory, suffix)
        other.values = dict(self.values)
        return other

    def share(self, other: State) -> None:
        """Takes over the columns of the same state, and what is defined in it; more may be named
        here.
        """
        self.values = dict(other.values)
        self.axioms, self.defining, self._defined = other.axioms, other.defining, other._defined

    def resting(self, statements: Sequence[Expression]) -> list[Expression]:
        """Axioms of this state that statements rest on: of definitions, those that they name."""
        return [*self.axioms, *self.definitions(statements)]

    def definitions(self, statements: Sequence[Expression]) -> list[Expression]:
        """Definitions of what statements name, and of what these name."""
        made, todo = dict[str, list[Expression]](), list(statements)
        for statement in todo:  # what definitions name is added, and comes after what names it
            for name in names_in(statement):
                if name not in made:
                    made[name] = self.defining.get(name, [])
                    todo += made[name]
        return list(chain(*made.values()))

    # ---- columns

    def declare(self, name: str, field: Field, key: str | None = None, met: bool = True) -> None:
        """Adds a column of any values of its kind.

        key: by which both programs know it. met: whether axioms are instantiated for rows that it
        is said of.
        """
        theory, at = self.theory, field.at
        sort = {"mask": z3.BoolSort(), "category": theory.label}.get(field.kind, z3.IntSort())
        if field.to is not None:
            sort = theory.sorts[field.to]
        # no word of the theory may be called so
        value = theory.function(at, f"{key or 'field ' + name}{self.suffix}", sort)
        self.values[name] = value
        row = theory.variable(at)
        called, said = value(row), None
        if at != "graph" and met:
            theory.known[at].append(value)
        if field.kind == "category":
            said = z3.Or(*[called == theory.label_of(one) for one in range(len(field.labels))])
        elif field.kind == "number":
            said = called >= field.bounds[0]
        if said is not None:  # a row that stands for none, in a graph without edges, has any value
            self.axioms.append(for_all([row], theory.where_there(at, said), [[called]]))
        if field.distinct is not None and at != "graph":
            self.axioms.append(self._distinct(field, value))

    def _distinct(self, field: Field, value: Value) -> Expression:
        """That no two numbers of the graph, or of neighbours, are the same; inputs are refused
        where they are.
        """
        theory, at = self.theory, field.at
        if field.distinct == "graph":
            row = theory.variable(at)
            back = z3.Function(theory.fresh("of number"), z3.IntSort(), theory.sorts[at])
            alone = back(value(row)) == row
            return for_all([row], theory.where_there(at, alone), [[value(row)]])
        link = theory.variable("link", "link")
        sender, receiver = map(value, theory.ends(link))
        apart = theory.where_there("link", sender != receiver)
        return for_all([link], apart, theory.met("link", link))

    # ---- expressions

    def value(self, node: Expr, me: Expression, it: Expression = None) -> Expression:
        """What an expression is of a row, and of one in view; the graph's row is None."""

        def say(part: Expr) -> Expression:
            return self.value(part, me, it)

        match node:
            case Const(value):
                return (z3.BoolVal if isinstance(value, bool) else z3.IntVal)(value)
            case Me():
                return me
            case It():
                return it
            case Get(column, at, of):
                return self._column(column, at, say(of))
            case Not(term):
                return ~say(term)
            case And(terms):
                return z3.And(*map(say, terms))
            case Or(terms):
                return z3.Or(*map(say, terms))
            case Compare(left, op, right):
                return self._compare([*map(say, left)], op, [*map(say, right)])
            case Arith(a, "*", b):
                return self._product([a, b], say)
            case Arith(a, op, b):
                return ARITH[op](self.order(say(a)), self.order(say(b)))
            case Within(of):
                return say(of)
            case Case():
                return self.case(node, me, it)
            case Quantified():
                return self._quantified(node, me)
            case The(_, _, value):
                return self.value(value, me, self._first(node, me)[1])
        raise TypeError(node)

    def _column(self, column: str, at: At, row: Expression) -> Expression:
        theory = self.theory
        if at == "side":
            link, turned = row
            other = {"sender": "receiver", "receiver": "sender"}
            return theory.steps["link", other[column] if turned else column](link)
        if column == "graph":
            return None
        if column == NUMBER:
            return theory.number_of(at, row)
        is_step = (at, column) in theory.steps
        return (theory.steps[at, column] if is_step else self.values[column])(row)

    def _compare(
        self, left: Sequence[Expression], op: str, right: Sequence[Expression]
    ) -> Expression:
        if op in ("=", "!="):  # two paths to the graph meet
            pairs = [self._alike(a, b) for a, b in zip(left, right, strict=True)]
            holds = all_of([z3.BoolVal(True) if a is None else a == b for a, b in pairs])
        else:
            sides = [[*map(self.order, side)] for side in (left, right)]
            holds = lexicographic(*sides[:: 1 if op in ("<", ">=") else -1])
        return holds if op in ("=", "<", ">") else ~holds

    def order(self, value: Expression) -> Expression:
        """What comes first: a lower number, or a row at an earlier place."""
        theory = self.theory
        is_row = value.sort() in theory.sorts.values()
        return theory.place(theory.table(value), value) if is_row else value

    def _alike(self, a: Expression, b: Expression) -> tuple[Expression, Expression]:
        """Two values; of a category and a number, the class of that number."""
        if a is not None and a.sort() != b.sort():
            return self._class(a), self._class(b)
        return a, b

    def _class(self, value: Expression) -> Expression:
        return self.theory.label_of(value.as_long()) if z3.is_int_value(value) else value

    def _product(self, factors: list[Expr], say: Value) -> Expression:
        """A product: that factors commute is all that is used of it, besides numbers."""
        number, values = 1, []
        while factors:
            match factors.pop():
                case Const(value):
                    number *= value
                case Arith(a, "*", b):
                    factors += [a, b]
                case factor:
                    values.append(say(factor))
        made, *rest = sorted(values, key=str) or [z3.IntVal(1)]
        times = z3.Function("times", *[z3.IntSort()] * 3)
        for other in rest:
            made = times(made, other)
        return number * made

    def case(
        self, node: Expr, me: Expression, it: Expression = None, *, is_class: bool = False
    ) -> Expression:
        """The value of the first case that holds. is_class: numbers are classes of a category."""
        if not isinstance(node, Case):
            value = self.value(node, me, it)
            return self._class(value) if is_class else value
        result = self.case(node.otherwise, me, it, is_class=is_class)
        for guard, value in reversed(node.cases):
            firsts = parts_of(value, The) if self.passes_over else ()
            known = [self._first(one, me)[0] for one in firsts]
            holds = z3.And(self.value(guard, me, it), *known)
            result = z3.If(holds, self.case(value, me, it, is_class=is_class), result)
        return result

    # ---- those in view

    def ways(self, view: View, me: Expression) -> list[WayIntoView]:
        """The ways for another to be in view of a row."""
        theory, is_side = self.theory, view.rows == "side"
        rows: At = "link" if is_side else view.rows
        turns = (False, True) if is_side and theory.graphs != "undirected" else (False,)
        made = []
        for (mine, its), turned in product(view.joins, turns):  # every edge has a link each way
            variable = theory.variable(rows, "link" if rows == "link" else "other")
            row = (variable, turned) if is_side else variable
            sides = self.value(mine, me), self.value(its, None, row)
            it, parts = self.value(view.it, None, row), [theory.there(rows)]
            if sides[0] is not None:
                parts.append(sides[0] == sides[1])
            if view.apart:
                parts.append(it != me)
            made.append(WayIntoView(variable, *sides, it, all_of(parts)))
        return made

    def _quantified(self, node: Quantified, me: Expression) -> Expression:
        """That so many in view are so."""
        view, count, at = node.view, node.count, self.theory.table(me)
        is_every = node.quantity == "every"
        counted = Not(node.body) if is_every else node.body
        said = partial(self.value, counted)
        if is_listed(view):  # each is looked at
            whom = [said(me, self.value(mine, me)) for mine, _ in view.joins]
            holds = z3.Or(*whom) if count == 1 else z3.AtLeast(*whom, count)
        else:
            if (node, at) not in self._predicates:
                known = len(self._defined)
                predicate = self._predicates[node, at] = self.enough(view, at, said, count)
                if len(self._defined) > known and count == 1:
                    self._least_exists(view, counted, at, predicate(self.theory.variable(at, "me")))
            holds = self._predicates[node, at](me)
        return ~holds if is_every else holds

    def some_row(self, at: At, said: Value) -> Expression:
        """That some row of a table is so."""
        everyone = View(at, at, ((ME, Get("graph", at, IT)),))
        return self.enough(everyone, "graph", lambda _, it: said(it))(None)

    def enough(self, view: View, at: At, said: Said, count: int = 1) -> Value:
        """The predicate that so many in view are so; one for each view, count and statement."""
        key = (count, *self._about(view, at, said))
        return self._once(key, lambda: self._counting(view, at, said, count))

    def _first(self, node: The, me: Expression) -> tuple[Expression, Expression]:
        """Whether some in view are so, and the first of them: by keys, then by its place."""
        view, at, said = node.view, self.theory.table(me), partial(self.value, node.where)

        def keys(it: Expression) -> list[Expression]:
            values = [self.order(self.value(key, None, it)) for key in node.by]
            return [*values, self.theory.place(table_of(view), it)]

        exists = self.enough(view, at, said)
        key = "first", *self._about(view, at, said, keys)
        first = self._once(key, lambda: self._least(view, at, said, exists, keys))
        return exists(me), first(me)

    def _about(
        self, view: View, at: At, said: Said, keys: Keys = lambda _: []
    ) -> tuple[object, ...]:
        """By what a statement about those in view is known: what it says of two given rows."""
        sorts, is_side = self.theory.sorts, view.rows == "side"
        me = None if at == "graph" else z3.Const("me", sorts[at])
        row = z3.Const("row", sorts["link" if is_side else view.rows])
        it = z3.Const("it", sorts[table_of(view)])
        terms = [self.value(mine, me) for mine, _ in view.joins]
        terms += [self.value(its, None, (row, False) if is_side else row) for _, its in view.joins]
        terms += [z3.simplify(said(me, it)), *keys(it)]
        held = [Held(term) for term in terms if term is not None]
        return at, view.rows, view.it, view.apart, *held

    def _once(self, key: object, define: Callable[[], Value]) -> Value:
        if key not in self._defined:
            self._defined[key] = define(), key  # what is kept keeps its number
        return self._defined[key][0]

    def _counting(self, view: View, at: At, said: Said, count: int) -> Value:
        """A predicate: where it holds, there are witnesses; where enough are in view, it holds."""
        theory, others = self.theory, table_of(view)
        me = theory.variable(at, "me")
        predicate = self._function(at, f"some {view.words}", z3.BoolSort())
        called = predicate(me)
        # where it holds, so many different ones are in view that are so
        parts, its = [], []
        for _ in range(count):
            it, in_view = self._witness(view, at, me)
            parts += [in_view, said(me, it), theory.is_met(others, it)]
            its.append(it)
        if count > 1:
            parts.append(z3.Distinct(*its))
        self._add(called, for_all([me], z3.Implies(called, z3.And(*parts)), [[called]], 1))
        # and where so many are, it holds
        places = range(len(self.ways(view, me)))
        for chosen in combinations_with_replacement(places, count):
            views = [self.ways(view, me)[place] for place in in_time(chosen, theory.until)]
            its = [one.it for one in views]
            parts = [*(one.holds for one in views), *(said(me, it) for it in its)]
            if count > 1:
                parts.append(z3.Distinct(*its))
            self._for_each(views, others, me, predicate, z3.Implies(z3.And(*parts), called))
        return predicate

    def _witness(self, view: View, at: At, me: Expression) -> tuple[Expression, Expression]:
        """A new witness for each row, and that it is in view."""
        first, *others = self.ways(view, me)
        if others:
            it = self._function(at, "witness", self.theory.sorts[table_of(view)])(me)
            return it, self._is_seen(view, at, me, it)
        way = first.variable, self._function(at, "way", first.variable.sort())(me)
        return z3.substitute(first.it, way), z3.substitute(first.holds, way)

    def _is_seen(self, view: View, at: At, me: Expression, it: Expression) -> Expression:
        """That a row is in view, by new functions that tell how."""
        ways = []
        for one in self.ways(view, me):
            way = self._function(at, "way", one.variable.sort())(me)
            ways.append(z3.substitute(one.holds & (one.it == it), (one.variable, way)))
        return z3.Or(*ways)

    def _add(self, called: Expression, axiom: Expression) -> None:
        """Adds an axiom to the definition of what is called."""
        self.defining.setdefault(called.decl().name(), []).append(axiom)

    def _function(self, at: At, words: str, sort: Expression) -> Value:
        return self.theory.function(at, self.theory.fresh(words + self.suffix), sort)

    def _for_each(
        self, views: list[WayIntoView], others: At, me: Expression, called: Value, said: Expression
    ) -> None:
        """Adds a statement about a row and those in view, where a function is called of it."""
        theory, first = self.theory, views[0]
        variables = [one.variable for one in views]
        if me is not None and first.mine is not None and first.mine.eq(me):
            # the row is where the first one's path leads
            said = z3.substitute(said, (me, first.its))
            patterns = [[called(first.its), *(one.its for one in views[1:])]]
        else:
            ways = [
                theory.met(others, one.variable)
                if one.its is None or one.its.eq(one.variable)
                else [[one.its]]
                for one in views
            ]
            own = [] if me is None else [called(me)]
            some = in_time(islice(product(*ways), MOST_PATTERNS), theory.until)
            patterns = [[*own, *chain(*chosen)] for chosen in some]
            variables = [me, *variables]
        self._add(called(me), for_all(variables, said, patterns))

    def _least(self, view: View, at: At, said: Said, exists: Value, keys: Keys) -> Value:
        """Of those in view that are so, the first; any, where none is."""
        others, me = table_of(view), self.theory.variable(at, "me")
        first = self._function(at, "first", self.theory.sorts[others])
        chosen = first(me)
        seen = self._is_seen(view, at, me, chosen)
        so = z3.And(seen, said(me, chosen), self.theory.is_met(others, chosen))
        self._add(chosen, for_all([me], z3.Implies(exists(me), so), [[chosen]], 1))
        for one in self.ways(view, me):
            is_before = lexicographic(keys(one.it), keys(chosen))
            so = z3.Implies(one.holds & said(me, one.it), ~is_before)
            self._for_each([one], others, me, first, so)
        return first

    def _least_exists(self, view: View, counted: Expr, at: At, called: Expression) -> None:
        """That a finite set which is not empty has a first, for sets of which a statement says so.

        ``no other node (waits & its key < my key)`` tells the first of those that wait: if any
        waits, one does before which none comes.
        """
        parts = counted.terms if isinstance(counted, And) else (counted,)
        compared = [part for part in parts if _orders(part)]
        rest = conjunction(*(part for part in parts if part not in compared))
        mine, its = view.joins[0]
        is_group = len(view.joins) == 1 and view.it == IT and put(mine, me=IT) == its
        is_own = ME in speaks_of(rest) or bool(parts_of(rest, Quantified))
        if len(compared) != 1 or is_own or not is_group:
            return
        order, theory = compared[0], self.theory
        assert isinstance(order, Compare)
        is_first = (IT in speaks_of(order.left[0])) == (order.op == "<")  # least or greatest

        def key(row: Expression) -> list[Expression]:
            return [self.value(term, row, row) for term in order.left]

        member = theory.variable(at, "member")
        group, name = self.value(mine, member), theory.fresh(f"first{self.suffix}")
        least = z3.Const(name, theory.sorts[at])
        own, same = [], z3.BoolVal(True)
        if group is not None:
            least = z3.Function(name, group.sort(), theory.sorts[at])(group)
            own, same = [least], self.value(mine, least) == group
        belongs = self.value(rest, member, member)
        there = z3.And(self.value(rest, least, least), theory.is_met(at, least), same)
        sides = [key(member), key(least)][:: 1 if is_first else -1]
        met = theory.met(at, member)
        self._add(called, for_all([member], z3.Implies(belongs, there), met, 1))
        none_before = z3.Implies(belongs, ~lexicographic(*sides))
        self._add(called, for_all([member], none_before, [[*own, *one] for one in met]))


@dataclass(frozen=True, eq=False)
class Held:
    """A term of Z3, equal to itself alone; while it is held, its number stays its own."""

    term: Expression

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Held) and self.term.eq(other.term)

    def __hash__(self) -> int:
        return self.term.get_id()


def is_listed(view: View) -> bool:
    """Whether it shows what pointers of the row lead to, as both ends of an edge."""
    return all(its == IT for _, its in view.joins)


def _orders(part: Expr) -> bool:
    """Whether it says that one of two rows comes before the other, by the same keys."""
    match part:
        case Compare(left, "<" | ">", right):
            sides = [frozenset[Expr]().union(*map(speaks_of, side)) for side in (left, right)]
            turned = tuple(put(term, me=IT, it=ME) for term in left)
            return sides in ([{ME}, {IT}], [{IT}, {ME}]) and turned == right
    return False


INDICES = 0, 2**40  # of nodes and edges, which memory holds
ARITH = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Side(State):
    """A program, in a state.

    Parameters
    ----------
    program : Program
        HIR.
    state, inputs : State
        Inputs and state, by their own names; and inputs alone, in which it begins.
    """

    def __init__(self, program: Program, state: State, inputs: State) -> None:
        super().__init__(state.theory, state.suffix)
        self.share(state)
        self.fields, self.inputs = program.inputs | program.state, inputs
        self._kinds = program.outputs | program.state
        self._start, self._becomes, self._sees = (
            {let.name: let.value for let in lets}
            for lets in (program.start, program.becomes, program.lets)
        )
        for name, value in self._sees.items():
            self.values[name] = partial(self.value, value)

    def after(self, name: str, me: Expression) -> Expression:
        """What a step makes of a field of a row."""
        if name not in self._becomes:
            return self.values[name](me)
        is_class = self._kinds[name].kind == "category"
        return self.case(self._becomes[name], me, is_class=is_class)

    def start(self, name: str, me: Expression) -> Expression:
        """How a field of a row begins."""
        is_class = self._kinds[name].kind == "category"
        return self.inputs.case(self._start[name], me, is_class=is_class)

    def outcome(self, name: str) -> Expression:
        """What is told in the end: what is seen then, or what one more step would make of it."""
        return self.values[name](None) if name in self._sees else self.after(name, None)

    def goes_on(self) -> Expression:
        """Whether another step is taken from this state."""
        return self.values[GOES_ON](None)

    def refuses(self, lets: tuple[Let, ...]) -> Expression:
        """Whether some number on the way has no room, so that a run is refused."""
        parts = [z3.BoolVal(False)]
        for let in lets:
            for at, node in _arithmetic(let.value, let.at):
                if max(map(abs, self._bounds(node))) > MOST:
                    large = partial(self._has_no_room, node)
                    parts.append(large(None) if at == "graph" else self._some(at, large))
        return z3.Or(*parts)

    def _some(self, at: At, said: Value) -> Expression:
        """That some row of a table is so; a side is a link, one way or the other."""
        if at != "side":
            return self.some_row(at, said)
        ways = (lambda link, turned=turned: said((link, turned)) for turned in (False, True))
        return z3.Or(*(self.some_row("link", way) for way in ways))

    def _has_no_room(self, node: Expr, me: Expression) -> Expression:
        value = self.value(node, me)
        return (value > MOST) | (value < -MOST)

    def _bounds(self, node: Expr) -> tuple[int, int]:
        """Between which numbers a value is, as far as the bits of fields tell."""
        match node:
            case Const(value):
                return value, value
            case Get(column):
                if column == NUMBER:
                    return INDICES
                return self.fields[column].bounds if column in self.fields else (-MOST, MOST)
            case Arith(a, op, b):
                ends = [ARITH[op](x, y) for x, y in product(self._bounds(a), self._bounds(b))]
                return min(ends), max(ends)
        return -MOST, MOST


def _arithmetic(node: Expr, at: At, view: View | None = None) -> Iterator[tuple[At, Expr]]:
    """All sums and products in an expression, each said of a row of its table; those of another in
    view, of the rows that the view goes through, as engines compute them.
    """
    match node:
        case Arith() if view is not None and IT in speaks_of(node):
            yield view.rows, put(node, it=put(view.it, it=ME))
        case Arith():
            yield at, node
        case Quantified() | The():
            view = node.view
    for child in children(node):
        yield from _arithmetic(child, at, view)
