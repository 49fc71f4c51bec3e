"""Laws of exports: whatever a program is written as means the same on every row."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm, algorithms
from algolens.errors import AlgoLensError
from algolens.logic import (
    FALSE,
    PYTHON,
    TRUE,
    Formula,
    GoOn,
    Quantifier,
    concepts,
    formula_text,
    minimal_rules,
    parse,
    to_smtlib,
)
from algolens.logic.names import as_name
from algolens.logic.patterns import all_patterns
from algolens.logic.printing import python_variable
from algolens.logic.rule_set import RuleSet
from algolens.rules import RuleClassifier
from tests.effort import examples
from tests.strategies import NAMES, formulas

PATTERNS = all_patterns(len(NAMES))
ROWS = [dict(zip(NAMES, row, strict=True)) for row in PATTERNS.tolist()]


def programs() -> st.SearchStrategy[RuleSet]:
    """A mask, a category of one to four classes, and perhaps a rule for going on."""
    return st.builds(
        lambda mask, rules, going_on: RuleSet(
            NAMES,
            {
                "seen": {"true": mask, "false": ~mask},
                "color": {str(i): r for i, r in enumerate(rules)},
            },
            going_on,
        ),
        formulas(),
        st.lists(formulas(), min_size=1, max_size=4),
        st.none() | st.builds(GoOn, formulas(), st.sampled_from(Quantifier)),
    )


class Script:
    """A reader of SMT-LIB, as much of it as is written here; independent of the writer."""

    def __init__(self, text: str) -> None:
        tokens = re.findall(
            r"\(|\)|\|[^|]*\||[^\s()]+", re.sub(r"^;.*$", "", text, flags=re.MULTILINE)
        )
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
                return (
                    row[name] if name in self.constants else self.value(self.functions[name], row)
                )
        raise AssertionError(term)


@given(formulas())
def test_a_formula_in_smtlib_agrees_on_every_row(formula):
    script = Script(
        "".join(f"(declare-const {name} Bool)" for name in NAMES)
        + f"(define-fun f () Bool {to_smtlib(formula)})"
    )
    assert [script.value("f", row) for row in ROWS] == formula.table(NAMES).tolist()


@given(programs())
def test_a_program_in_smtlib_agrees_on_every_row(program):
    script = Script(program.to_smtlib())
    assert tuple(script.constants) == NAMES
    decided = program.decide(torch.from_numpy(PATTERNS))
    for i, row in enumerate(ROWS):
        for output, classes in program.rules.items():
            assert all(
                script.value(f"rule: {output} = {label}", row) == rule.evaluate(row)
                for label, rule in classes.items()
            )
            chosen = [label for label in classes if script.value(f"{output} = {label}", row)]
            assert chosen == [str(decided[output][i].item()).lower()]
        if program.continues is not None:
            assert script.value("goes on", row) == program.continues.formula.evaluate(row)
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
        assert (
            names["goes_on"](given[:, None]).tolist()
            == program.goes_on(torch.from_numpy(PATTERNS[:, None])).tolist()
        )
    with pytest.raises(ValueError, match="last number"):
        names["decide"](given[:, :3])


@examples(30)
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


def test_the_python_source_stands_alone(tmp_path):
    """Of all algorithms, in one process that has never heard of AlgoLens."""
    wanted = {}
    for name in algorithms():
        rule_set = algorithm(name).declaration.rule_set
        patterns = all_patterns(len(rule_set.concepts))
        decided = rule_set.decide(torch.from_numpy(patterns))
        wanted[name] = {output: values.tolist() for output, values in decided.items()}
        (tmp_path / f"{name}.py").write_text(rule_set.to_python_source())
        (tmp_path / f"{name}.json").write_text(json.dumps(patterns.tolist()))
    (tmp_path / "all.py").write_text(
        "import json, runpy, sys\nfrom pathlib import Path\nimport numpy as np\nfound = {}\n"
        "for file in Path(sys.argv[1]).glob('*.json'):\n"
        "    decide = runpy.run_path(str(file.with_suffix('.py')))['decide']\n"
        "    decided = decide(np.array(json.loads(file.read_text())))\n"
        "    found[file.stem] = {output: values.tolist() for output, values in decided.items()}\n"
        "assert not [m for m in sys.modules if m.startswith(('torch', 'algolens'))]\n"
        "print(json.dumps(found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "all.py"), str(tmp_path)],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == wanted


@given(
    programs(),
    st.lists(
        st.text("ab é \t\n\0{}[]()\\\"'`%|;#-").filter(lambda text: text.strip("\0 \t\n")),
        min_size=1,
        max_size=3,
    ),
)
def test_what_was_measured_goes_with_a_program_into_every_export(program, sentences):
    """Whatever the sentences hold, and the program stays what it was."""
    told = program.with_remarks(sentences)
    plain = [" ".join(each.replace("\0", " ").split()) for each in sentences]
    assert told == program
    names: dict[str, Any] = {}
    exec(told.to_python_source(), names)
    assert names["__doc__"].splitlines()[2:] == plain
    assert (names["decide"](PATTERNS).keys()) == program.rules.keys()
    assert [line for line in told.to_smtlib().splitlines() if line.startswith("; ")][1:] == [
        f"; {each}" for each in plain
    ]
    assert told.to_latex().splitlines()[: len(plain)] == [f"% {each}" for each in plain]
    shown = [
        re.sub(r"\\(\W|_)", r"\1", line) for line in told.to_markdown().splitlines()[-len(plain) :]
    ]
    # once what would be Markdown is read as it stands there
    assert shown == [f"- {each}" for each in plain]
    assert told.to_json()["remarks"] == told.to_sympy()["remarks"] == plain
    assert list(RuleSet.from_json(told.to_json()).remarks) == plain
    # what was measured of other rules is not said of these
    assert replace(told, continues=None).remarks == ()


# words of Python, of NumPy's module, of the generated source, of SMT-LIB and of its solvers
NASTY = (
    *(
        "lambda",
        "None",
        "class",
        "import",
        "bool",
        "len",
        "ValueError",
        "__debug__",
        "__import__",
        "print",
        "match",
        "_",
    ),
    *(
        "np",
        "concepts",
        "decide",
        "goes_on",
        "_as_bools",
        "CONCEPTS",
        "CLASSES",
        "concept_np",
        "concept_concept_np",
    ),
    *(
        "xor",
        "exists",
        "let",
        "assert",
        "push",
        "ite",
        "iff",
        "implies",
        "Bool",
        "par",
        "été",
        "名前",
        "हिन्दी",
        "a·b",
        "E",
        "I",
        "S",
    ),
)
LABELS = (
    "<script>",
    "\\input{x}",
    "two\nlines",
    "bool",
    "a|b",
    "a_b",
    "a%7Cb",
    "\u2028",
    "'",
    '"""',
    "",
    "# x",
    "\x00",
    "ﬁ",
    "fi",
)


