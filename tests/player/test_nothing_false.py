"""What pages, the terminal and notebooks say is held against the values of the run."""

from __future__ import annotations

import re
from importlib.resources import files

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import algorithm, algorithms
from algolens.engines import Intervention
from algolens.graphs import from_networkx, load_graph
from algolens.text.sentences import Sentences
from tests.player.in_node import in_node, needs_node
from tests.player.runs import data_of, drawn_run, read_run

CHIPS = """
function answer(page) {
  const task = new Task(page, () => {}, () => {});
  const [side] = task.sides;
  const moments = Array.from({ length: side.steps }, (_, i) => i + 1);
  return moments.flatMap((moment) => structuresOf(new Moment(side, moment)))
    .filter(({ title }) => title.startsWith("Waiting"))
    .flatMap(({ items }) => items.flat())
    .map(({ text, element }) => [text, page.given.weight[element]]);
}
"""


@needs_node
@pytest.mark.parametrize("name", ["kruskal", "prim"])
@pytest.mark.parametrize("factor", [1, 0.25, 1.1])
def test_chips_show_the_weights_of_their_edges(name: str, factor: float):
    graph = nx.cycle_graph(5)
    nx.set_edge_attributes(graph, {(u, v): (7 * u + v) * factor for u, v in graph.edges}, "weight")
    (chips,) = in_node(CHIPS, [data_of(read_run(name, from_networkx(graph)))])
    assert chips
    for text, weight in chips:
        assert text.endswith(f" {weight}")


@needs_node
def test_the_chips_of_the_roads_show_their_lengths():
    (chips,) = in_node(CHIPS, [data_of(read_run("kruskal", load_graph("examples/roads.csv")))])
    assert "Den Haag - Rotterdam 26" in {text for text, _ in chips}


def test_what_has_no_value_is_not_said_to_keep_one():
    roads = nx.Graph()
    roads.add_weighted_edges_from([("Mill", "Well", 4), ("Well", "Church", 2)])
    for name, number in (
        ("dijkstra", "distance"),
        ("bellman_ford", "distance"),
        ("widest_path", "width"),
    ):
        run = al.execute(name, roads, source="Mill")
        assert f"Church: no {number} yet" in run.explain("Church", 1)
        assert " 0" not in run.explain("Church", 1).splitlines()[1]


@pytest.mark.filterwarnings("ignore:by algorithm, it is cut short")
@pytest.mark.parametrize(
    "name", [name for name, cls in algorithms().items() if cls().declaration.only_where]
)
def test_no_value_stays_where_there_is_none(name: str):
    run = al.execute(name, "erdos_renyi:5", seed=3).run.with_trace()
    sentences = Sentences(run)
    for number, where in run.algorithm.declaration.only_where.items():
        for step in range(run.num_steps):
            for element in np.flatnonzero(~run[where][step].astype(bool)).tolist():
                about = sentences.about(step, number, element).sentence
                assert f"{number} stays" not in about


def test_where_the_pattern_goes_on_is_a_letter_of_it():
    text, pattern = "ABABABAC", "ABABAC"
    run = al.execute("kmp_matcher", text, pattern)
    said = [each["sentence"] for step in run.to_json(trace=True)["trace"] for each in step["told"]]
    learnt = r"Letters (\d+) and (\d+) of the pattern are both (\w): .* go on after letter (\d+),"
    found = [match.groups() for match in (re.match(learnt, each) for each in said) if match]
    assert found
    for place, alike, letter, after in found:
        last, first = int(place), int(after)
        assert alike == after
        assert pattern[last - 1] == letter
        assert pattern[:first] == pattern[last - first : last]  # a border
    alike = r"Letter (\d+) of the text and letter (\d+) of the pattern are both (\w)$"
    pairs = [match.groups() for match in (re.match(alike, each) for each in said) if match]
    assert pairs
    assert all(text[int(one) - 1] == letter == pattern[int(two) - 1] for one, two, letter in pairs)
    differ = (
        r"Letter (\d+) of the text is (\w), letter (\d+) of the pattern is (\w): they differ\. Of "
        r"the (\d+) letters before, .* has length (\d+): go on at letter (\d+) of the pattern$"
    )
    (met,) = [match.groups() for match in (re.match(differ, each) for each in said) if match]
    in_text, in_pattern, agree, left, goes_on = (int(met[i]) for i in (0, 2, 4, 5, 6))
    assert text[in_text - 1] == met[1] != met[3] == pattern[in_pattern - 1]
    before = pattern[:agree]
    assert text[in_text - 1 - agree : in_text - 1] == before
    assert left == max(n for n in range(agree) if before[:n] == before[agree - n :]) == goes_on - 1
    read = [int(n) for each in said for n in re.findall(r"Letter (\d+) of the text is read", each)]
    assert read == sorted(read)
    assert max(read) <= len(text)


