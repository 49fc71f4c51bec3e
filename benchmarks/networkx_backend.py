"""NetworkX's own tests with AlgoLens as their backend: which calls it carries out, and what passes.

python -m benchmarks.networkx_backend --out results/pages/networkx-tests.md

NetworkX runs every function that the backend has there, and falls back to its own for the rest.
Unless packages are named (``--of networkx``: all of its tests, which takes an hour), the tests are
those of the functions that AlgoLens offers, and of what is built on them.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import networkx as nx
import pytest
import typer

from algolens.dispatch.offers import OFFERS

RECORD = "ALGOLENS_NETWORKX_TESTS"
OF_THE_FUNCTIONS = (
    "networkx.algorithms.approximation.tests.test_kcomponents",
    "networkx.algorithms.bipartite",
    "networkx.algorithms.coloring",
    "networkx.algorithms.components",
    "networkx.algorithms.shortest_paths",
    "networkx.algorithms.tests.test_bridges",
    "networkx.algorithms.tests.test_core",
    "networkx.algorithms.tests.test_dag",
    "networkx.algorithms.tests.test_matching",
    "networkx.algorithms.traversal",
    "networkx.algorithms.tree.tests.test_mst",
)
# tests that do not pass, and why; one that is not here ends the command with an error
REASONS = {
    "algorithms/tests/test_dag.py::TestDAG.test_topological_sort6": (
        "it changes the graph while it takes nodes from the generator, and expects an error: here "
        "the whole order is there when the function returns"
    ),
}
# what a reason says of one call alone
PARTICULAR = re.compile(r"(?<!than )'[^']*'|\([^)]*\)|(?<=to )\d+|(?<=node )\S+|-\d+")


def main(
    of: Annotated[list[str] | None, typer.Option(help="A package of NetworkX.")] = None,
    out: Annotated[Path | None, typer.Option(help="The page to write.")] = None,
) -> None:
    """Runs the tests in a process of their own, and writes a page of what they say."""
    packages = of or list(OF_THE_FUNCTIONS)
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "tests.json"
        subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "-q", "--no-header", "--tb=no", "-W", "ignore"),
                *("-p", "benchmarks.networkx_backend", "-p", "no:cacheprovider"),
                *("--pyargs", *packages),
            ],
            env={
                **os.environ,
                "NETWORKX_TEST_BACKEND": "algolens",
                "NETWORKX_FALLBACK_TO_NX": "1",
                "PYTHONPATH": os.pathsep.join(sys.path),
                RECORD: str(record),
            },
            cwd=folder,
        )
        tests = json.loads(record.read_text(encoding="utf-8"))
    page, unexplained = page_of(tests, packages)
    if out is None:
        print(page)
    else:
        out.write_text(page, encoding="utf-8")
    if unexplained:
        raise SystemExit(f"these tests fail for no reason that is known: {', '.join(unexplained)}")


# ---- in the process of the tests, where pytest loads this module

calls: list[tuple[str, str, str]] = []  # of the test that runs: a function, what came of it, why
recorded: dict[str, Any] = {}


def pytest_collection_finish() -> None:
    """Has every call of the backend written down."""
    if RECORD not in os.environ:
        return
    from algolens.dispatch.backend import interface

    for name in OFFERS:
        setattr(interface, name, _noted(name, getattr(interface, name)))


def _noted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            result = function(*args, **kwargs)
        except NotImplementedError as problem:
            calls.append((name, "left", str(problem)))
            raise
        except nx.NetworkXException:
            calls.append((name, "refused", ""))
            raise
        calls.append((name, "carried out", ""))
        return result

    return call


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Begins a test's calls anew."""
    calls.clear()
    return (yield)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keeps what came of a test, and its calls."""
    if report.when == "call":
        file, _, test = report.location
        recorded[f"{file.rpartition('networkx/')[2]}::{test}"] = {
            "outcome": report.outcome,
            "calls": list(calls),
        }


def pytest_sessionfinish() -> None:
    """Writes all of it to a file."""
    if RECORD in os.environ:
        Path(os.environ[RECORD]).write_text(json.dumps(recorded), encoding="utf-8")


# ---- the page


def page_of(tests: dict[str, Any], packages: list[str]) -> tuple[str, list[str]]:
    """The page, and the tests that fail without a known reason."""
    ours = {
        name: test
        for name, test in tests.items()
        if any(what != "left" for _, what, _ in test["calls"])
    }
    failed = [name for name, test in tests.items() if test["outcome"] == "failed"]
    passed = sum(test["outcome"] == "passed" for test in ours.values())
    rows, left = [], Counter[tuple[str, str]]()
    for function, offer in OFFERS.items():
        counted = Counter(
            what for test in tests.values() for name, what, _ in test["calls"] if name == function
        )
        in_tests = [
            test
            for test in ours.values()
            if any(name == function and what != "left" for name, what, _ in test["calls"])
        ]
        right = sum(test["outcome"] == "passed" for test in in_tests)
        rows.append(
            f"| `{function}` | {offer.algorithm} | {counted['carried out']} | "
            f"{counted['refused']} | {counted['left']} | {right} of {len(in_tests)} |"
        )
    for test in tests.values():
        left.update(
            (PARTICULAR.sub("…", why), name) for name, what, why in test["calls"] if what == "left"
        )
    by_reason: dict[str, Counter[str]] = {}
    for (why, name), count in left.items():
        by_reason.setdefault(why, Counter())[name] += count
    is_usual = packages == list(OF_THE_FUNCTIONS)
    asked = "" if is_usual else "".join(f" --of {package}" for package in packages)
    lines = [
        "# NetworkX's own tests",
        "",
        f"Made by `python -m benchmarks.networkx_backend{asked} --out results/pages/"
        f"networkx-tests.md` with NetworkX {nx.__version__}. "
        "[NetworkX backend](../../docs/engines.md) says how to use it.",
        "",
        f"Of {len(tests)} tests of {', '.join(packages)}, {len(ours)} call a function that "
        f"AlgoLens carries out there; {passed} of these pass, and {len(failed)} of all fail.",
        "",
        "| function | algorithm | calls carried out | errors as NetworkX's | left to NetworkX | "
        "tests that pass |",
        "|---|---|---|---|---|---|",
        *rows,
        "",
        "## Tests that fail",
        "",
        *([f"- `{name}`: {REASONS.get(name, 'not explained')}." for name in failed] or ["None."]),
        "",
        "## Why calls are left to NetworkX",
        "",
        "| reason | calls | functions |",
        "|---|---|---|",
        *(
            f"| {why.replace('|', ' ')} | {sum(names.values())} | {', '.join(sorted(names))} |"
            for why, names in sorted(by_reason.items(), key=lambda pair: -sum(pair[1].values()))
        ),
        "",
    ]
    return "\n".join(lines), [name for name in failed if name not in REASONS]


if __name__ == "__main__":
    typer.run(main)