@examples(60)
@given(st.data())
def test_whatever_names_mean_elsewhere_every_export_decides_alike(data):
    names = tuple(data.draw(st.lists(st.sampled_from(NASTY), min_size=1, max_size=6, unique=True)))
    labels = data.draw(st.lists(st.sampled_from(LABELS), min_size=1, max_size=5, unique=True))
    output = data.draw(st.sampled_from(NASTY))
    rules = {label: data.draw(formulas(names)) for label in labels}
    seen, going_on = data.draw(formulas(names)), data.draw(formulas(names))
    rule_set = RuleSet(
        names, {output: rules, "seen": {"true": seen, "false": ~seen}}, GoOn(going_on)
    )
    patterns = all_patterns(len(names))
    decided = rule_set.decide(torch.from_numpy(patterns))

    found: dict[str, Any] = {}
    exec(rule_set.to_python_source(), found)
    assert found["CONCEPTS"] == names
    assert found["CLASSES"][output] == tuple(labels)
    assert {name: value.tolist() for name, value in found["decide"](patterns).items()} == {
        name: value.tolist() for name, value in decided.items()
    }
    assert found["goes_on"](patterns[:, None]).tolist() == going_on.table(names).tolist()
    code = compile(formula_text(going_on, PYTHON), "formula", "eval")
    values = [dict(zip(map(python_variable, names), row, strict=True)) for row in patterns.tolist()]
    assert [bool(eval(code, {"__builtins__": {}}, row)) for row in values] == going_on.table(
        names
    ).tolist()

    script = Script(rule_set.to_smtlib())
    assert len(set(script.constants)) == len(names)
    assert len(script.functions) == 2 * (len(labels) + 2) + 1
    shown = list(script.functions)
    for i, row in enumerate(patterns.tolist()):
        truths = dict(zip(script.constants, row, strict=True))
        assert script.value("goes on", truths) == going_on.table(names)[i]
        chosen = [script.value(shown[len(labels) + k], truths) for k in range(len(labels))]
        assert chosen == [k == int(decided[output][i]) for k in range(len(labels))]

    assert RuleSet.from_json(json.loads(json.dumps(rule_set.to_json()))) == rule_set
    assert parse(str(going_on)) == going_on
    _, in_sympy = rule_set.to_sympy()["continues"]
    row = data.draw(st.sampled_from(patterns.tolist()))
    value = in_sympy.subs(
        {sympy.Symbol(name): truth for name, truth in zip(names, row, strict=True)}
    )
    assert bool(sympy.simplify(value)) == bool(
        going_on.evaluate(dict(zip(names, row, strict=True)))
    )

    # for readers: a line for each rule, and nothing that is a command or a tag
    latex, markdown = rule_set.to_latex(), rule_set.to_markdown()
    assert len(latex.splitlines()) == len(labels) + 6
    known = "begin end mathit textit text leftarrow land lor lnot top bot exists"
    known += " textbackslash textasciitilde textasciicircum textless textgreater textbar"
    assert set(re.findall(r"\\([A-Za-z]+)", latex)) <= set(known.split())
    assert len(markdown.splitlines()) == len(labels) + 7
    assert "<" not in markdown
    assert len(str(rule_set).splitlines()) == len(labels) + 3


