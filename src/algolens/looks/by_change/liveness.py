"""Which variables code reads and writes: those whose values are needed where ways meet."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

Function = Callable[..., Any]


@cache
def tree_of(function: Function) -> ast.FunctionDef:
    """The text of a function, as a tree."""
    (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    return tree


def nodes_of(body: Iterable[ast.AST]) -> Iterable[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def stored(body: Iterable[ast.AST]) -> set[str]:
    """The variables that code assigns."""
    return {
        node.id
        for node in nodes_of(body)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def _loaded(body: Iterable[ast.AST | None]) -> set[str]:
    """The variables that code reads."""
    return {
        node.id
        for node in nodes_of(statement for statement in body if statement is not None)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


Live = dict[ast.stmt, set[str]]


@cache
def live_variables(function: Function) -> Live:
    """Of each branch and loop, the variables whose values are read after it, or in a later turn."""
    live: Live = {}
    _live_before(tree_of(function).body, set(), live, set(), set())
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
            case ast.For(target, iterated, turn):
                live[statement] = _live_in_loop(turn, after, live, stored([target]))
                after = live[statement] | _loaded([iterated])
            case ast.While(test, turn):
                live[statement] = _live_in_loop(turn, after | _loaded([test]), live, set())
                after = live[statement]
            case ast.Continue():
                after = going_on
            case ast.Break():
                after = leaving
            case ast.Return(value):
                after = _loaded([value])
            case ast.Assign(targets, value):
                after = (after - stored(targets)) | _loaded([*targets, value])
            case ast.AugAssign(target, _, value):
                after = after | _loaded([target, value]) | stored([target])
            case _:
                after = after | _loaded([statement])
    return after


def _live_in_loop(
    turn: list[ast.stmt], after: set[str], live: Live, counters: set[str]
) -> set[str]:
    """What is read after a loop, or in a later turn. counters: what each turn begins with."""
    head = after
    while True:
        more = head | (_live_before(turn, head, live, head, after) - counters)
        if more == head:
            return head
        head = more
