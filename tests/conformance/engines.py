"""Every engine, called alike: a case in, its trace out; None where it does not take the case."""

from __future__ import annotations

import atexit
import sqlite3
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from algolens.engines import Run, Stopped, delta, run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError, GraphError
from algolens.player.declared import SHAPES, look_data, rules_data
from algolens.player.steps import whole_values
from tests.conformance.cases import Case, Trace
from tests.conformance.in_sql import by_sql
from tests.player.in_node import NODE, OneByOne

ENDED = {Stopped.BY_COUNT: "by count", Stopped.BY_RULE: "by rule", Stopped.BY_LIMIT: "at its limit"}


def by_tensors(case: Case) -> Trace:
    """Whole-array steps in PyTorch."""
    return _trace(
        case,
        lambda: run_algorithm(
            case.algorithm, case.graph, case.inputs, kernel="tensor", check=False
        ),
    )


def by_changes(case: Case) -> Trace | None:
    """The incremental engine, from the first step on; it leaves pairs of rows to tensors."""
    try:
        return _trace(
            case,
            lambda: run_algorithm(
                case.algorithm, case.graph, case.inputs, kernel="incremental", check=False
            ),
        )
    except AlgoLensError as problem:
        if "does not run by the incremental engine" not in str(problem):
            raise
        return None


def _trace(case: Case, take: Callable[[], Run]) -> Trace:
    """A run of the library as the reference writes one."""
    try:
        run = take()
    except GraphError as problem:
        if "bits" not in str(problem):
            raise
        return {"refused": True}
    declaration = case.algorithm.declaration
    fields = tuple(declaration.predicted)
    resting: dict[str, Any] = {
        name: run.resting[:, place].tolist() for place, name in enumerate(declaration.concepts)
    }
    return {
        "start": {name: value.tolist() for name, value in run.start.items()},
        "steps": [
            {name: run[name][step].tolist() for name in fields} for step in range(run.num_steps)
        ],
        "after": resting | {name: value.tolist() for name, value in run.outcomes.items()},
        "ended": ENDED[Stopped(int(run.stopped[0]))],
    }


IN_PAGE = """
const ENDED = { count: "by count", rule: "by rule", limit: "at its limit" };
function answer({ shapes, declared, decides, nodes, edges, directed, inputs }) {
  const algorithm = { ...nodesIn(shapes, declared.look), ...declared };
  const rules = nodesIn(shapes, decides);
  const machine = new Machine(algorithm, new Graph(nodes, edges, directed), inputs);
  try {
    const start = machine.start();
    const { steps, after, told } = machine.run(rules, start);
    const outcomes = Object.entries(told.outcomes).map(([name, value]) => [name, [value]]);
    Object.assign(after, Object.fromEntries(outcomes));
    return { start, steps, after, ended: ENDED[told.stopped] };
  } catch (problem) {
    if (problem instanceof RangeError) return { refused: problem.message };
    throw problem;
  }
}
"""


@cache
def _page() -> OneByOne:
    page = OneByOne(IN_PAGE)
    atexit.register(page.close)
    return page


def by_page(case: Case) -> Trace:
    """JavaScript, as the page carries programs out."""
    chosen, graph = case.algorithm, case.graph
    found: Trace = _page()(
        {
            "shapes": SHAPES,
            "declared": {
                "look": look_data(chosen),
                "most_steps": int(chosen.max_steps(graph)[0]),
                "outcomes": chosen.declaration.outcomes,
            },
            "decides": rules_data(chosen, chosen.declaration.rule_set),
            "nodes": graph.num_nodes,
            "edges": graph.edges.T.tolist(),
            "directed": graph.directed,
            "inputs": {name: whole_values(value) for name, value in case.inputs.items()},
        }
    )
    return found


def by_source(case: Case) -> Trace | None:
    """The exported Python module, which is executed with nothing but NumPy at hand."""
    module: dict[str, Any] = {}
    ends = case.graph.edges.T
    if (ends[:, 0] == ends[:, 1]).any():
        return None  # it refuses loops
    exec(Program.of(case.algorithm).to_python_source(), module)
    graph = module["graph_of"](case.graph.num_nodes, ends, case.graph.directed)
    inputs = dict(case.inputs)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            steps, outcomes = module["run"](graph, inputs)
        except OverflowError:
            return {"refused": True}
    is_cut = any("cut short" in str(each.message) for each in said)
    return {
        "start": {},
        "steps": [{name: value.tolist() for name, value in step.items()} for step in steps],
        "after": {name: [value] for name, value in outcomes.items()},
        "is_cut": is_cut,
    }


ENGINES: dict[str, Callable[[Case], Trace | None]] = {
    "tensors": by_tensors,
    "Python": by_source,
    "SQLite": lambda case: by_sql(case, sqlite3.connect(":memory:")),
}
if NODE is not None:
    ENGINES["page"] = by_page
if delta.library() is not None:
    ENGINES["incremental"] = by_changes


def difference(case: Case, found: Trace, *, sees: bool = True) -> str | None:
    """Where an engine's trace is another than the reference's: the first place, in words.

    sees: whether it has all that is seen on the way.
    """
    expected = case.expected
    if "refused" in expected or "refused" in found:
        return None if expected.keys() == found.keys() else f"refused: {found.keys()}"
    if len(found["steps"]) != len(expected["steps"]):
        return f"{len(found['steps'])} steps, and not {len(expected['steps'])}"
    if found.get("ended", expected["ended"]) != expected["ended"]:
        return f"it ended {found['ended']}, and not {expected['ended']}"
    if found.get("is_cut", expected["ended"] == "at its limit") != (
        expected["ended"] == "at its limit"
    ):
        return f"it is told to be cut short where it ended {expected['ended']}, or the other way"
    frames = [("start", found["start"], expected["start"])]
    frames += [
        (f"step {step}", *both)
        for step, both in enumerate(zip(found["steps"], expected["steps"], strict=True))
    ]
    # an outcome that is carried is as the last step left it
    left = (expected["steps"] or [expected["start"]])[-1]
    frames.append(("after", found["after"], left | expected["after"]))
    wanted = {*(case.algorithm.declaration.predicted if sees else case.program.outputs)}
    for place, mine, theirs in frames:
        if place.startswith("step") and not wanted <= mine.keys():
            return f"{place}: {wanted - mine.keys()} are missing"
        for name, values in mine.items():
            if list(map(int, values)) != list(map(int, theirs[name])):
                return f"{place}: {name} is {values}, and not {theirs[name]}"
    return None
