"""The page and Python say the same of every run, to every word."""

from __future__ import annotations

from typing import Any

from algolens.algorithms import algorithm, algorithms
from algolens.engines import Run
from algolens.text.sentences import Sentences
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, drawn_run
from tests.told import fired, told_json

ANSWER = """
function answer({ page, asked }) {
  const side = Side.read(page, page.sides[0]);
  const moments = Array.from({ length: side.steps }, (_, i) => new Moment(side, i + 1));
  const end = new Moment(side, side.steps);
  return {
    told: moments.map((now) => now.tellings),
    about: asked.map(([moment, name, element]) => new Moment(side, moment).about(name, element)),
    outcomes: Object.keys(side.outcomes).map((name) => end.outcome(name)),
    ending: [end.ending],
    fired: moments.map((now) => now.fired),
  };
}
"""


def asked_of(run: Run) -> list[tuple[int, str, int]]:
    """Every field of which something is said, at two elements, in the first step and in the middle.

    Of others a page shows the name and the formula.
    """
    declaration = run.algorithm.declaration
    predicted = {
        name: field
        for name, field in declaration.predicted.items()
        if name in declaration.words.phrases or name in declaration.outputs
    }
    return [
        (moment, name, element)
        for moment in sorted({1, (run.num_steps + 1) // 2})
        for name, field in predicted.items()
        for element in range(min(2, run.graph.count(field.at)))
    ]


def in_python(run: Run, asked: list[tuple[int, str, int]]) -> dict[str, Any]:
    sentences = Sentences(run)
    steps = range(run.num_steps)
    return {
        "told": [[told_json(each) for each in sentences.told(step)] for step in steps],
        "about": [told_json(sentences.about(moment - 1, name, i)) for moment, name, i in asked],
        "outcomes": [sentences.outcome(name) for name in run.outcomes],
        "ending": [sentences.ending()],
        "fired": [[each.to_json() for each in fired(run, step, sentences)] for step in steps],
    }


@needs_node
def test_python_and_the_page_say_the_same_of_runs_of_all_algorithms():
    runs = [drawn_run(algorithm(name), "erdos_renyi:5", 3) for name in algorithms()]
    asked = [asked_of(run) for run in runs]
    given = [{"page": data_of(run), "asked": of} for run, of in zip(runs, asked, strict=True)]
    for run, of, said in zip(runs, asked, in_node(ANSWER, given), strict=True):
        expected = in_python(run, of)
        for part, values in expected.items():
            for place, (theirs, ours) in enumerate(zip(said[part], values, strict=True)):
                assert theirs == ours, (run.algorithm.name, part, place)
