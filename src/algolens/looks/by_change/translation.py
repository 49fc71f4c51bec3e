"""Functions of whole numbers, as the kernel is written in, turned into code of LLVM.

A function is translated for the arguments that are known beforehand. What follows from these alone
is computed here, branches that are never taken are left out, and loops of a known length are laid
out: so the kernel, which interprets records, becomes the program of a look whose records are known.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

Function = Callable[..., Any]
LONGEST = 64  # a loop of a known length beyond it stays a loop

ARITHMETIC = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.BitAnd: "and",
    ast.BitOr: "or",
    ast.BitXor: "xor",
    ast.LShift: "shl",
    ast.RShift: "ashr",
    ast.FloorDiv: "sdiv",  # the kernel divides numbers that are not negative
    ast.Mod: "srem",
}
COMPARED = {
    ast.Eq: "eq",
    ast.NotEq: "ne",
    ast.Lt: "slt",
    ast.LtE: "sle",
    ast.Gt: "sgt",
    ast.GtE: "sge",
}


class Pointer(NamedTuple):
    """Where an array begins."""

    register: str
    type: str  # of its numbers
    known: bool = False  # whether some of its numbers are known: it is the array of records


class Slot(NamedTuple):
    """A variable in memory, whose value depends on the way that was taken."""

    register: str


Value = Any  # int: known; str: the register that holds it; Pointer; tuple of values


@dataclass(frozen=True)
class Known:
    """What is known of the array of records before it is made."""

    values: Mapping[int, int] = field(default_factory=dict)  # of some addresses
    lasting: frozenset[int] = frozenset()  # addresses of what never changes, though unknown


class Module:
    """The functions that an entry needs, each once for the arguments that are known."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.texts: list[str] = []
        self._names: dict[tuple[Function, tuple[Value, ...]], str] = {}

    def entry(self, function: Function, types: Iterable[str]) -> str:
        """The code for a function that Python calls, with pointers (as "i64*") and numbers."""
        pointers = tuple(
            Pointer("", kind[:-1], not number) if kind.endswith("*") else None
            for number, kind in enumerate(types)
        )
        name = self.function(function, pointers)
        text = "\n".join(self.texts)
        return text.replace(f"define internal i64 @{name}(", "define i64 @entry(") + "\n!0 = !{}\n"

    def function(self, function: Function, given: tuple[Value, ...]) -> str:
        """The name of a function for known arguments; None: an argument that is not known."""
        label = (function, given)
        if label not in self._names:
            self._names[label] = f"{function.__name__}.{len(self._names)}"
            self.texts.append(_Translation(self, function, given, self._names[label]).text())
        return self._names[label]


@cache
def _tree(function: Function) -> ast.FunctionDef:
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


