"""How many random cases a law is tried on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from hypothesis import settings

from algolens.algorithms import Algorithm, algorithm
from algolens.algorithms._recipes import LONG_RUNS
from algolens.data import fixed
from algolens.engines import Run
from algolens.language.ir import STEPS, columns_of

# what the counts in the tests are meant beside; `make test` tries half of it, `make fuzz` ten times
# as many
USUAL = 40


def examples(count: int) -> settings:
    """So many cases, in proportion to what the profile tries where a test says nothing."""
    return settings(max_examples=in_proportion(count), deadline=None)


def in_proportion(count: int) -> int:
    """So many, in proportion to what the profile tries where a test says nothing."""
    usual = settings.default.max_examples if settings.default else USUAL
    return max(1, count * usual // USUAL)


def is_thorough() -> bool:
    """Whether all is tried: `make fuzz`."""
    return bool(settings.default and settings.default.max_examples > USUAL)


def few_runs(algorithm: Algorithm, count: int = 20) -> Run:
    """True runs on so many graphs; all of an algorithm's sets take seconds to draw."""
    recipe = replace(algorithm.recipe, train=1, held_out=count, test_sizes=())
    return fixed(algorithm, 0, recipe).validation


def covering(names: Iterable[str]) -> list[str]:
    """Of algorithms, few that together hold every form of statement; by `make fuzz`, all.

    For laws that no algorithm breaks on its own: what they rest on is what statements are made of.
    """
    left = sorted(names)
    if is_thorough():
        return left
    forms = {name: _forms(name) for name in left}
    chosen: list[str] = []
    # whose runs are long come last, and of those that add as much the smallest comes first: they
    # take less time
    long = [name for name in left if algorithm(name).recipe == LONG_RUNS]
    for names in ([name for name in left if name not in long], long):
        missing = set().union(*(forms[name] for name in names)) - set().union(
            *(forms[name] for name in chosen)
        )
        while missing:
            name = max(names, key=lambda name: (len(forms[name] & missing), -len(forms[name])))
            chosen.append(name)
            missing -= forms[name]
    return sorted(chosen)


def _forms(name: str) -> set[tuple[object, ...]]:
    """Where statements sit, whom they look at, and what they say of one in view."""
    declaration = algorithm(name).declaration
    fields = {**declaration.inputs, **declaration.predicted}
    forms: set[tuple[object, ...]] = {(field.at, type(field.kind)) for field in fields.values()}
    for statement in declaration.statements.values():
        view = statement.view
        said = frozenset(type(feature) for feature, _ in statement.features.values())
        columns = frozenset(
            column if (at, column) in STEPS else "pointer"  # which may have any name
            for at, column in (columns_of(view) if view else ())
        )
        forms.add((statement.at, view and (view.rows, view.apart, columns), said))
    return forms