def test_sorted_numbers_are_in_their_places_and_not_all_settled():
    keys = [552, 85, 638, 700, 701, 702, 703, 90]
    row = nx.empty_graph(len(keys))
    nx.set_node_attributes(row, dict(enumerate(keys)), "key")
    run = al.execute("quicksort", row)
    by_place = sorted(range(len(keys)), key=run.result["place"].__getitem__)
    assert [keys[i] for i in by_place] == sorted(keys)
    assert not all(run.result["settled"].values())  # parts of one number need no pivot
    assert "every number is in its place" in run.table()
    assert "every number is settled" not in run.table()


def test_no_component_is_said_to_be_one_nodes_own():
    page = al.execute("strong_components", nx.cycle_graph(3, create_using=nx.DiGraph)).page()
    assert "component of its own" not in page


SAID_OF_A_SETTING = """
function answer(page) {
  make = (tag, attributes = {}, ...children) => children.flat().join("");
  const task = new Task(page, () => {}, () => {});
  const [side] = task.sides;
  const panel = new Panel(task, new Moment(side, 1), { at: "node", element: 0 });
  const value = Number(side.at("has_visited_neighbours", 1)[0]) === 1;
  const scene = side.scene(0);
  return panel.reasonsOf(scene, "has_visited_neighbours", 0, value);
}
"""


@needs_node
def test_where_no_network_is_none_is_spoken_of():
    setting = Intervention("has_visited_neighbours", False, [0], [0])
    run = drawn_run(algorithm("bfs"), "ladder:6", 1, interventions=[setting])
    (said,) = in_node(SAID_OF_A_SETTING, [data_of(run)])
    assert "The definition says yes; in this run it is no." in said
    assert "network" not in "".join(said)


# ---- what is thick


Element = tuple[set[str], dict[str, str]]  # its classes and attributes


def width_of(path: list[Element], tag: str = "path") -> float:
    """The stroke's width, by player.css, of the last of some nested elements."""
    css = (files("algolens.player") / "player.css").read_text(encoding="utf-8")
    css = re.sub(r"/\*.*?\*/|@media print.*", "", css, flags=re.DOTALL)
    best: tuple[int, int] = (-1, -1)
    width = 1.0
    for place, (selectors, body) in enumerate(re.findall(r"([^{}]+)\{([^{}]*)\}", css)):
        said = re.search(r"stroke-width: ([\d.]+)", body)
        for selector in re.split(r",(?![^(]*\))", selectors) if said else ():
            weight = _weight(selector.split(), path, tag)
            if said and weight is not None and (weight, place) > best:
                best, width = (weight, place), float(said[1])
    return width


PART = re.compile(
    r":(not|where)\(((?:[^()]|\([^()]*\))*)\)|\[([\w-]+)(?:=\"([^\"]*)\")?\]|\.([\w-]+)|(\w+)|(.)"
)


def _weight(compounds: list[str], path: list[Element], tag: str) -> int | None:
    """How specific a selector is, counted in classes; None where it does not match."""
    *above, last = compounds
    weight = _compound(last, path[-1], tag)
    if weight is None or not above:
        return weight
    rests = (_weight(above, path[:i], "g") for i in range(len(path) - 1, 0, -1))
    rest = next((each for each in rests if each is not None), None)
    return None if rest is None else weight + rest


def _compound(compound: str, element: Element, tag: str) -> int | None:
    (classes, attributes), weight = element, 0
    for word, inner, attribute, value, name, type_, other in PART.findall(compound):
        found = _compound(inner, element, tag) if word else None
        holds = {
            word == "not": found is None,
            word == "where": found is not None,
            bool(attribute): attribute in attributes and value in ("", attributes[attribute]),
            bool(name): name in classes,
            bool(type_): type_ == tag,
        }.get(True, False)
        if not holds or other:
            return None
        weight += 0 if word == "where" or type_ else 1
    return weight


@pytest.mark.parametrize("number", range(8))
@pytest.mark.parametrize("room", [set(), {"small"}])
def test_what_a_step_decides_is_the_thickest(number: int, room: set[str]):
    attributes = {"data-class": str(number), "data-form": str(number and 1 + (number - 1) % 5)}
    for classes in ({"edge"}, {"edge", "tree"}):
        around: list[Element] = [(room, {}), ({"edges"}, {})]
        usual, now = (
            width_of([*around, (each, attributes)]) for each in (classes, classes | {"changed"})
        )
        assert now > usual
        assert all(
            now > width_of([*around, (classes, {"data-class": str(other)})]) for other in range(8)
        )
    places: list[list[tuple[set[str], dict[str, str]]]] = [[(room, {})], [({"boxes"}, {})]]
    for around in places:  # nodes; bars, cells and intervals
        usual, now = (
            width_of([*around, (each, attributes), ({"body"}, {})], "rect")
            for each in ({"node"}, {"node", "changed"})
        )
        assert now > usual