@cache
def num_returned(function: Function) -> int:
    """How many values a function gives."""
    for node in ast.walk(_tree(function)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            return len(node.value.elts)
    return 1


def _type_returned(function: Function) -> str:
    number = num_returned(function)
    return "i64" if number == 1 else "{" + ", ".join(["i64"] * number) + "}"


class _Translation:
    """One function for known arguments."""

    def __init__(
        self, module: Module, function: Function, given: tuple[Value, ...], name: str
    ) -> None:
        self.module, self.function, self.name = module, function, name
        self.tree = _tree(function)
        self.live = live_variables(function)
        self.lines: list[str] = []
        self.slots: list[str] = []  # where variables are put, at the begin of the function
        self.variables: dict[str, Value] = {}
        self.held: set[str] = set()  # variables that must stay in their slots
        self.loops: list[tuple[str, str]] = []  # where to go on, and where to leave to
        self.number = 0
        self.is_closed = False  # whether the code here is never reached
        self.parameters = []
        for argument, value in zip(self.tree.args.args, given, strict=True):
            register = f"%{argument.arg}"
            if isinstance(value, Pointer):
                self.parameters.append(f"ptr noalias {register}")
                self.variables[argument.arg] = value._replace(register=register)
            elif value is None:
                self.parameters.append(f"i64 {register}")
                self.variables[argument.arg] = register
            else:
                self.variables[argument.arg] = value

    def text(self) -> str:
        """The code of the function."""
        self.statements(self.tree.body)
        if not self.is_closed:
            self.emit(f"ret {_type_returned(self.function)} zeroinitializer")
        kind, parameters = _type_returned(self.function), ", ".join(self.parameters)
        head = f"define internal {kind} @{self.name}({parameters}) nounwind {{\nbegin:"
        return "\n".join([head, *self.slots, *self.lines, "}"])

    # ---- code

    def emit(self, line: str) -> None:
        self.lines.append("  " + line)

    def register(self) -> str:
        self.number += 1
        return f"%.{self.number}"

    def computed(self, code: str) -> str:
        register = self.register()
        self.emit(f"{register} = {code}")
        return register

    def label(self) -> str:
        self.number += 1
        return f"b{self.number}"

    def begin(self, label: str) -> None:
        """What follows stands under a label."""
        self.lines.append(f"{label}:")
        self.is_closed = False

    def go_to(self, label: str) -> None:
        if not self.is_closed:
            self.emit(f"br label %{label}")
        self.is_closed = True

    def branch(self, condition: str, one: str, other: str) -> None:
        bit = self.computed(f"icmp ne i64 {condition}, 0")
        self.emit(f"br i1 {bit}, label %{one}, label %{other}")
        self.is_closed = True

    # ---- variables

    def assign(self, name: str, value: Value) -> None:
        if name in self.held:
            self.emit(f"store i64 {value}, ptr {self.variables[name].register}")
        else:
            self.variables[name] = value

    def value_of(self, name: str) -> Value:
        if name not in self.variables:
            return self.function.__globals__[name]
        value = self.variables[name]
        return (
            self.computed(f"load i64, ptr {value.register}") if isinstance(value, Slot) else value
        )

    @contextmanager
    def holding(self, names: Iterable[str]) -> Iterator[None]:
        """Around code that is not run once and in order: these variables are kept in slots."""
        new = [name for name in sorted(names) if name not in self.held]
        for name in new:
            slot = self.slot()
            if name in self.variables:
                self.emit(f"store i64 {self.value_of(name)}, ptr {slot}")
            self.variables[name] = Slot(slot)
        self.held.update(new)
        kept = dict(self.variables)
        yield
        self.held.difference_update(new)
        self.variables = kept

    def slot(self) -> str:
        slot = self.register()
        self.slots.append(f"  {slot} = alloca i64")
        return slot

    # ---- statements

    def statements(self, body: list[ast.stmt]) -> None:
        for statement in body:
            if self.is_closed:
                return
            getattr(self, f"do_{type(statement).__name__}")(statement)

    def do_Expr(self, statement: ast.Expr) -> None:
        if not isinstance(statement.value, ast.Constant):  # a docstring
            self.value(statement.value)

    def do_Return(self, statement: ast.Return) -> None:
        value = 0 if statement.value is None else self.value(statement.value)
        kind = _type_returned(self.function)
        if isinstance(value, tuple):
            whole = "undef"
            for place, part in enumerate(value):
                whole = self.computed(f"insertvalue {kind} {whole}, i64 {part}, {place}")
            value = whole
        self.emit(f"ret {kind} {value}")
        self.is_closed = True

    def do_Assign(self, statement: ast.Assign) -> None:
        value = self.value(statement.value)
        for target in statement.targets:
            self.store(target, value)

    def do_AugAssign(self, statement: ast.AugAssign) -> None:
        value = self.value(statement.value)
        operation = ARITHMETIC[type(statement.op)]
        if isinstance(statement.target, ast.Name):
            name = statement.target.id
            self.assign(name, self.combined(operation, self.value_of(name), value))
            return
        assert isinstance(statement.target, ast.Subscript)
        kind, place, _ = self.place(statement.target)
        before = self.widened(kind, self.computed(f"load {kind}, ptr {place}"))
        self.put(kind, place, self.combined(operation, before, value))

    def store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Tuple):
            for part, own in zip(target.elts, value, strict=True):
                self.store(part, own)
        elif isinstance(target, ast.Name):
            self.assign(target.id, value)
        else:
            assert isinstance(target, ast.Subscript)
            kind, place, _ = self.place(target)
            self.put(kind, place, value)

    def put(self, kind: str, place: str, value: Value) -> None:
        if kind != "i64" and isinstance(value, str):
            value = self.computed(f"trunc i64 {value} to {kind}")
        self.emit(f"store {kind} {value}, ptr {place}")

    def widened(self, kind: str, value: str) -> str:
        return value if kind == "i64" else self.computed(f"sext {kind} {value} to i64")

    def do_If(self, statement: ast.If) -> None:
        condition = self.value(statement.test)
        if isinstance(condition, int):
            self.statements(statement.body if condition else statement.orelse)
            return
        one, other, end = self.label(), self.label(), self.label()
        with self.holding(_stored([statement]) & self.live[statement]):
            before = dict(self.variables)
            self.branch(condition, one, other)
            self.begin(one)
            self.statements(statement.body)
            reaches = not self.is_closed
            self.go_to(end)
            self.variables = before
            self.begin(other)
            self.statements(statement.orelse)
            reaches |= not self.is_closed
            self.go_to(end)
        self.begin(end)
        if not reaches:
            self.emit("unreachable")
            self.is_closed = True

    def do_While(self, statement: ast.While) -> None:
        head, body, end = self.label(), self.label(), self.label()
        with self.holding(_stored([statement]) & self.live[statement]):
            self.go_to(head)
            self.begin(head)
            condition = self.value(statement.test)
            self.branch(condition, body, end)
            self.begin(body)
            self.loop_body(statement.body, head, end)
            self.go_to(head)
        self.begin(end)

    def loop_body(self, body: list[ast.stmt], head: str, end: str) -> None:
        self.loops.append((head, end))
        self.statements(body)
        self.loops.pop()

    def do_For(self, statement: ast.For) -> None:
        assert isinstance(statement.target, ast.Name)
        assert isinstance(statement.iter, ast.Call)
        bounds = [self.value(argument) for argument in statement.iter.args]
        first, last = bounds if len(bounds) == 2 else (0, bounds[0])
        name, body = statement.target.id, statement.body
        if isinstance(first, int) and isinstance(last, int) and last - first <= LONGEST:
            self.laid_out(statement, range(first, last))
            return
        head, inside, following, end = (self.label() for _ in range(4))
        counter = self.slot()
        self.emit(f"store i64 {first}, ptr {counter}")
        with self.holding(_stored([statement]) & self.live[statement]):
            self.go_to(head)
            self.begin(head)
            at = self.computed(f"load i64, ptr {counter}")
            self.branch(self.compared("slt", at, last), inside, end)
            self.begin(inside)
            self.assign(name, at)
            self.loop_body(body, following, end)
            self.go_to(following)
            self.begin(following)
            self.emit(f"store i64 {self.computed(f'add i64 {at}, 1')}, ptr {counter}")
            self.go_to(head)
        self.begin(end)

    def laid_out(self, statement: ast.For, numbers: range) -> None:
        """A loop of a known length, turn by turn."""
        body, live = statement.body, _stored(statement.body) & self.live[statement]
        name = statement.target.id  # type: ignore[attr-defined]
        if not any(isinstance(node, ast.Continue | ast.Break) for node in _nodes(body)):
            for number in numbers:
                if not self.is_closed:
                    self.assign(name, number)
                    self.statements(body)
            return
        end = self.label()
        with self.holding(live):  # around all turns, since each of them may be left for the end
            for number in numbers:
                following = self.label()
                self.assign(name, number)
                self.loop_body(body, following, end)
                self.go_to(following)
                self.begin(following)
            self.go_to(end)
        self.begin(end)

    def do_Continue(self, _: ast.Continue) -> None:
        self.go_to(self.loops[-1][0])

    def do_Break(self, _: ast.Break) -> None:
        self.go_to(self.loops[-1][1])

    # ---- values

    def value(self, node: ast.expr) -> Value:
        return getattr(self, f"of_{type(node).__name__}")(node)

    def of_Constant(self, node: ast.Constant) -> Value:
        return int(node.value)  # type: ignore[arg-type]

    def of_Name(self, node: ast.Name) -> Value:
        return self.value_of(node.id)

    def of_Tuple(self, node: ast.Tuple) -> Value:
        return tuple(self.value(part) for part in node.elts)

    def place(self, node: ast.Subscript) -> tuple[str, str, Value]:
        """The type and place of a number in an array, and its address there."""
        pointer, address = self.value(node.value), self.value(node.slice)
        place = f"getelementptr inbounds {pointer.type}, ptr {pointer.register}, i64 {address}"
        return pointer.type, self.computed(place), address if pointer.known else None

    def of_Subscript(self, node: ast.Subscript) -> Value:
        known = self.module.known
        before = len(self.lines)
        kind, place, address = self.place(node)
        if isinstance(address, int) and address in known.values:
            del self.lines[before:]  # the address is known, so nothing had to be computed
            return known.values[address]
        lasts = ", !invariant.load !0" if address in known.lasting else ""
        value = self.computed(f"load {kind}, ptr {place}{lasts}")
        return self.widened(kind, value)

    def combined(self, operation: str, one: Value, other: Value) -> Value:
        if isinstance(one, int) and isinstance(other, int):
            return _known(operation, one, other)
        if operation == "add" and 0 in (one, other):
            return one if other == 0 else other
        return self.computed(f"{operation} i64 {one}, {other}")

    def of_BinOp(self, node: ast.BinOp) -> Value:
        return self.combined(
            ARITHMETIC[type(node.op)], self.value(node.left), self.value(node.right)
        )

    def of_UnaryOp(self, node: ast.UnaryOp) -> Value:
        value = self.value(node.operand)
        match node.op:
            case ast.USub():
                return self.combined("sub", 0, value)
            case ast.Invert():
                return self.combined("xor", value, -1)
        return self.compared("eq", value, 0)

    def compared(self, comparison: str, one: Value, other: Value) -> Value:
        if isinstance(one, int) and isinstance(other, int):
            return _known(comparison, one, other)
        return self.computed(
            f"zext i1 {self.computed(f'icmp {comparison} i64 {one}, {other}')} to i64"
        )

    def of_Compare(self, node: ast.Compare) -> Value:
        (operation,), (right,) = node.ops, node.comparators
        return self.compared(COMPARED[type(operation)], self.value(node.left), self.value(right))

    def of_BoolOp(self, node: ast.BoolOp) -> Value:
        """What is needed of each part, from the left to the right; all are 0 or 1."""
        is_and = isinstance(node.op, ast.And)
        first, *rest = node.values
        value = self.value(first)
        if not rest:
            return value
        following = ast.BoolOp(node.op, rest)
        if isinstance(value, int):
            return self.of_BoolOp(following) if bool(value) == is_and else int(not is_and)
        return self.chosen(
            value,
            *((following, ast.Constant(0)) if is_and else (ast.Constant(1), following)),
        )

    def of_IfExp(self, node: ast.IfExp) -> Value:
        condition = self.value(node.test)
        if isinstance(condition, int):
            return self.value(node.body if condition else node.orelse)
        return self.chosen(condition, node.body, node.orelse)

    def chosen(self, condition: str, one: ast.expr, other: ast.expr) -> Value:
        """The value of one of two expressions, of which the other is not computed."""
        labels, end = (self.label(), self.label()), self.label()
        many = len(one.elts) if isinstance(one, ast.Tuple) else 1
        slots = [self.slot() for _ in range(many)]
        self.branch(condition, *labels)
        for label, node in zip(labels, (one, other), strict=True):
            self.begin(label)
            value = self.value(node)
            for slot, part in zip(slots, value if many > 1 else [value], strict=True):
                self.emit(f"store i64 {part}, ptr {slot}")
            self.go_to(end)
        self.begin(end)
        values = tuple(self.computed(f"load i64, ptr {slot}") for slot in slots)
        return values if many > 1 else values[0]

    def of_Call(self, node: ast.Call) -> Value:
        called = self.value(node.func) if _is_ours(self, node.func) else None
        values = [self.value(argument) for argument in node.args]
        if called is None:
            return self.built_in(node.func.id, values)  # type: ignore[attr-defined]
        given = tuple(
            value._replace(register="")
            if isinstance(value, Pointer)
            else value
            if isinstance(value, int)
            else None
            for value in values
        )
        name = self.module.function(called, given)
        passed = ", ".join(
            f"ptr {value.register}" if isinstance(value, Pointer) else f"i64 {value}"
            for value in values
            if not isinstance(value, int)
        )
        kind = _type_returned(called)
        result = self.computed(f"call {kind} @{name}({passed})")
        if kind == "i64":
            return result
        return tuple(
            self.computed(f"extractvalue {kind} {result}, {place}")
            for place in range(num_returned(called))
        )

    def built_in(self, name: str, values: list[Value]) -> Value:
        if name == "abs":
            one, other, comparison = values[0], self.combined("sub", 0, values[0]), "sgt"
        else:
            one, other = values
            comparison = {"min": "slt", "max": "sgt"}[name]
        is_first = self.compared(comparison, one, other)
        if isinstance(is_first, int):
            return one if is_first else other
        bit = self.computed(f"trunc i64 {is_first} to i1")
        return self.computed(f"select i1 {bit}, i64 {one}, i64 {other}")


