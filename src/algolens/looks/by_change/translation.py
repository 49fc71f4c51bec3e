"""Functions of whole numbers, as the kernel is written in, turned into code of LLVM.

A function is translated for the arguments that are known beforehand. What follows from these alone
is computed here, branches that are never taken are left out, and loops of a known length are laid
out: so the kernel, which interprets records, becomes the program of a look whose records are known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from algolens.looks.by_change.expressions import (
    ARITHMETIC,
    CellPointer,
    Expressions,
    KnownNumbers,
    LocalSlot,
    Value,
    type_returned,
)
from algolens.looks.by_change.liveness import Function, live_variables, nodes_of, stored

LONGEST = 64  # a loop of a known length beyond it stays a loop


class Module:
    """The functions that an entry needs, each once for the arguments that are known."""

    def __init__(self, known: KnownNumbers) -> None:
        self.known = known
        self.texts: list[str] = []
        self._names: dict[tuple[Function, tuple[Value, ...]], str] = {}

    def entry(self, function: Function, types: Iterable[str]) -> str:
        """The code for a function that Python calls, with pointers (as "i64*") and numbers."""
        pointers = tuple(
            CellPointer("", kind[:-1], not number) if kind.endswith("*") else None
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
            self.texts.append(Translation(self, function, given, self._names[label]).text())
        return self._names[label]


class Translation(Expressions):
    """One function for known arguments: its statements."""

    def text(self) -> str:
        """The code of the function."""
        self.statements(self.tree.body)
        if not self.is_closed:
            self.emit(f"ret {type_returned(self.function)} zeroinitializer")
        kind, parameters = type_returned(self.function), ", ".join(self.parameters)
        head = f"define internal {kind} @{self.name}({parameters}) nounwind {{\nbegin:"
        return "\n".join([head, *self.slots, *self.lines, "}"])

    @contextmanager
    def holding(self, names: Iterable[str]) -> Iterator[None]:
        """Around code that is not run once and in order: these variables are kept in slots."""
        new = [name for name in sorted(names) if name not in self.held]
        for name in new:
            slot = self.slot()
            if name in self.variables:
                self.emit(f"store i64 {self.value_of(name)}, ptr {slot}")
            self.variables[name] = LocalSlot(slot)
        self.held.update(new)
        kept = dict(self.variables)
        yield
        self.held.difference_update(new)
        self.variables = kept

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
        kind = type_returned(self.function)
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

    def do_If(self, statement: ast.If) -> None:
        condition = self.value(statement.test)
        if isinstance(condition, int):
            self.statements(statement.body if condition else statement.orelse)
            return
        one, other, end = self.label(), self.label(), self.label()
        with self.holding(stored([statement]) & live_variables(self.function)[statement]):
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
        with self.holding(stored([statement]) & live_variables(self.function)[statement]):
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
        with self.holding(stored([statement]) & live_variables(self.function)[statement]):
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
        assert isinstance(statement.target, ast.Name)
        name, body = statement.target.id, statement.body
        live = stored(body) & live_variables(self.function)[statement]
        if not any(isinstance(node, ast.Continue | ast.Break) for node in nodes_of(body)):
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
