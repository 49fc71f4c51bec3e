"""An algorithm that contradicts itself is refused when it is defined."""

from __future__ import annotations

import os
import re
import time
from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens.algorithms import (
    Algorithm,
    Declaration,
    Values,
    algorithm,
    algorithms,
    broken_algorithms,
)
from algolens.algorithms.bfs import Bfs
from algolens.errors import DefinitionError, UnknownNameError
from algolens.execution import run_algorithm
from algolens.fields import Category, Location, Mask, Number, Pointer, at_graph, at_node
from algolens.graphs import Graph
from tests.effort import examples
from tests.strategies import formulas

GOOD: dict[str, Any] = {
    "location": Location.NODE,
    "inputs": {"source": at_graph(Pointer(Location.NODE), start_only=True)},
    "state": ("visited",),
    "concepts": ("has_been_visited", "has_visited_neighbours"),
    "outputs": {"visited": Mask()},
    "rules": {"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}},
    "continues": "~has_been_visited & has_visited_neighbours",
}
MASK_RULES = GOOD["rules"]["visited"]
SEEN: dict[str, Any] = {
    "start": {"visited": "me = graph's source"},
    "look": {
        "has_been_visited": at_node("visited"),
        "has_visited_neighbours": at_node("visited | some neighbour (visited)"),
    },
}


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"state": ("visited", "parent")},
            "state 'parent' is predicted by nothing: declare an output, a concept or a hint",
        ),
        ({"state": ()}, "nothing is carried"),
        (
            {"rules": {"visited": {"true": "seen", "false": "~seen"}}},
            "names 'seen', which is no concept",
        ),
        ({"rules": {"visited": {"true": "has_been_visited"}}}, "do not cover class 'false'"),
        ({"rules": {}}, "output 'visited' has no rules"),
        (
            {"rules": {"visited": MASK_RULES, "other": MASK_RULES}},
            "rules for 'other', which is no output",
        ),
        ({"rules": {"visited": MASK_RULES | {"maybe": "True"}}}, "class 'maybe', which it has not"),
        ({"continues": "~done"}, "going on names 'done'"),
        ({"outputs": {"visited": Category(3)}}, "do not cover class '0'"),
        ({"outputs": {"visited": Number(3)}}, "rules need classes"),
        ({"concepts": ()}, "at least one concept"),
        (
            {"concepts": ("visited", "has_visited_neighbours")},
            "'visited' is declared as a concept and as an output",
        ),
        ({"concepts": ("has been",)}, "'has been' cannot name a concept"),
        ({"location": Location.GRAPH}, "at nodes or at edges"),
        (
            {
                "rules": {
                    "visited": {
                        "true": "has_visited_neighbours",
                        "false": "~has_visited_neighbours & has_been_visited",
                    }
                }
            },
            "for false is not the opposite of that for true: on the pattern "
            "'~has_visited_neighbours & ~has_been_visited' neither rule holds. Write for false: "
            "~has_visited_neighbours.",
        ),
        (
            {
                "rules": {
                    "visited": {
                        "true": "has_been_visited",
                        "false": "~has_been_visited | has_visited_neighbours",
                    }
                }
            },
            "on the pattern 'has_been_visited & has_visited_neighbours' both rules hold",
        ),
        (
            {"concepts": ("ﬁ", "has_visited_neighbours")},
            "'ﬁ' cannot name a concept: .* read it as 'fi'",
        ),
        (
            {"hints": {"age": at_node(Number(4, distinct="graph"))}},
            "'age' is predicted, and distinct='graph' is checked of inputs alone: leave it out",
        ),
        (
            {"inputs": {"and": at_graph(Pointer(Location.NODE))}},
            "'and' cannot name an input: it is a word of formulas",
        ),
    ],
)
def test_contradictions_are_refused_at_definition(change, complaint):
    with pytest.raises(DefinitionError, match=complaint) as caught:

        class Wrong(Algorithm):
            name = "wrong"

            def declare(self) -> Declaration:
                return Declaration(**(GOOD | change))

            def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
                return {}

            def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
                return {}

    assert "algorithm 'wrong'" in str(caught.value)


AT: Any = at_node  # which takes what it should not
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
]
WITHIN: list[Any] = [None, Mask, Mask(), AT(Mask()), AT(Mask), AT(3), AT("x"), {}, [3]]
ANYTHING += [{"visited": each} for each in WITHIN]
ANYTHING += [Mask(), Mask, Location.NODE, lambda: None]


