"""Layouts: the page places elements as Python does, and both as plain code says."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from algolens.algorithms import Algorithm, algorithm, algorithms
from algolens.engines import Run, run_algorithm
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.layouts import (
    Bars,
    BoxLayout,
    Grid,
    Intervals,
    Layered,
    Layout,
    Plane,
    Tape,
)
from algolens.player.data import page_data
from algolens.player.part import MOST_NEAR
from algolens.reports.layout import laid_out
from tests.player import geometry
from tests.player.drawn_algorithms import (
    PlacedOfTests,
    PointsOfTests,
    TableOfTests,
    TriangleOfTests,
)
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, side

PLACED = """
function answer({ page, moments }) {
  const side = Side.read(page, page.sides[0]);
  const { layout } = page.algorithm;
  if (layout.form === "plane") {
    return moments.map((moment) => {
      const now = new Moment(side, moment);
      return [planePlaces(layout, now), planeSegments(layout, now)];
    });
  }
  const form = LAYOUTS[layout.form];
  return moments.map((moment) => {
    const now = new Moment(side, moment);
    const marks = (layout.marks ?? []).map((mark) => namedBy(layout, now, mark));
    return [form.boxes(layout, now), form.extent(layout, now), marks];
  });
}
"""
LAYOUTS = {name: algorithm(name).layout for name in algorithms()}
IN_BOXES = [name for name, layout in LAYOUTS.items() if isinstance(layout, BoxLayout)]
IN_BARS = [name for name, layout in LAYOUTS.items() if isinstance(layout, Bars)]


def random_run(name: str, nodes: int, seed: int) -> Run:
    return run_of(algorithm(name, bits=4), nodes, seed)


def run_of(chosen: Algorithm, nodes: int, seed: int) -> Run:
    graph = Graph.pack([nodes], [])
    inputs = chosen.sample(graph, np.random.default_rng(seed))
    return run_algorithm(chosen, graph, inputs, check=False)


def placed(run: Run, moment: int) -> list[Any]:
    layout, now = run.algorithm.layout, geometry.moment_of(run, moment)
    if isinstance(layout, Plane):
        return [geometry.places(layout, now), geometry.segments(layout, now)]
    assert isinstance(layout, BoxLayout)
    marks = [geometry.named(layout, now, mark) for mark in getattr(layout, "marks", ())]
    return [geometry.boxes(layout, now), geometry.extent(layout, now), marks]


def moments_of(run: Run) -> list[int]:
    """The start, the end, and some between them."""
    return sorted(set(np.linspace(0, run.num_steps, 8).round().astype(int).tolist()))


@needs_node
def test_the_page_places_elements_as_python_does():
    runs = [random_run(name, nodes, nodes) for name in IN_BOXES for nodes in (1, 7)]
    runs += [
        run_of(kind(), nodes, 3)
        for kind in (TableOfTests, TriangleOfTests, PlacedOfTests, PointsOfTests)
        for nodes in (1, 11)
    ]
    given = [{"page": data_of(run), "moments": moments_of(run)} for run in runs]
    for run, answer in zip(runs, in_node(PLACED, given), strict=True):
        expected = [placed(run, moment) for moment in moments_of(run)]
        assert answer == json.loads(json.dumps(expected)), run.algorithm.name


@pytest.mark.parametrize("name", IN_BOXES)
def test_every_element_has_a_box_of_its_own_in_view(name):
    run = random_run(name, 8, 1)
    for moment in moments_of(run):
        boxes, (left, right, low, high), _ = placed(run, moment)
        assert len(set(boxes)) == 8
        for box in boxes:
            assert left <= box[0] <= box[1] <= right
            assert low <= box[2] <= box[3] <= high


@pytest.mark.parametrize("name", IN_BARS)
def test_bars_are_as_high_as_their_numbers_and_stand_where_their_place_is(name):
    run = random_run(name, 9, 4)
    keys = run.inputs["key"].tolist()
    for moment in moments_of(run):
        boxes, _, _ = placed(run, moment)
        assert [low + high for _, _, low, high in boxes] == keys
        columns = [left for left, *_ in boxes]
        assert sorted(columns) == list(range(9))
        layout = run.algorithm.layout
        if isinstance(layout, Bars) and layout.order == "place":
            assert columns == run.state("place")[moment].tolist()
    if name.endswith("sort"):
        assert [keys[columns.index(column)] for column in range(9)] == sorted(keys)


def test_a_chain_of_pointers_is_an_order():
    fields = algorithm("selection_sort").declaration.predicted
    layout = Bars(of="key", order="predecessor_in_order")
    for pointers, order in (
        ([0, 1, 2, 3], [0, 1, 2, 3]),
        ([0, 1, 1, 2], [1, 2, 3, 0]),  # 3 after 2, after 1
        ([0, 2, 1, 3], [1, 2, 0, 3]),  # of a wrong run: 1 and 2 point to each other
    ):
        given = dict.fromkeys(fields, pointers)
        now = geometry.Moment(fields, 4, given.__getitem__, lambda _: (0, 0))
        assert sorted(range(4), key=geometry.ranks(layout, now).__getitem__) == order


def texts_of(run: Run) -> tuple[list[int], list[int]]:
    letters, inside = run.inputs["letter"].tolist(), run.inputs["in_pattern"].tolist()
    text = [letter for letter, below in zip(letters, inside, strict=True) if not below]
    return text, letters[len(text) :]


def shift_at(run: Run, moment: int) -> int:
    boxes, _, _ = placed(run, moment)
    return int(min(left for left, _, low, _ in boxes if low == 1))


@pytest.mark.parametrize("seed", range(6))
def test_the_naive_search_has_the_pattern_under_the_text_where_it_is_tried(seed):
    run = random_run("naive_string_matcher", 11, seed)
    text, pattern = texts_of(run)
    tried = []
    for shift in range(len(text) - len(pattern) + 1):
        for place, letter in enumerate(pattern):
            tried.append((shift, shift + place))
            if text[shift + place] != letter:
                break
        else:
            break
    # the first step looks where the pattern begins
    shown = [(shift_at(run, step), placed(run, step)[2][0][0]) for step in range(1, len(tried) + 1)]
    assert shown == tried


@pytest.mark.parametrize("seed", range(6))
def test_kmp_has_the_pattern_under_the_text_where_it_is_tried(seed):
    run = random_run("kmp_matcher", 13, seed)
    text, pattern = texts_of(run)
    tried, place, length = [], 0, 0
    while place < len(text) and length < len(pattern):
        tried.append(place - length)
        if text[place] == pattern[length]:
            place, length = place + 1, length + 1
        elif length:
            length = longest_border(pattern[:length])
        else:
            place += 1
    reading = [step for step in range(run.num_steps) if run["is_read"][step].any()]
    assert [shift_at(run, step) for step in reading] == tried
    assert shift_at(run, run.num_steps) == tried[-1]


def longest_border(word: list[int]) -> int:
    """How long the longest beginning of a word is, short of all, that is its end too."""
    return max(size for size in range(len(word)) if word[:size] == word[len(word) - size :])


def test_intervals_reach_from_begin_to_end_in_the_order_of_their_ends():
    run = random_run("activity_selection", 9, 2)
    begin, end = run.inputs["begin"].tolist(), run.inputs["end"].tolist()
    boxes, _, _ = placed(run, run.num_steps)
    assert [(left, right) for left, right, *_ in boxes] == list(zip(begin, end, strict=True))
    rows = sorted(boxes, key=lambda box: box[2])
    assert [right for _, right, *_ in rows] == sorted(end)
    tasks = random_run("task_scheduling", 9, 2)
    weights = tasks.inputs["weight"].tolist()
    rows = [low for _, _, low, _ in placed(tasks, 0)[0]]
    assert [weights[rows.index(row)] for row in range(9)] == sorted(weights, reverse=True)


def test_cells_stand_row_by_row():
    run = run_of(TableOfTests(), 9, 0)
    corners = [(row, column) for column, _, row, _ in placed(run, 3)[0]]
    assert corners == [divmod(number, 3) for number in range(9)]
    triangle = [
        (row, column) for column, _, row, _ in placed(run_of(TriangleOfTests(), 10, 0), 0)[0]
    ]
    assert triangle == [(row, column) for row in range(4) for column in range(row, 4)]


def test_points_keep_their_angles_and_distances():
    run = run_of(PointsOfTests(), 9, 4)
    places, segments = placed(run, 2)
    drawn = [complex(x, -y) for x, y in places]
    true = [complex(x, y) for x, y in zip(run.inputs["x"], run.inputs["y"], strict=True)]
    ratios = [(drawn[i] - drawn[0]) / (true[i] - true[0]) for i in range(9) if true[i] != true[0]]
    assert all(abs(ratio - ratios[0]) < 1e-9 for ratio in ratios)
    assert abs(ratios[0].imag) < 1e-9 < ratios[0].real
    base, lowest = int(run.inputs["base"][0]), int(np.flatnonzero(run["is_lowest"][2])[0])
    assert segments == ([(base, lowest)] if base != lowest else [])


def test_layers_lead_every_edge_to_the_right_and_put_no_two_nodes_on_one_place():
    rng = np.random.default_rng(7)
    for nodes in (1, 2, 9, *range(20, 60)):
        ends = rng.integers(0, nodes, (2 * nodes, 2))
        edges = [(int(u), int(v)) for u, v in ends if u < v]
        graph = Graph.pack([nodes], edges, directed=True)
        places = laid_out(graph, layout=Layered()).places
        for column in np.unique(places[:, 0]):
            assert (np.diff(np.sort(places[places[:, 0] == column, 1])) > 1 - 1e-9).all()
        sender, receiver = graph.edges
        assert (places[sender, 0] < places[receiver, 0]).all()
    circle = Graph.pack([3], [(0, 1), (1, 2), (2, 0)], directed=True)
    assert laid_out(circle, layout=Layered()).form == "a cycle"


def test_of_many_bars_a_page_shows_those_around_one():
    run = random_run("insertion_sort", 300, 1)
    page = page_data([side(run)], "numbers", around=140)
    numbers = page["part"]["numbers"]["node"]
    assert numbers == list(range(140 - MOST_NEAR // 2, 140 + MOST_NEAR // 2))
    assert page["graph"]["nodes"] == [str(number) for number in numbers]


@pytest.mark.parametrize(
    ("layout", "told"),
    [
        (Bars(of="kee"), "Bars has of='kee', which is no field: name one of key, "),
        (Bars(of="placed"), "Bars has of='placed': name a number at the nodes."),
        (Bars(of="key", order="placed"), "Bars has order='placed': name a number or a pointer at"),
        (
            Bars(of="key", marks="placed"),  # type: ignore[arg-type]
            "layout Bars(of='key', order=None, marks='placed', lines=()): Expected `array`",
        ),
        (Bars(of="key", marks=("key",)), "Bars has marks='key': name a mask at the nodes, or a"),
        (Bars(of="key", lines=("key",)), "Bars has lines='key': name a number of the graph."),
        (Tape(of="key", second="key"), "Tape has second='key': name a mask at the nodes."),
        (
            Tape(of="key", meets=("placed", "placed")),
            "Tape has meets=('placed', 'placed'): name the second row",
        ),
        (Intervals(end="key", begin="placed"), "Intervals has begin='placed': name a number"),
        (Grid(of="key", row="key"), "Grid has row='key' and column=None: give both, or neither."),
        (Grid(of="key", where="key"), "Grid has where='key': name a mask at the nodes."),
        (Plane(x="key", y="placed"), "Plane has y='placed': name a number at the nodes."),
        (
            Plane(x="key", y="key", segments=("key", "key")),  # type: ignore[arg-type]
            "layout Plane(x='key', y='key', segments=('key', 'key')): Expected `array`",
        ),
        (Plane("key", "key", (("key", "placed"),)), "Plane has segments='key': name a pointer of"),
        ("bars", "layout is 'bars': write one of algolens.language.layouts, as in Bars(of='key')."),
    ],
)
def test_a_layout_that_is_drawn_from_what_is_not_there_is_refused(layout: Layout, told: str):
    with pytest.raises(DefinitionError) as refused:
        type("Mine", (type(algorithm("selection_sort")),), {"name": "mine", "layout": layout})
    assert str(refused.value).startswith(f"algorithm 'mine': {told}")
    assert "\n" not in str(refused.value)
