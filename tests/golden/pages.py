"""What the page of a run shows, for six algorithms on fixed graphs.

Guards of a rebuilding, beside the laws that judge what is right. Kept is what a person sees: the
graph and where its nodes stand, every step, the states, the sentences and the lines of pseudocode.
The program's own form, from which the page makes these, may change. Sentences are those of the
terminal: ``tests/player/test_sentences.py`` holds the page to them.

`python -m tests.golden.commands` writes pages.json.gz anew.
"""

from __future__ import annotations

from typing import Any

from algolens.algorithms import algorithm
from algolens.engines import Run
from algolens.text.sentences import Sentences, Told
from tests.golden.traces import ran, tasks
from tests.player.runs import data_of, trace_rows
from tests.told import fired

ALGORITHMS = ("bfs", "dijkstra", "coloring", "kruskal", "quicksort", "kmp_matcher")
SIZE = 6
OF_PAGE = ("inputs", "given", "drawn", "scales", "part", "graph")
OF_ALGORITHM = (
    "name",
    "title",
    "about",
    "options",
    "location",
    "concepts",
    "state",
    "outcomes",
    "layout",
    "checks",
    "most_steps",
)
OF_SIDE = ("by", "steps", "stopped", "start", "outcomes", "has_concepts", "difference")


def drawn() -> dict[str, Any]:
    """For each algorithm, a task and what the page of its run shows."""
    found = {}
    for name in ALGORITHMS:
        (task,) = tasks(name, (SIZE,))
        found[name] = {"task": task, "page": taken(name, task)}
    return found


def taken(name: str, task: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a run."""
    run = ran(algorithm(name), task)
    page = data_of(run)
    declared, (side,) = page["algorithm"], page["sides"]
    lines = {line["id"]: line["text"] for line in declared["pseudocode"]}
    return {
        **{key: page[key] for key in OF_PAGE},
        "algorithm": {key: declared[key] for key in OF_ALGORITHM},
        "pseudocode": [[line["depth"], line["text"]] for line in declared["pseudocode"]],
        "side": {key: side[key] for key in OF_SIDE},
        "states": {
            field: trace_rows(changes, side["steps"]) for field, changes in side["trace"].items()
        },
        **_said(run, lines),
    }


def _said(run: Run, lines: dict[str, str]) -> dict[str, Any]:
    """What is said after each step; of each element in the middle; and of the end."""
    sentences, steps = Sentences(run), range(run.num_steps)
    return {
        "told": [[_told(each) for each in sentences.told(step)] for step in steps],
        "about": [
            _told(sentences.about(run.num_steps // 2, field, element))
            for field, what in run.algorithm.declaration.predicted.items()
            for element in range(run.graph.count(what.at))
        ],
        "lines": [
            [
                [lines[each["id"]], each["elements"]]
                for each in (line.to_json() for line in fired(run, step, sentences))
            ]
            for step in steps
        ],
        "outcomes": [sentences.outcome(outcome) for outcome in run.outcomes],
        "ending": sentences.ending(),
    }


def _told(told: Told) -> list[Any]:
    return [told.name, told.element, told.sentence, told.formula]