@pytest.mark.parametrize("part", [each.name for each in fields(Declaration)])
@pytest.mark.parametrize("looks", [False, True], ids=["in Python", "as a look"])
def test_whatever_stands_in_a_place_is_taken_or_refused_in_one_line(part, looks):
    """A mistake in a declaration is never an error of ours; one of type names the part."""
    good = {**GOOD, **SEEN} if looks else GOOD
    refused = []
    for value in ANYTHING:
        try:
            Declaration(**{**good, part: value})
        except DefinitionError as problem:
            refused.append(str(problem))
    assert len(refused) > len(ANYTHING) / 2
    assert not any("\n" in each for each in refused)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (
            {"look": {"knows": "visited"}},
            r"look\['knows'\] is 'visited': write a statement and where .* at_node\(",
        ),
        ({"look": ["knows"]}, r"look is \['knows'\]: write a dictionary"),
        (
            {"rules": {"visited": "knows"}},
            r"rules\['visited'\] is 'knows': write a rule for each class",
        ),
        ({"state": "visited"}, r"state is 'visited': write a tuple of names, as in \('visited',\)"),
        # in which order, a set does not say
        ({"concepts": {"knows"}}, "concepts is {'knows'}: write a tuple"),
        (
            {"outputs": {"visited": Mask}},
            r"outputs\['visited'\] is <class .*: write a kind, as in Mask\(\)",
        ),
        (
            {"inputs": {"source": Pointer(Location.NODE)}},
            r"inputs\['source'\] is Pointer\(.*: write a field",
        ),
        ({"hints": {"root": Mask()}}, r"hints\['root'\] is Mask\(\): write a field, as in at_node"),
        ({"location": "node"}, "location is 'node': write Location.NODE"),
        ({"continues": True}, "continues is True: write a rule"),
        ({"moves": {"visited": 3}}, r"moves\['visited'\] is 3: write a move"),
        ({"only_where": {"visited": 3}}, r"only_where\['visited'\] is 3: write the name"),
    ],
)
def test_a_part_of_another_type_is_named_with_what_to_write(change, complaint):
    with pytest.raises(DefinitionError, match=f"algorithm 'wrong': {complaint}"):

        class Wrong(Algorithm):
            name = "wrong"

            def declare(self) -> Declaration:
                return Declaration(**{**GOOD, **change})


@pytest.mark.parametrize("given", [None, GOOD, Declaration])
def test_declare_gives_a_declaration(given):
    with pytest.raises(
        DefinitionError,
        match=r"algorithm 'wrong': declare\(\) gives a .*: let it return a Declaration",
    ):

        class Wrong(Algorithm):
            name = "wrong"

            def declare(self) -> Declaration:
                return given


@pytest.mark.parametrize(
    ("attribute", "value"),
    [("graphs", "both"), ("graphs", 3), ("recipe", "grid"), ("recipe", None)],
)
def test_an_attribute_of_another_type_is_refused(attribute, value):
    with pytest.raises(
        DefinitionError, match=f"algorithm 'wrong': {attribute} is {value!r}: write "
    ):
        type("Wrong", (Bfs,), {"name": "wrong", attribute: value})


def test_a_missing_function_is_named():
    with pytest.raises(DefinitionError, match=r"no look, and no start\(\) in Python"):

        class Half(Algorithm):
            name = "half"

            def declare(self) -> Declaration:
                return Declaration(**GOOD)


def test_what_is_seen_is_declared_or_seen_in_python_and_never_both():
    """A proof is about the look: what is seen otherwise beside it would be called proven, and be
    wrong.
    """
    with pytest.raises(
        DefinitionError,
        match=r"algorithm 'blind': there is a look, and a perceive\(\) in Python beside it",
    ):

        class Blind(Bfs):
            name = "blind"

            def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
                seen = super().perceive(graph, inputs, state)
                return {**seen, "has_visited_neighbours": state["visited"]}


def test_a_rule_that_cannot_be_read_is_named():
    with pytest.raises(ValueError, match="ends where"):
        Declaration(**(GOOD | {"continues": "has_been_visited &"}))


def test_rules_of_classes_stand_in_their_order():
    rules = {"visited": {"1": "has_been_visited", "0": "~has_been_visited"}}
    with pytest.raises(DefinitionError, match="another order"):
        Declaration(**(GOOD | {"outputs": {"visited": Category(2)}, "rules": rules}))


def of_classes(*rules: str) -> Declaration:
    """Declares a category with these rules."""
    classes = {str(i): rule for i, rule in enumerate(rules)}
    return Declaration(
        **(GOOD | {"outputs": {"visited": Category(len(rules))}, "rules": {"visited": classes}})
    )


