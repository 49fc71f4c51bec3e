"""Expressions of whole numbers as code of LLVM: what follows from known numbers is known."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from algolens.looks.by_change.liveness import Function, tree_of

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


class CellPointer(NamedTuple):
    """Where an array begins."""

    register: str
    type: str  # of its numbers
    known: bool = False  # whether some of its numbers are known: it is the array of records


class LocalSlot(NamedTuple):
    """A variable in memory, whose value depends on the way that was taken."""

    register: str


Value = Any  # int: known; str: the register that holds it; CellPointer; tuple of values


@dataclass(frozen=True)
class KnownNumbers:
    """What is known of the array of records before it is made."""

    values: Mapping[int, int] = field(default_factory=dict)  # of some addresses
    lasting: frozenset[int] = frozenset()  # addresses of what never changes, though unknown


@cache
def num_returned(function: Function) -> int:
    """How many values a function gives."""
    for node in ast.walk(tree_of(function)):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            return len(node.value.elts)
    return 1


def type_returned(function: Function) -> str:
    number = num_returned(function)
    return "i64" if number == 1 else "{" + ", ".join(["i64"] * number) + "}"


class Expressions:
    """The values that one function computes, for known arguments."""

    def __init__(
        self, module: Any, function: Function, given: tuple[Value, ...], name: str
    ) -> None:
        self.module, self.function, self.name = module, function, name
        self.tree = tree_of(function)
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
            if isinstance(value, CellPointer):
                self.parameters.append(f"ptr noalias {register}")
                self.variables[argument.arg] = value._replace(register=register)
            elif value is None:
                self.parameters.append(f"i64 {register}")
                self.variables[argument.arg] = register
            else:
                self.variables[argument.arg] = value

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
            self.computed(f"load i64, ptr {value.register}")
            if isinstance(value, LocalSlot)
            else value
        )

    def slot(self) -> str:
        slot = self.register()
        self.slots.append(f"  {slot} = alloca i64")
        return slot

    def put(self, kind: str, place: str, value: Value) -> None:
        if kind != "i64" and isinstance(value, str):
            value = self.computed(f"trunc i64 {value} to {kind}")
        self.emit(f"store {kind} {value}, ptr {place}")

    def widened(self, kind: str, value: str) -> str:
        if kind == "i64":
            return value
        extended = "zext" if kind == "i8" else "sext"  # classes have no sign
        return self.computed(f"{extended} {kind} {value} to i64")

    # ---- values

    def value(self, node: ast.expr) -> Value:
        return getattr(self, f"of_{type(node).__name__}")(node)

    def of_Constant(self, node: ast.Constant) -> Value:
        assert isinstance(node.value, int)
        return int(node.value)

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
        assert isinstance(node.func, ast.Name)
        called = self.function.__globals__.get(node.func.id)
        values = [self.value(argument) for argument in node.args]
        if called is None:
            return self.built_in(node.func.id, values)
        given = tuple(
            value._replace(register="")
            if isinstance(value, CellPointer)
            else value
            if isinstance(value, int)
            else None
            for value in values
        )
        name = self.module.function(called, given)
        passed = ", ".join(
            f"ptr {value.register}" if isinstance(value, CellPointer) else f"i64 {value}"
            for value in values
            if not isinstance(value, int)
        )
        kind = type_returned(called)
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
