"""Mistakes from Python are errors of the library, one line each, that name the thing and what to
do.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

import algolens
from algolens.algorithms import algorithm
from algolens.engines.program import Program
from algolens.errors import GraphError
from algolens.graphs import from_networkx, undirected
from algolens.player.part import MOST_NODES

al: Any = algolens  # types would refuse most of these before they are made
PATH = nx.path_graph(["a", "b", "c"])


def ran(**more):
    return al.execute("bfs", PATH, **more)


MISTAKES = {
    "no algorithm": (lambda: al.execute("dsf", PATH), "no algorithm is called 'dsf'"),
    "an algorithm in capitals": (lambda: al.execute("BFS", PATH), "Did you mean 'bfs'"),
    "no algorithm at all": (lambda: al.execute(3, PATH), "an algorithm is a name, .*; a int came"),
    "no folder": (lambda: al.execute("runs/none", PATH), "no algorithm is called 'runs/none'"),
    "no program": (lambda: al.execute("none.json", PATH), "none.json cannot be read"),
    "no way": (
        lambda: ran(by="magic"),
        "no way to carry an algorithm out is called 'magic'; there are: algorithm, network, rules",
    ),
    "no network": (
        lambda: al.execute(Program.of(algorithm("bfs")), PATH, by="network"),
        "which has no network",
    ),
    "no node": (lambda: ran(source="d"), "no node is called 'd'; there are: a, b, c"),
    "no node of two lines": (
        lambda: al.execute("bfs", nx.path_graph(["two\nlines", "b"]), source="three\nlines"),
        r"no node is called 'three\\nlines'; there are: b, two\\nlines",
    ),
    "no input": (lambda: ran(sauce="a"), "no input of bfs is called 'sauce'; there are: source"),
    "missing input": (
        lambda: al.execute("kruskal", PATH),
        "kruskal needs a 'weight' for every edge",
    ),
    "no options": (lambda: ran(options={"colors": 3}), "option colors: bfs has no options"),
    "other option": (
        lambda: al.execute("coloring", PATH, options={"colours": 3}),
        "Did you mean 'colors'",
    ),
    "option of words": (
        lambda: al.execute("coloring", PATH, options={"colors": "3"}),
        "give a whole number",
    ),
    "too few colors": (
        lambda: al.execute("coloring", PATH, options={"colors": 0}),
        "option colors of coloring is 0: give a whole number from 1 to 64",
    ),
    "too many colors": (
        lambda: al.execute("coloring", PATH, options={"colors": 3000}),
        "option colors of coloring is 3000: give a whole number from 1 to 64",
    ),
    "options in a list": (lambda: ran(options=["colors"]), "options= came as a list"),
    "a network's options": (
        lambda: al.load("coloring").execute(PATH, options={"colors": 3}),
        "keeps the options",
    ),
    "no seed": (lambda: ran(seed=-1), "seed is -1: give a whole number from 0"),
    "no concept": (lambda: ran(set={"visited": True}), "no concept of bfs is called 'visited'"),
    "no place of a concept": (
        lambda: ran(set={"has_been_visited@d": True}),
        "no node of this graph is called 'd'",
    ),
    "no value of a concept": (
        lambda: ran(set={"has_been_visited": 1}),
        "a concept is set to True or False",
    ),
    "no step of a concept": (
        lambda: ran(set={"has_been_visited#0": True}),
        "steps are numbered from 1",
    ),
    "no key": (lambda: ran(set={3: True}), r"set\[3\] should name a concept"),
    "no settings": (lambda: ran(set="has_been_visited"), "set= came as a str"),
    "unknown node": (lambda: ran().explain("d"), "no node of this graph is called 'd'"),
    "step too late": (
        lambda: ran().explain("a", step=9),
        "step 9 does not exist: this run has 2, counted from 1",
    ),
    "step too early": (lambda: ran().explain("a", step=0), "step 0 does not exist"),
    "step before the start": (
        lambda: ran().plot(step=-9),
        "step -9 does not exist: this run has 2, counted from 1, 0 for the",
    ),
    "too many nodes to draw": (
        lambda: al.execute("bfs", f"tree:{MOST_NODES + 1}").plot(),
        "a picture shows .* nodes at most",
    ),
    "no step": (lambda: ran().explain("a", step="last"), "step is 'last': give a whole number"),
    "an edge that is none": (
        lambda: al.execute("matching", PATH).explain(("a", "c")),
        r"no edge of this graph is called '\('a', 'c'\)'; there are: a - b, b - c",
    ),
    "no output": (
        lambda: ran().result["visted"],
        "no output of bfs is called 'visted'; there are: visited",
    ),
    "no node in a result": (
        lambda: ran().result["visited"]["d"],
        "no node of this graph is called 'd'; there are: a, b, c",
    ),
    "runs of other options": (
        lambda: al.play(al.execute("coloring", PATH), al.execute("coloring", PATH, by="network")),
        "beside a network's run, play its truth",
    ),
    "no page": (lambda: ran().save_html(None), "save_html takes a path, and a NoneType came"),
    "no name to load": (
        lambda: al.load(3),
        "a model goes by the name of an algorithm or by its folder; a int came",
    ),
    "no program to save": (lambda: al.explain("bfs").save(None), "save takes a path"),
    "a program in a text": (
        lambda: al.explain("bfs").save("bfs.txt"),
        "bfs.txt: a program ends in .json",
    ),
    "no folder to save": (lambda: al.load("bfs").save(None), "save takes a path"),
    "nothing to load": (lambda: al.load("colorin"), "Did you mean 'coloring'"),
    "no run": (lambda: al.load("/tmp"), "there is no model here"),
    "no class": (lambda: al.load("bfs", algorithm="bfs"), "takes the class of an Algorithm"),
    "nothing to explain": (lambda: al.explain(3), "a model is what al.load or al.train gives"),
    "no seed to explain": (
        lambda: al.explain("bfs", seed=7),
        "seed 7 is not in this model; it has 0",
    ),
    "no cases": (lambda: al.explain("bfs", cases="some"), "cases='some' is not one of all, met"),
    "nothing to check": (
        lambda: al.check(3),
        "an algorithm to check is a class, its name, or a Python file; a int came",
    ),
    "no file to check": (lambda: al.check("none.py"), "none.py: there is no such file"),
    "nothing to play": (
        al.play,
        "al.play takes one or more results of al.execute; got nothing",
    ),
    "two tasks to play": (lambda: al.play(ran(), ran(source="c")), "one set of inputs"),
    "nothing to train": (
        lambda: al.train(al.load("bfs")),
        "bfs is not an algorithm that can be trained",
    ),
    "no preset": (lambda: al.train("bfs", preset="exakt"), "no preset is called 'exakt'"),
    "no setting": (lambda: al.train("bfs", epoch=3), "'epoch'; there are: .*Did you mean 'epochs'"),
    "no epochs": (
        lambda: al.train("bfs", epochs="3"),
        "'epochs' of the schedule is a whole number",
    ),
    "no seeds": (lambda: al.train("bfs", seeds=[0, 0]), "names a seed twice"),
    "no sizes to train": (
        lambda: al.train("bfs", sizes=("a",)),
        "one of sizes is 'a': give a whole number",
    ),
    "no function to watch": (lambda: al.train("bfs", watch=5), "watch=5 should be a function"),
    "no folder to train into": (
        lambda: al.train("bfs", out=5),
        "out= takes a path, and a int came",
    ),
    "no device": (lambda: al.train("bfs", device="gpu"), "device 'gpu' is none of auto, cpu, cuda"),
    "no processor": (lambda: al.train("bfs", processor="GINConv"), "give no processor"),
    "not learnt": (lambda: al.train("dijkstra", preset="paper"), "What learns dijkstra"),
    "no sizes": (
        lambda: al.load("bfs").evaluate(sizes=(0,)),
        "one of sizes is 0: give a whole number",
    ),
    "two of other tasks": (lambda: al.compare("bfs", "coloring"), "only programs for one task"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_in_one_line(mistake):
    make, complaint = MISTAKES[mistake]
    with pytest.raises(al.AlgoLensError, match=complaint) as refused:
        make()
    assert "\n" not in str(refused.value)


def test_advice_on_directions_works_when_typed():
    roads = nx.DiGraph([("a", "b", {"weight": 1}), ("b", "c", {"weight": 2})])
    with pytest.raises(
        GraphError, match=r"in Python, with directed=False; of a Graph, with undirected"
    ):
        al.execute("kruskal", roads)
    joined = al.execute("kruskal", roads, directed=False)
    assert joined.result == al.execute("kruskal", undirected(from_networkx(roads))).result
    with pytest.raises(GraphError, match="undirected takes a Graph, and a DiGraph of networkx"):
        undirected(roads)