def test_symbols_of_smtlib_are_plain_only_where_they_mean_nothing():
    """By the standard's own lists: reserved words, names of commands, and the functions of the
    theory Core.
    """
    for name in (
        "exists",
        "forall",
        "let",
        "match",
        "par",
        "as",
        "_",
        "assert",
        "push",
        "pop",
        "exit",
        "echo",
        "reset",
        "STRING",
    ):
        assert to_smtlib(concepts(name)[0]) == f"|{name}|"
    for name in ("xor", "ite", "distinct"):  # between bars they would be the same function
        assert to_smtlib(concepts(name)[0]) == f"|concept {name}|"
    assert to_smtlib(concepts("été")[0]) == "|été|"
    assert to_smtlib(concepts("color_1_seen")[0]) == "color_1_seen"


@pytest.mark.parametrize(
    "name",
    [
        "ﬁ",
        "two words",
        "two\nlines",
        "<script>",
        "\\input",
        "1st",
        "",
        "and",
        "true",
        "False",
        "x|y",
        3,
    ],
)
def test_what_is_no_name_everywhere_is_refused_in_one_line(name):
    tries = [
        lambda: concepts(name),
        lambda: RuleSet((name,), {}),
        lambda: RuleSet(("a",), {name: {"true": TRUE, "false": FALSE}}),
        lambda: minimal_rules([name], np.array([1]), np.array([0])),
        lambda: RuleClassifier(feature_names=[name]).fit([[0], [1]], [0, 1]),
        lambda: RuleClassifier().fit([[0], [1]], [0, 1]).rule_set(name),
    ]
    for attempt in tries:
        with pytest.raises(AlgoLensError, match=r"cannot name|a tuple of names") as caught:
            attempt()
        assert "\n" not in str(caught.value)
    assert as_name(str(name)) == as_name(as_name(str(name)))
    concepts(as_name(str(name)))


def test_names_that_a_tool_reads_as_one_are_never_two():
    with pytest.raises(
        AlgoLensError,
        match="'ﬁ' cannot name a concept: Python and many other tools read it as 'fi'",
    ):
        RuleSet.parse(("ﬁ", "fi"), {"seen": {"true": "fi", "false": "~fi"}})
    with pytest.raises(AlgoLensError, match="'a' names a concept twice"):
        RuleSet.parse(("a", "a"), {"seen": {"true": "a", "false": "~a"}})


def test_latex_and_markdown():
    rule_set = RuleSet.parse(
        ("has_it", "b"),
        {"taken": {"true": "has_it | b", "false": "~has_it & ~b"}, "c": {"50 %": "b", "x|y": "~b"}},
        "~b",
    )
    assert rule_set.to_latex() == (
        "% Nothing was measured of these rules.\n\\begin{align*}\n\\mathit{taken}(n) = "
        "\\text{true} &\\leftarrow \\mathit{has\\_it}(n) \\lor \\mathit{b}(n) "
        "\\\\\n\\mathit{taken}(n) = \\text{false} &\\leftarrow \\lnot \\mathit{has\\_it}(n) "
        "\\land \\lnot \\mathit{b}(n) \\\\\n\\mathit{c}(n) = \\text{50 \\%} &\\leftarrow "
        "\\mathit{b}(n) \\\\\n\\mathit{c}(n) = \\text{x\\textbar{}y} &\\leftarrow \\lnot "
        "\\mathit{b}(n) \\\\\n\\text{go on} &\\leftarrow \\exists n.\\; \\lnot "
        "\\mathit{b}(n)\n\\end{align*}\n"
    )
    assert rule_set.to_markdown().splitlines()[2:] == [
        r"| taken = true | `has_it \| b` |",
        "| taken = false | `~has_it & ~b` |",
        "| c = 50 % | `b` |",
        r"| c = x\|y | `~b` |",
        "| go on | `exists n: ~b` |",
        "",
        "- Nothing was measured of these rules.",
    ]
    names: dict[str, Any] = {}
    exec(rule_set.to_python_source(), names)
    assert names["CLASSES"] == {"taken": ("false", "true"), "c": ("50 %", "x|y")}
    assert "|c = x%7Cy|" in rule_set.to_smtlib()
    assert np.array_equal(names["decide"]([[0.2, 0.7]])["c"], [0])


@given(st.text(max_size=12))
def test_any_text_has_a_name_near_it(text):
    name = as_name(text)
    assert concepts(name)[0].names == (name,)
    assert as_name(name) == name
    assert parse(f"~{name} & {name}").names == (name,)
