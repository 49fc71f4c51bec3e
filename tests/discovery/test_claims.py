"""A claim about a black box says what it rests on, and what errs is not called found."""

import re

import networkx as nx
import pytest

import algolens as al
from tests.discovery import boxes

RUNS_ON = r"graphs of (\d+)(?: to (\d+))? nodes with at most (\d+) edges at a node"


class OldDirected(boxes.Spread):
    directed = True


class CalledAsAnArgument(boxes.Spread):
    graph = "directed"


class SetsDirected(boxes.Spread):
    def __init__(self):
        self.directed = True


class DrawsItsInputs(boxes.Spread):
    def sample(self, graph, rng):
        return {}


class Misspelt(boxes.Spread):
    graphs = "direct"


@pytest.mark.parametrize(
    ("box", "message"),
    [
        (OldDirected, r"'directed'; there are: graphs, .*write graphs = 'directed'"),
        (SetsDirected, r"'directed'; there are: graphs, .*write graphs = 'directed'"),
        (CalledAsAnArgument, r"'graph'; there are: graphs, "),
        (DrawsItsInputs, r"'sample'; there are: graphs, "),
        (Misspelt, r"'direct'; there are: any, directed, undirected. Did you mean 'directed'"),
    ],
)
def test_what_nothing_reads_of_a_box_is_refused(box, message):
    with pytest.raises(al.AlgoLensError, match=message) as refused:
        al.discover(box)
    assert "\n" not in str(refused.value)


class WithHelpers(boxes.Spread):
    least = 1
    _note = "kept for ourselves"

    def __init__(self):
        self.asked = 0

    @classmethod
    def made(cls):
        return cls()

    @property
    def needed(self):
        return self.least

    def is_reached(self, node, graph, near):
        self.asked = self.asked + 1
        return near >= self.needed


def test_what_a_box_has_for_itself_is_no_mistake():
    found = al.discover(WithHelpers, runs=4, nodes=2)
    assert "some neighbour (on)" in [entry.text for entry in found.declaration.statements.values()]


def test_a_directed_box_runs_on_directed_graphs():
    found = al.discover(boxes.DirectedSpread, runs=6, nodes=3)
    assert "some predecessor (on)" in [
        entry.text for entry in found.declaration.statements.values()
    ]
    assert "all directed graphs of up to 3 nodes" in found.known


def test_a_claim_says_how_many_runs_on_how_large_graphs():
    """The sizes are those of the graphs that the box was run on."""
    given = []

    class Watched(boxes.Spread):
        def start(self, graph):
            given.append(graph.copy())
            return super().start(graph)

    found = al.discover(Watched, runs=10, nodes=2)
    claims = [[int(some or 0) for some in claim] for claim in re.findall(RUNS_ON, found.known)]
    assert len(claims) == 3  # settled on, sampled, sampled on large ones
    orders = [len(graph) for graph in given]
    degrees = [max(degree for _, degree in graph.degree) for graph in given]
    assert max(most for _, most, _ in claims) == max(orders) >= 40
    assert max(degree for *_, degree in claims) == max(degrees) >= 10
    assert min(least for least, *_ in claims) >= min(orders)
    counts = re.findall(r"(\d+) (?:further random )?runs on graphs", found.known)
    assert [int(count) for count in counts][1:] == [60, 12]
    assert sum(len(graph) >= 40 for graph in given) == 12


def test_a_rare_exception_is_shown_where_fresh_runs_have_none():
    found = al.discover(boxes.NeverWhereCrowded, exceptions=True, seconds=6, nodes=2, seed=3)
    known = found.discovery.known
    assert known.seen is not None
    assert known.fresh is not None
    assert sum(known.seen.exceptions.values()) > sum(known.fresh.exceptions.values()) == 0
    shown = re.search(
        r"The smallest: on of (\d+) becomes False, not True, on \d+ nodes \((.*?)\)", found.known
    )
    assert shown is not None
    graph = nx.Graph(tuple(map(int, edge.split("-"))) for edge in shown[2].split(", "))
    assert graph.degree[int(shown[1])] >= 7  # the box's own exception
