"""Rule sets for other tools and for readers: Python, SQL, SMT-LIB, LaTeX, Markdown, SymPy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from algolens.logic.formula import MASK_CLASSES, TEXT, Formula, deciding, formula_text, is_mask
from algolens.logic.printing import (
    LATEX,
    in_cell,
    in_code,
    in_latex,
    python_variable,
    smt_symbol,
    sql_case,
    to_smtlib,
    to_sympy,
)

if TYPE_CHECKING:
    from algolens.logic.rule_set import RuleSet

SOURCE = '''"""Outputs from concepts by rules. NumPy is all it needs.

{remarks}
"""

import numpy as np

CLASSES = {classes!r}
{functions}'''
FUNCTIONS = '''CONCEPTS = {concepts!r}


def decide(concepts):
    """[..., C] concepts, bools or probabilities (true above 0.5), to a dict of outputs [...].

    A mask comes as bools, a category as the number of its class in CLASSES: the first whose rule
    holds, else the first.
    """
    {deciding}


def goes_on(concepts):
    """[..., N, C] concepts of a graph's elements after a step to [...]: another step?"""
    {going_on}


def _as_bools(concepts):
    concepts = np.asarray(concepts)
    if concepts.shape[-1:] != (len(CONCEPTS),):
        raise ValueError(
            f"concepts came in the shape {{concepts.shape}}; "
            f"the last number should be that of {{CONCEPTS}}."
        )
    return concepts if concepts.dtype == bool else concepts > 0.5
