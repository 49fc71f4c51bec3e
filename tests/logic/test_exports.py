"""Laws of exports: whatever a program is written as means the same on every row."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from algolens.algorithms import algorithm, algorithms
from algolens.logic import Formula, Program, concepts
from algolens.logic.program import all_patterns
from tests.strategies import NAMES, formulas

PATTERNS = all_patterns(len(NAMES))
ROWS = [dict(zip(NAMES, row, strict=True)) for row in PATTERNS.tolist()]


def programs() -> st.SearchStrategy[Program]:
    """A mask, a category of one to four classes, and perhaps a rule for going on."""
    return st.builds(
        lambda mask, rules, going_on: Program(
            NAMES, {"seen": {"true": mask, "false": ~mask}, "color": {str(i): r for i, r in enumerate(rules)}}, going_on
        ),
        formulas(),
        st.lists(formulas(), min_size=1, max_size=4),
        st.none() | formulas(),
    )


class Script:
    """A reader of SMT-LIB, as much of it as is written here; independent of the writer."""

    def __init__(self, text: str) -> None:
        tokens = re.findall(r"\(|\)|\|[^|]*\||[^\s()]+", re.sub(r"^;.*$", "", text, flags=re.MULTILINE))
        self.constants: list[str] = []
        self.functions: dict[str, object] = {}
        while tokens:
            match self.read(tokens):
                case ["declare-const", str(name), "Bool"]:
                    self.constants.append(name)
                case ["define-fun", str(name), [], "Bool", body]:
                    self.functions[name] = body
                case ["set-logic", "QF_UF"]:
                    pass
                case other:
                    raise AssertionError(other)

    def read(self, tokens: list[str]) -> object:
        token = tokens.pop(0)
        if token != "(":
            return token.strip("|")
        parts = []
        while tokens[0] != ")":
            parts.append(self.read(tokens))
        tokens.pop(0)
        return parts

    def value(self, term: object, row: dict[str, bool]) -> bool:
        match term:
            case "true" | "false":
                return term == "true"
            case ["not", inner]:
                return not self.value(inner, row)
            case ["and", *inner]:
                return all(self.value(one, row) for one in inner)
            case ["or", *inner]:
                return any(self.value(one, row) for one in inner)
            case str(name):
                return row[name] if name in self.constants else self.value(self.functions[name], row)
        raise AssertionError(term)


@given(formulas())
def test_a_formula_in_smtlib_agrees_on_every_row(formula):
    script = Script("".join(f"(declare-const {name} Bool)" for name in NAMES) + f"(define-fun f () Bool {formula.to_smtlib()})")
    assert [script.value("f", row) for row in ROWS] == formula.table(NAMES).tolist()


@given(programs())
def test_a_program_in_smtlib_agrees_on_every_row(program):
    script = Script(program.to_smtlib())
    assert tuple(script.constants) == NAMES
    decided = program.decide(torch.from_numpy(PATTERNS))
    for i, row in enumerate(ROWS):
        for output, classes in program.rules.items():
            assert all(script.value(f"rule: {output} = {label}", row) == rule.evaluate(row) for label, rule in classes.items())
            chosen = [label for label in classes if script.value(f"{output} = {label}", row)]
            assert chosen == [str(decided[output][i].item()).lower()]
        if program.continues is not None:
            assert script.value("goes on", row) == program.continues.evaluate(row)
    assert ("goes on" in script.functions) == (program.continues is not None)


@given(programs(), st.booleans())
def test_exported_python_agrees_on_every_row(program, as_numbers):
    names: dict[str, Any] = {}
    exec(program.to_python_source(), names)
    given = PATTERNS.astype(float) if as_numbers else PATTERNS
    ours = program.decide(torch.from_numpy(PATTERNS))
    theirs = names["decide"](given)
    assert list(theirs) == list(ours)
    for output, values in ours.items():
        assert theirs[output].dtype == values.numpy().dtype
        assert theirs[output].tolist() == values.tolist()
    batched = names["decide"](given.reshape(2, 8, 4))
    assert all(batched[output].shape == (2, 8) for output in ours)
    if program.continues is None:
        with pytest.raises(ValueError, match="number of steps is fixed"):
            names["goes_on"](given)
    else:
        assert names["goes_on"](given).tolist() == program.goes_on(torch.from_numpy(PATTERNS)).tolist()
    with pytest.raises(ValueError, match="last number"):
        names["decide"](given[:, :3])


@settings(max_examples=30, deadline=None)
@given(programs())
def test_sympy_agrees_on_every_row(program):
    exported = program.to_sympy()

    def agrees(expression, formula: Formula) -> None:
        for row in ROWS:
            value = expression.subs({sympy.Symbol(name): truth for name, truth in row.items()})
            assert bool(sympy.simplify(value)) == bool(formula.evaluate(row))

    for output, classes in program.rules.items():
        for label, rule in classes.items():
            agrees(exported["rules"][output][label], rule)
    assert (exported["continues"] is None) == (program.continues is None)


@pytest.mark.parametrize("name", sorted(algorithms()))
def test_the_python_source_stands_alone(name, tmp_path):
    program = algorithm(name).declaration.program
    file = tmp_path / "rules.py"
    patterns = all_patterns(len(program.concepts))
    file.write_text(
        program.to_python_source()
        + f"\n\nimport sys\nprint({{k: v.tolist() for k, v in decide(np.array({patterns.tolist()})).items()}})"
        + "\nassert not [m for m in sys.modules if m.startswith(('torch', 'algolens'))]\n"
    )
    done = subprocess.run([sys.executable, "-I", str(file)], capture_output=True, text=True, check=True)
    decided = program.decide(torch.from_numpy(patterns))
    assert done.stdout.strip() == str({output: values.tolist() for output, values in decided.items()})


def test_names_with_a_meaning_elsewhere_are_kept_apart():
    names = ("lambda", "np", "concepts", "xor", "exists", "concept_np", "été")
    lam, np_, these, xor, exists, more, summer = concepts(*names)
    rule = (lam | np_) & (these | ~xor) & (exists | more | summer)
    program = Program(names, {"class": {"true": rule, "false": ~rule}}, rule)
    found: dict[str, Any] = {}
    exec(program.to_python_source(), found)
    patterns = all_patterns(len(names))
    assert (found["decide"](patterns)["class"] == rule.table(names)).all()
    script = Script(program.to_smtlib())
    assert script.constants == ["lambda", "np", "concepts", "concept xor", "exists", "concept_np", "été"]
    rows = [dict(zip(script.constants, row, strict=True)) for row in patterns.tolist()]
    assert [script.value("goes on", row) for row in rows] == rule.table(names).tolist()


def test_latex_and_markdown():
    program = Program.parse(
        ("has_it", "b"), {"taken": {"true": "has_it | b", "false": "~has_it & ~b"}, "c": {"50 %": "b", "x|y": "~b"}}, "~b"
    )
    assert program.to_latex() == (
        "\\begin{align*}\n"
        "\\mathit{taken}(n) = \\text{true} &\\leftarrow \\mathit{has\\_it}(n) \\lor \\mathit{b}(n) \\\\\n"
        "\\mathit{taken}(n) = \\text{false} &\\leftarrow \\lnot \\mathit{has\\_it}(n) \\land \\lnot \\mathit{b}(n) \\\\\n"
        "\\mathit{c}(n) = \\text{50 \\%} &\\leftarrow \\mathit{b}(n) \\\\\n"
        "\\mathit{c}(n) = \\text{x|y} &\\leftarrow \\lnot \\mathit{b}(n) \\\\\n"
        "\\text{go on} &\\leftarrow \\exists n.\\; \\lnot \\mathit{b}(n)\n"
        "\\end{align*}\n"
    )
    assert program.to_markdown().splitlines()[2:] == [
        r"| taken = true | `has_it \| b` |",
        "| taken = false | `~has_it & ~b` |",
        "| c = 50 % | `b` |",
        r"| c = x\|y | `~b` |",
        "| go on | `exists n: ~b` |",
    ]
    names: dict[str, Any] = {}
    exec(program.to_python_source(), names)
    assert names["CLASSES"] == {"taken": ("false", "true"), "c": ("50 %", "x|y")}
    assert "|c = x_y|" in program.to_smtlib()
    assert np.array_equal(names["decide"]([[0.2, 0.7]])["c"], [0])