def _is_ours(translation: _Translation, node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in translation.function.__globals__


def _known(operation: str, one: int, other: int) -> int:
    match operation:
        case "add":
            return one + other
        case "sub":
            return one - other
        case "mul":
            return one * other
        case "and":
            return one & other
        case "or":
            return one | other
        case "xor":
            return one ^ other
        case "shl":
            return one << other
        case "ashr":
            return one >> other
        case "sdiv":
            return one // other
        case "srem":
            return one % other
        case "eq":
            return int(one == other)
        case "ne":
            return int(one != other)
        case "slt":
            return int(one < other)
        case "sle":
            return int(one <= other)
        case "sgt":
            return int(one > other)
    return int(one >= other)


# ---- which variables code reads and writes


def _nodes(body: Iterable[ast.AST]) -> Iterable[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _stored(body: Iterable[ast.AST]) -> set[str]:
    """The variables that code assigns."""
    return {
        node.id
        for node in _nodes(body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _loaded(body: Iterable[ast.AST | None]) -> set[str]:
    """The variables that code reads."""
    return {
        node.id
        for node in _nodes(statement for statement in body if statement is not None)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


Live = dict[ast.stmt, set[str]]


@cache
def live_variables(function: Function) -> Live:
    """Of each branch and loop, the variables whose values are read after it, or in a later turn."""
    live: Live = {}
    _live_before(_tree(function).body, set(), live, set(), set())
    return live


def _live_before(
    body: list[ast.stmt], after: set[str], live: Live, going_on: set[str], leaving: set[str]
) -> set[str]:
    """What is read in code or after it; going_on, leaving: by the next turn, and after the loop."""
    for statement in reversed(body):
        match statement:
            case ast.If(test, one, other):
                live[statement] = after
                ways = [_live_before(way, after, live, going_on, leaving) for way in (one, other)]
                after = ways[0] | ways[1] | _loaded([test])
            case ast.For() | ast.While():
                is_for = isinstance(statement, ast.For)
                test = [] if is_for else [statement.test]
                head, before = after | _loaded(test), None
                while before != head:
                    before = head
                    inside = _live_before(statement.body, head, live, head, after)
                    head = head | (inside - _stored([statement.target]) if is_for else inside)
                live[statement] = head
                after = head | (_loaded([statement.iter]) if is_for else set())
            case ast.Continue():
                after = going_on
            case ast.Break():
                after = leaving
            case ast.Return(value):
                after = _loaded([value])
            case ast.Assign(targets, value):
                after = (after - _stored(targets)) | _loaded([*targets, value])
            case ast.AugAssign(target, _, value):
                after = after | _loaded([target, value]) | _stored([target])
            case _:
                after = after | _loaded([statement])
    return after