def test_exactly_one_class_is_taken_on_every_pattern():
    a, b = GOOD["concepts"]
    assert of_classes(f"{a} & {b}", f"{a} & ~{b}", f"~{a}").outputs
    with pytest.raises(
        DefinitionError, match=f"no rule of output 'visited' holds on the pattern '{a} & ~{b}'"
    ):
        of_classes(f"{a} & {b}", f"~{a}")
    with pytest.raises(
        DefinitionError, match=f"the classes '0' and '2' both hold on the pattern '{a} & ~{b}'"
    ):
        of_classes(f"{a}", f"~{a} & {b}", f"~{b}")
    with pytest.raises(DefinitionError, match="both hold on the pattern 'True'"):
        of_classes("True", "True")


@examples(50)
@given(st.lists(formulas(GOOD["concepts"]), min_size=2, max_size=4))
def test_whatever_rules_are_declared_are_a_partition(rules):
    holding = sum(rule.table(GOOD["concepts"]).astype(int) for rule in rules)
    try:
        of_classes(*map(str, rules))
    except DefinitionError:
        assert (holding != 1).any()
    else:
        assert (holding == 1).all()


def test_many_classes_are_declared_in_no_time():
    began = time.perf_counter()
    assert len(algorithm("coloring", colors=40).declaration.concepts) == 42
    assert time.perf_counter() - began < 2


class Forgetful(Algorithm):
    """Declares right, but does not give what it declares."""

    name = "forgetful"
    forgets: int = 0  # 0: the state, 1: a concept

    def declare(self) -> Declaration:
        return Declaration(**GOOD)

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"visited": torch.zeros(graph.num_nodes, dtype=torch.bool)} if self.forgets else {}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        return {"has_been_visited": state["visited"]}


def test_functions_that_give_less_than_declared_are_named():
    graph = Graph.pack([2], [(0, 1)])
    with pytest.raises(
        DefinitionError, match=r"start\(\) gave nothing; the declared state is visited"
    ):
        run_algorithm(Forgetful(), graph, {"source": torch.tensor([0])})
    with pytest.raises(DefinitionError, match=r"perceive\(\) gave no 'has_visited_neighbours'"):
        run_algorithm(Forgetful(forgets=1), graph, {"source": torch.tensor([0])})


class Careless(Algorithm):
    """Declares right, but gives something else under the name of a field."""

    name = "careless"

    visited: ClassVar[Any] = None
    heard: ClassVar[Any] = None

    def declare(self) -> Declaration:
        return Declaration(**GOOD)

    def start(self, graph: Graph, inputs: Values) -> dict[str, Tensor]:
        return {"visited": self.visited}

    def perceive(self, graph: Graph, inputs: Values, state: Values) -> dict[str, Tensor]:
        return {"has_been_visited": state["visited"], "has_visited_neighbours": self.heard}


def test_values_that_are_not_as_declared_are_named(monkeypatch):
    graph, right = Graph.pack([2], [(0, 1)]), torch.zeros(2, dtype=torch.bool)
    for value, came in (
        (torch.zeros(3, dtype=torch.bool), r"a tensor \[3\] of torch.bool"),
        (torch.zeros(2), r"a tensor \[2\] of torch.float32"),
        ([True, False], "a list"),
    ):
        asked = (
            rf"as {came}; on these graphs it is a tensor \[2\] of torch.bool, a value for every "
            r"node"
        )
        monkeypatch.setattr(Careless, "visited", value)
        with pytest.raises(DefinitionError, match=rf"start\(\) gave 'visited' {asked}"):
            run_algorithm(Careless(), graph, {"source": torch.tensor([0])})
        monkeypatch.setattr(Careless, "visited", right)
        monkeypatch.setattr(Careless, "heard", value)
        with pytest.raises(
            DefinitionError, match=rf"perceive\(\) gave 'has_visited_neighbours' {asked}"
        ):
            run_algorithm(Careless(), graph, {"source": torch.tensor([0])})


def test_algorithms_are_found_in_their_folder():
    assert {"bfs", "coloring", "kruskal"} <= set(algorithms())
    assert algorithm("coloring", colors=3).declaration.outputs == {"color": Category(4)}
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
        assert naming(example)["game_of_life"]().declaration.concepts[0] == "is_alive"
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
            (written(head + "class Mine(Algorithm):\n    name = 'bfs'\n"), r"file\d+.py: .*Mine"),
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
        one.bits = 3  # type: ignore[attr-defined]
