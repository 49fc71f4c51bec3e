"""An algorithm that contradicts itself is refused when it is defined."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens.algorithms import (
    Algorithm,
    Each,
    Graph,
    Node,
    Option,
    Values,
    algorithm,
    algorithms,
    broken_algorithms,
    category,
    mask,
    number,
    per,
    pointer,
    variants,
)
from algolens.algorithms.bfs import Bfs
from algolens.engines import run_algorithm
from algolens.errors import DefinitionError, UnknownNameError
from algolens.graphs import Graph as GraphBatch
from algolens.language.declare import SAID
from tests.effort import examples
from tests.strategies import formulas


class Seen(Algorithm, part=True):
    """What a breadth-first search declares, seen in Python."""

    source = Graph.input(pointer(Node), start_only=True)
    has_been_visited, has_visited_neighbours = Node.concept(), Node.concept()
    visited = Node.output(mask, becomes="has_visited_neighbours")
    goes_on = "some node (~has_been_visited & has_visited_neighbours)"

    def start(self, graph: GraphBatch, inputs: Values) -> dict[str, Tensor]:
        return {}

    def perceive(self, graph: GraphBatch, inputs: Values, state: Values) -> dict[str, Tensor]:
        return {}


def wrong(base: type[Algorithm] = Seen, **changed: Any) -> type[Algorithm]:
    """A class that declares something else."""
    return type("Wrong", (base,), changed)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"carried": ("parent",)}, "carried has 'parent', which is no feature that perceive"),
        ({"visited": None}, "an algorithm gives an output: declare one"),
        ({"visited": Node.output(mask, becomes="seen")}, "a node has no seen"),
        ({"visited": Node.output(mask, becomes="visited")}, "'visited', which is no concept"),
        ({"visited": Node.output(mask)}, "'visited' has no becomes"),
        (
            {"visited": Node.output(category(3), becomes={"maybe": "True"})},
            "'visited' has no class 'maybe': there are 0, 1, 2",
        ),
        (
            {"visited": Node.output(number(3), becomes="3")},
            "has a becomes, and perceive.. in Python gives it",
        ),
        ({"goes_on": "some node (~done)"}, "goes_on: .* a node has no done"),
        ({"has_been_visited": None, "has_visited_neighbours": None}, "visited"),
        ({"visited": Graph.output(mask, becomes="True")}, "at one table; here: graph, node"),
        ({"ﬁ": Node.concept()}, "'ﬁ' cannot name a field: .* read it as 'fi'"),
        ({"age": Node.derived(kind=number(4, distinct="graph"))}, "checked of inputs alone"),
        ({"and": Graph.input(pointer(Node))}, "'and' cannot name a field: it is a word of"),
        (
            {"visited": Node.output(mask, start="False", becomes="has_visited_neighbours")},
            "'visited' has a start, and start\\(\\) in Python gives it",
        ),
        ({"near": Node.derived("visited")}, "has no statement, and other features have"),
    ],
)
def test_contradictions_are_refused_at_definition(change, complaint):
    with pytest.raises(DefinitionError, match=complaint) as caught:
        wrong(**change)
    assert "algorithm 'wrong'" in str(caught.value)
    assert "\n" not in str(caught.value)


class Spread(Algorithm):
    """A node that has a reached neighbour is reached."""

    source = Graph.input(pointer(Node))
    reached = Node.output(mask, start="me = graph's source", becomes="reached | is_near")
    is_near = Node.derived("some neighbour (reached)")
    goes_on = "some node (is_near & ~reached)"


ANYTHING: list[Any] = [
    None,
    3,
    True,
    0.5,
    "text",
    ["text"],
    ("text",),
    (3,),
    {"text"},
    {},
    {"text": "text"},
    {"visited": 3},
    {3: "text"},
    mask,
    Node,
    Node.input,
    Node.input(mask),
    Each(1, 2),
    per(Node),
    Option(3),
    lambda: None,
]
FORM = (
    *("goes_on", "most_steps", "outcomes", "examines", "starts_with", "repeats", "ends_when"),
    *("carried", "graphs", "recipe", "layout", "checks", "table", "name", "title"),
)


def taken(declare: Any) -> str:
    """The refusal of a class, in one line; nothing where it is taken."""
    try:
        wrong(Spread, **declare())
    except DefinitionError as problem:
        told = str(problem)
    else:
        told = ""
    assert "\n" not in told
    return told


def with_word(role: str, word: str, value: Any) -> dict[str, Any]:
    """Spread with something in a place of one of its names."""
    said = {"start": "False", "becomes": "reached"} if role in ("state", "output") else {}
    first = {"sees": ("reached",), "concept": ("reached",), "sums": ("number + 1",)}
    of = first.get(role, (mask,))
    return {"other": getattr(Node, role)(*of, **{**said, word: value})}


PLACES = [(role, word) for word, (roles, _, _) in SAID.items() for role in roles]
ROLES = sorted({role for role, _ in PLACES})


@pytest.mark.parametrize(("role", "word"), PLACES)
def test_whatever_stands_in_a_place_is_taken_or_refused_in_one_line(role, word):
    """A mistake in a declaration is never an error of ours."""
    told = [taken(lambda value=value: with_word(role, word, value)) for value in ANYTHING]
    assert sum(map(bool, told)) > len(ANYTHING) / 2


@pytest.mark.parametrize("word", FORM)
def test_whatever_a_word_of_the_class_is_is_taken_or_refused_in_one_line(word):
    told = [taken(lambda value=value: {word: value}) for value in ANYTHING]
    assert sum(map(bool, told)) > len(ANYTHING) / 2


@pytest.mark.parametrize("kind", [mask, number, pointer, category, *ROLES])
def test_whatever_a_kind_is_made_of_is_taken_or_refused_in_one_line(kind):
    def declared(value: Any) -> dict[str, Any]:
        if isinstance(kind, str):
            return {"other": getattr(Node, kind)(value)}
        return {"other": Node.input(kind(value) if callable(kind) else value)}

    told = [taken(lambda value=value: declared(value)) for value in ANYTHING]
    assert sum(map(bool, told)) > len(ANYTHING) / 2


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("graphs", "both"), ("graphs", 3), ("recipe", "grid"), ("recipe", None)],
)
def test_an_attribute_of_another_type_is_refused(attribute, value):
    with pytest.raises(
        DefinitionError, match=f"algorithm 'wrong': {attribute} is {value!r}: write "
    ):
        wrong(Bfs, **{attribute: value})


def test_a_missing_function_is_named():
    with pytest.raises(
        DefinitionError, match=r"no statements, and there is no start\(\) in Python"
    ):

        class Half(Algorithm):
            visited = Node.output(mask, becomes="is_near")
            is_near = Node.concept()


def test_what_is_seen_is_declared_or_seen_in_python_and_never_both():
    """A proof is about statements: what is seen otherwise beside them would be called proven, and
    be wrong.
    """
    with pytest.raises(
        DefinitionError,
        match=r"algorithm 'blind': features have statements, and there is a perceive\(\) in Python",
    ):

        class Blind(Bfs):
            def perceive(
                self, graph: GraphBatch, inputs: Values, state: Values
            ) -> dict[str, Tensor]:
                seen = super().perceive(graph, inputs, state)
                return {**seen, "has_visited_neighbours": state["visited"]}


@examples(50)
@given(st.lists(formulas(("is_near", "is_far")), min_size=1, max_size=4))
def test_of_classes_the_first_whose_statement_holds_is_taken(rules):
    """So on every pattern of concepts exactly one rule holds."""

    class Classed(Algorithm):
        kind = Node.output(
            category(len(rules) + 1),
            start="0",
            becomes={
                **{str(k): str(rule) for k, rule in enumerate(rules)},
                str(len(rules)): "True",
            },
        )
        is_near = Node.concept("some neighbour (kind is 0)")
        is_far = Node.concept("no neighbour (kind is 0)")

    declared = Classed().declaration
    concepts = declared.concepts
    tables = [rule.table(concepts) for rule in declared.rule_set.rules["kind"].values()]
    left = ~(tables[0] & False)
    for rule, found in zip(rules, tables, strict=False):
        assert (found == (rule.table(concepts) & left)).all()
        left = left & ~found
    assert (tables[-1] == left).all()


def test_many_classes_are_declared_in_no_time():
    began = time.perf_counter()
    assert len(algorithm("coloring", colors=40).declaration.concepts) == 42
    assert time.perf_counter() - began < 2


class Forgetful(Seen):
    """Declares right, but does not give what it declares."""

    forgets = Option(0)  # 0: the state, 1: a concept

    def start(self, graph: GraphBatch, inputs: Values) -> dict[str, Tensor]:
        return {"visited": torch.zeros(graph.num_nodes, dtype=torch.bool)} if self.forgets else {}

    def perceive(self, graph: GraphBatch, inputs: Values, state: Values) -> dict[str, Tensor]:
        return {"has_been_visited": state["visited"]}


def test_functions_that_give_less_than_declared_are_named():
    graph = GraphBatch.pack([2], [(0, 1)])
    with pytest.raises(
        DefinitionError, match=r"start\(\) gave nothing; the declared state is visited"
    ):
        run_algorithm(Forgetful(), graph, {"source": torch.tensor([0])})
    with pytest.raises(DefinitionError, match=r"perceive\(\) gave no 'has_visited_neighbours'"):
        run_algorithm(Forgetful(forgets=1), graph, {"source": torch.tensor([0])})


class Careless(Seen):
    """Declares right, but gives something else under the name of a field."""

    begun: ClassVar[Any] = None
    heard: ClassVar[Any] = None

    def start(self, graph: GraphBatch, inputs: Values) -> dict[str, Tensor]:
        return {"visited": self.begun}

    def perceive(self, graph: GraphBatch, inputs: Values, state: Values) -> dict[str, Tensor]:
        return {"has_been_visited": state["visited"], "has_visited_neighbours": self.heard}


def test_values_that_are_not_as_declared_are_named(monkeypatch):
    graph, right = GraphBatch.pack([2], [(0, 1)]), torch.zeros(2, dtype=torch.bool)
    for value, came in (
        (torch.zeros(3, dtype=torch.bool), r"an array \[3\] of bool"),
        (torch.zeros(2), r"an array \[2\] of float32"),
        ([True, False], "a list"),
    ):
        asked = (
            rf"as {came}; on these graphs it is an array \[2\] of bool, a value for every "
            r"node"
        )
        monkeypatch.setattr(Careless, "begun", value)
        with pytest.raises(DefinitionError, match=rf"start\(\) gave 'visited' {asked}"):
            run_algorithm(Careless(), graph, {"source": torch.tensor([0])})
        monkeypatch.setattr(Careless, "begun", right)
        monkeypatch.setattr(Careless, "heard", value)
        with pytest.raises(
            DefinitionError, match=rf"perceive\(\) gave 'has_visited_neighbours' {asked}"
        ):
            run_algorithm(Careless(), graph, {"source": torch.tensor([0])})


def test_algorithms_are_found_in_their_folder():
    assert {"bfs", "coloring", "kruskal"} <= set(algorithms())
    assert algorithm("coloring", colors=3).declaration.outputs["color"].labels == (
        "0",
        "1",
        "2",
        "3",
    )
    with pytest.raises(UnknownNameError, match="Did you mean 'coloring'"):
        algorithm("colouring")
    with pytest.raises(UnknownNameError, match="no option of bfs is called 'colors'"):
        algorithm("bfs", colors=3)


class _Entry:
    name, value = "other", "package:Other"

    def __init__(self, loaded: object) -> None:
        self.loaded = loaded

    def load(self) -> object:
        return self.loaded


def test_another_package_can_add_its_own(monkeypatch):
    def offering(thing: object) -> dict[str, type[Algorithm]]:
        monkeypatch.setattr(
            "algolens.algorithms._discovery.entry_points", lambda **_: [_Entry(thing)]
        )
        algorithms.cache_clear()
        return algorithms()

    class Clash(Forgetful):
        name = "bfs"

    try:
        assert offering(Forgetful)["forgetful"] is Forgetful
        for thing, complaint in [(3, "is no Algorithm"), (Clash, "'bfs' is there already")]:
            assert offering(thing)["bfs"] is Bfs
            (problem,) = broken_algorithms()
            assert complaint in problem
    finally:
        algorithms.cache_clear()


def test_a_file_of_the_users_is_an_algorithm_like_any_other(monkeypatch, tmp_path):
    def naming(*files: Path) -> dict[str, type[Algorithm]]:
        monkeypatch.setenv("ALGOLENS_ALGORITHMS", os.pathsep.join(map(str, files)))
        algorithms.cache_clear()
        return algorithms()

    def written(text: str, end: str = "py") -> Path:
        path = tmp_path / f"file{len(text)}.{end}"
        path.write_text(text)
        return path

    head = "from algolens.algorithms import Algorithm\n"
    try:
        example = Path(__file__).parents[2] / "examples" / "game_of_life.py"
        assert naming(example)["game_of_life"]().declaration.concepts[0] == "is_crowded"
        assert "bfs" in naming(example)
        for file, complaint in [
            (written("a,b", "csv"), "is no Python file"),
            (written(head), "defines no Algorithm"),
            (
                written("import nothing_like_this"),
                "cannot be imported .ModuleNotFoundError: No module named 'nothing_like",
            ),
            (written("x = ("), "cannot be imported .SyntaxError"),
            (written("raise SystemExit(3)"), "cannot be imported .SystemExit: 3"),
            (
                written(head + "class Mine(Algorithm):\n    name = 'bfs'\n"),
                r"file\d+.py: .*carries something",
            ),
        ]:
            known = naming(file, example)
            assert {"bfs", "game_of_life"} <= set(known), file
            (problem,) = broken_algorithms()
            assert re.search(complaint, problem), problem
            assert "\n" not in problem
            with pytest.raises(UnknownNameError, match=re.escape(f"Not read: {problem}")):
                algorithm("mine")
    finally:
        algorithms.cache_clear()


def test_options_are_a_frozen_record():
    one, same = algorithm("coloring", bits=9), algorithm("coloring", bits=9)
    assert one == same
    assert hash(one) == hash(same)
    with pytest.raises(AttributeError):
        one.bits = 3


@pytest.mark.parametrize("name", [*algorithms(), *variants()])
def test_what_ships_is_as_its_class_is_when_it_is_somebodys_own(name):
    algorithm(name)._check_signatures()