'''
UNMEASURED = "Nothing was measured of these rules."
NUMPY = replace(
    TEXT,
    true="np.ones(concepts.shape[:-1], bool)",
    false="np.zeros(concepts.shape[:-1], bool)",
    name=python_variable,
)
OVER_ELEMENTS = {
    "exists": "{}.any(-1)",
    "every": "{}.all(-1)",
    "no": "~{}.any(-1)",
}
NOT_IN_SMT = r"|\%"  # the first two cannot stand between bars, the third says so


def rule_set_to_python(rule_set: RuleSet) -> str:
    """A module with the functions ``decide`` and ``goes_on``, for [..., C] arrays.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rule_set = RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}})
    >>> import numpy as np
    >>> names = {}
    >>> exec(rule_set_to_python(rule_set), names)
    >>> names["decide"](np.array([[True], [False]]))
    {'seen': array([False,  True])}
    """
    return SOURCE.format(
        remarks=in_docstring(rule_set),
        classes=classes_in_order(rule_set),
        functions=rule_functions(rule_set),
    )


def in_docstring(rule_set: RuleSet) -> str:
    """What was measured of it, as it stands in a docstring, whatever it holds."""
    text = "\n".join(remarks_of(rule_set))
    return text.replace("\\", "\\\\").replace('"', '\\"')


def classes_in_order(rule_set: RuleSet) -> dict[str, tuple[str, ...]]:
    """The classes of each output, in the order of their numbers."""
    return {
        output: MASK_CLASSES if is_mask(classes) else tuple(classes)
        for output, classes in rule_set.rules.items()
    }


def rule_functions(rule_set: RuleSet) -> str:
    """The functions alone, for a module that has NumPy and CLASSES."""
    used = [rule for classes in rule_set.rules.values() for rule in deciding(classes)]
    entries = [line for of in rule_set.rules.items() for line in _python_entry(*of)]
    lines = [*_columns(rule_set, used), "return {", *(f"    {line}" for line in entries), "}"]
    going_on = ['raise ValueError("there is no rule for going on: the number of steps is fixed.")']
    if rule_set.continues is not None:
        formula = rule_set.continues.formula
        holds = f"({formula_text(formula, NUMPY)})"
        over_elements = OVER_ELEMENTS[rule_set.continues.quantifier].format(holds)
        going_on = [*_columns(rule_set, [formula]), f"return {over_elements}"]
    return FUNCTIONS.format(
        concepts=rule_set.concepts,
        deciding="\n    ".join(lines),
        going_on="\n    ".join(going_on),
    )


def rule_set_to_smtlib(rule_set: RuleSet) -> str:
    """Concepts as constants; a function for each rule, for each class decided on, for going on.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rules = RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}})
    >>> print(rule_set_to_smtlib(rules).splitlines()[4])
    (define-fun |rule: seen = true| () Bool (not a))
    """
    goes_on = ""
    if rule_set.continues is not None:
        goes_on = f" It goes on while 'goes on' holds so: {rule_set.continues.quantifier} element."
    lines = [f"; The concepts of one element, the rules, and what they decide of it.{goes_on}"]
    lines += [*(f"; {remark}" for remark in remarks_of(rule_set)), "(set-logic QF_UF)"]
    lines += [f"(declare-const {smt_symbol(name)} Bool)" for name in rule_set.concepts]

    def define(symbol: str, body: str) -> None:
        lines.append(f"(define-fun {symbol} () Bool {body})")

    for output, classes in rule_set.rules.items():
        heads = [_quoted(f"rule: {output} = {label}") for label in classes]
        for head, rule in zip(heads, classes.values(), strict=True):
            define(head, to_smtlib(rule))
        for i, label in enumerate(classes):
            decision = _decision(heads, i, of_mask=is_mask(classes))
            define(_quoted(f"{output} = {label}"), decision)
    if rule_set.continues is not None:
        define("|goes on|", to_smtlib(rule_set.continues.formula))
    return "\n".join(lines) + "\n"


def rule_set_to_latex(rule_set: RuleSet) -> str:
    r"""Aligned mathematics: an output and its class, and the rule that gives it.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rules = RuleSet.parse(["a"], {}, continues="~a").with_remarks(["It is right."])
    >>> print(rule_set_to_latex(rules))
    % It is right.
    \begin{align*}
    \text{go on} &\leftarrow \exists n.\; \lnot \mathit{a}(n)
    \end{align*}
    <BLANKLINE>
    """
    of_element = replace(LATEX, name=lambda name: LATEX.name(name) + "(n)")
    lines = [
        (
            rf"{LATEX.name(output)}(n) = \text{{{in_latex(label)}}} &\leftarrow "
            rf"{formula_text(rule, of_element)}"
        )
        for output, label, rule in rule_set.each
    ]
    if rule_set.continues is not None:
        some_or_every = rule_set.continues.quantifier.in_latex
        formula = formula_text(rule_set.continues.formula, of_element)
        lines.append(rf"\text{{go on}} &\leftarrow {some_or_every}{formula}")
    comments = "".join(f"% {remark}\n" for remark in remarks_of(rule_set))
    return comments + "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def rule_set_to_markdown(rule_set: RuleSet) -> str:
    """A table of outputs, their classes and rules.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rules = RuleSet.parse(["a"], {}, continues="~a").with_remarks(["It is right."])
    >>> print(rule_set_to_markdown(rules))
    | | rule |
    |---|---|
    | go on | `exists n: ~a` |
    <BLANKLINE>
    - It is right.
    <BLANKLINE>
    """
    lines = ["| | rule |", "|---|---|"]
    for output, label, rule in rule_set.each:
        lines.append(f"| {in_cell(f'{output} = {label}')} | {in_code(str(rule))} |")
    if rule_set.continues is not None:
        lines.append(f"| go on | {in_code(str(rule_set.continues))} |")
    lines += ["", *(f"- {in_cell(remark)}" for remark in remarks_of(rule_set))]
    return "\n".join(lines) + "\n"


def rule_set_to_sql(rule_set: RuleSet) -> dict[str, str]:
    """An SQL expression for each output: the name of its class, and 1 or 0 for a mask.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rules = RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}})
    >>> print(rule_set_to_sql(rules)["seen"])
    CASE
      WHEN NOT "a" THEN 1
      ELSE 0
    END
    """
    return {
        output: sql_case([(1, classes["true"])], 0)
        if is_mask(classes)
        else sql_case(list(classes.items()), next(iter(classes)))
        for output, classes in rule_set.rules.items()
    }


def rule_set_to_sympy(rule_set: RuleSet) -> dict[str, Any]:
    """The rules and the rule for going on, in the shape of the JSON, each a SymPy expression.

    >>> from algolens.logic.rule_set import RuleSet
    >>> rule_set_to_sympy(RuleSet.parse(["a"], {"seen": {"true": "~a", "false": "a"}}))
    {'rules': {'seen': {'true': ~a, 'false': a}}, 'continues': None, 'remarks': []}
    """
    rules = {
        output: {label: to_sympy(rule) for label, rule in classes.items()}
        for output, classes in rule_set.rules.items()
    }
    continues = None
    if rule_set.continues is not None:
        continues = (rule_set.continues.quantifier.value, to_sympy(rule_set.continues.formula))
    return {"rules": rules, "continues": continues, "remarks": list(rule_set.remarks)}


def remarks_of(rule_set: RuleSet) -> tuple[str, ...]:
    """What every export says was measured of it."""
    return rule_set.remarks or (UNMEASURED,)


def _columns(rule_set: RuleSet, rules: Iterable[Formula]) -> list[str]:
    """Lines that give each concept of some rules its variable."""
    names = {name for rule in rules for name in rule.names}
    return ["concepts = _as_bools(concepts)"] + [
        f"{python_variable(name)} = concepts[..., {i}]"
        for i, name in enumerate(rule_set.concepts)
        if name in names
    ]


def _python_entry(output: str, rules: Mapping[str, Formula]) -> list[str]:
    """Lines that give one output."""
    if is_mask(rules):
        return [f"{output!r}: {formula_text(rules['true'], NUMPY)},"]
    return [
        f"{output!r}: np.select(",
        "    [",
        *(f"        {formula_text(rule, NUMPY)},  # {label!r}" for label, rule in rules.items()),
        "    ],",
        f"    {list(range(len(rules)))},",
        "    0,",
        "),",
    ]


def _decision(rules: Sequence[str], i: int, *, of_mask: bool) -> str:
    """Where a class is decided on: its rule is the first that holds."""
    if of_mask:
        return rules[0] if i == 0 else f"(not {rules[0]})"
    if len(rules) == 1:
        return "true"
    if i == 0:
        return f"(or {rules[0]} (not (or {' '.join(rules)})))"
    return f"(and {rules[i]} {' '.join(f'(not {earlier})' for earlier in rules[:i])})"


def _quoted(symbol: str) -> str:
    """A symbol of any text; what cannot stand between bars is escaped as in web addresses."""
    marks = (
        mark if mark.isprintable() and mark not in NOT_IN_SMT else _percent(mark) for mark in symbol
    )
    return f"|{''.join(marks)}|"


def _percent(mark: str) -> str:
    return "".join(f"%{byte:02X}" for byte in mark.encode(errors="surrogatepass"))
