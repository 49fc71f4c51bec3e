"""Two programs side by side."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch
from msgspec.structs import replace

import algolens as al
from algolens.algorithms import (
    Algorithm,
    Graph,
    Node,
    Option,
    algorithm,
    category,
    mask,
    number,
    per,
)
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.graphs import Graph as Given
from algolens.language.ir import TRUE, Const, Field
from algolens.language.parse import Parser, parse
from algolens.language.words import named_fields
from algolens.logic import GoOn
from algolens.logic.rule_set import RuleSet
from algolens.proofs.equality.comparing import compare_programs

BFS, COLORING, SORT = (
    Program.of(algorithm(name)) for name in ("bfs", "coloring", "topological_sort")
)


def saying(program: Program, **statements: str) -> Program:
    declared = program.program
    fields = named_fields(declared)
    tables = {let.name: let.at for let in declared.lets}
    return program.with_statements(
        {
            name: parse(Parser.statement, text, tables[name], fields)
            for name, text in statements.items()
        }
    )


def declaring(program: Program, **parts: Any) -> Program:
    return replace(program, program=replace(program.program, **parts))


def test_programs_that_say_the_same_in_other_words_are_proven_equal():
    again = saying(BFS, has_visited_neighbours="~(~visited & every predecessor (~visited))")
    assert again != BFS
    assert compare_programs(BFS, again).proven
    again = saying(
        COLORING,
        has_priority="color is 0 & every neighbour (color is not 0 | its priority <= my priority)",
    )
    assert compare_programs(COLORING, again).proven
    # nodes of one graph have different numbers
    assert compare_programs(
        SORT, saying(SORT, is_next="is_ready & no other node (is_ready & its number <= my number)")
    ).proven


def test_programs_that_differ_are_told_apart_by_the_smallest_graph():
    other = saying(BFS, has_visited_neighbours="visited | some predecessor")
    found = compare_programs(BFS, other)
    assert found.graph is not None
    assert found.graph.nodes == 3  # of two nodes, one is the source
    graph = Given.pack([found.graph.nodes], found.graph.edges)
    source = {"source": torch.tensor([int(found.graph.values["source"][0])])}
    ours, theirs = (
        run_algorithm(each.algorithm, graph, source)["visited"] for each in (BFS, other)
    )
    assert not ours.equals(theirs)
    assert "by the first" in str(found)


def test_other_rules_differ_too():
    rules = RuleSet.parse(
        BFS.rules.concepts,
        {"visited": {"true": "has_been_visited", "false": "~has_been_visited"}},
        "False",
    )
    found = compare_programs(BFS, BFS.with_rules(rules))
    assert found.differ
    assert found.to_json()["equal"] is False


def test_what_no_small_graph_shows_is_neither_equal_nor_different():
    far = declaring(BFS, times=2)  # it never takes so many
    found = compare_programs(BFS, far)
    assert not found.proven
    assert not found.differ
    assert found.to_json()["equal"] is None
    assert "not proven" in str(found)


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (replace(BFS, graphs="undirected"), "are for other graphs"),
        (replace(BFS, loops_matter=True), "do not both refuse self-loops"),
        (declaring(BFS, times=2), "may take other numbers of steps"),
        (declaring(BFS, per="edge"), None),  # on a path it takes more
    ],
)
def test_programs_that_differ_in_what_they_take_or_in_their_limit_are_not_proven_equal(other, told):
    assert BFS.graphs == "any"
    assert other != BFS
    for found in (compare_programs(BFS, other), compare_programs(other, BFS)):
        assert not found.proven
        assert found.differ == (told is None)
        assert told is None or f"they {told}" in str(found)


def test_programs_that_show_other_things_are_not_proven_equal():
    dijkstra, cyclic = (
        Program.of(algorithm(name)) for name in ("dijkstra", "dfs_topological_sort")
    )
    assert dijkstra.program.only_where
    shown = compare_programs(dijkstra, declaring(dijkstra, only_where={}))
    assert shown.differ
    assert "distance of node 0 is not shown by the first, shown by the second" in str(shown)
    assert cyclic.program.outcomes
    assert "tell other outcomes" in str(compare_programs(cyclic, declaring(cyclic, outcomes=())))


class Chosen(Algorithm):
    """A category whose start goes by two statements, which may both hold."""

    a = Node.input(mask)
    b = Node.input(mask)
    side = Node.output(
        category("left", "right"),
        start={"left": "a", "right": "b"},
        becomes={"right": "is_right", "left": "True"},
    )
    is_right = Node.concept("side is right")

    most_steps = per(Graph)


class Turned(Chosen):
    """The same, the other statement first."""

    side = Chosen.side.but(start={"right": "b", "left": "a"})


def test_the_order_of_the_classes_of_a_start_counts():
    """The first that holds is taken: where both do, the programs differ."""
    one, other = Program.of(Chosen()), replace(Program.of(Turned()))
    assert one != other
    assert one.program.start != other.program.start
    found = compare_programs(one, other)
    assert found.graph is not None
    values = found.graph.values
    (place,) = [
        place for place in range(found.graph.nodes) if values["a"][place] and values["b"][place]
    ][:1]
    graph = Given.pack([found.graph.nodes], found.graph.edges)
    inputs = {name: torch.tensor(values[name]) for name in ("a", "b")}
    sides = [
        run_algorithm(each.algorithm, graph, inputs)["side"][0][place] for each in (one, other)
    ]
    assert sides == [0, 1]


def test_a_file_whose_keys_were_sorted_says_the_same():
    """An object of JSON has no order, so no order that counts may stand in one."""
    for program in (Program.of(Turned()), COLORING, SORT):
        again = Program.from_json(json.loads(json.dumps(program.to_json(), sort_keys=True)))
        assert compare_programs(program, again).proven


# a distance has 62 bits whatever a weight has
@pytest.mark.parametrize("name", ["kruskal", "coloring", "dijkstra"])
def test_other_bits_are_told_and_given_to_both(name):
    few, many = (Program.of(algorithm(name, bits=bits)) for bits in (9, 20))
    for found in (compare_programs(few, many), compare_programs(many, few)):
        assert found.proven
        assert found.bits == "with 20 bits in place of 9"
        assert str(found).startswith("Compared with 20 bits in place of 9. They are equal")
    assert compare_programs(few, few).bits is None


class Clock(Algorithm):
    """Counts the steps since a node is on."""

    bits = Option(2, 1, 62)

    a = Node.input(mask)
    on = Node.output(mask, start="a", becomes="is_on | beside")
    d = Node.output(number(bits), start=0, becomes="later where on")

    later = Node.derived("d + 1")
    is_on = Node.concept("on")
    beside = Node.concept("some neighbour (on)")

    goes_on = "some node (beside & ~is_on)"


def test_other_bits_of_what_is_no_input_are_not_proven_equal():
    """One refuses a run that the other takes."""
    few, many = Clock(bits=2), Clock(bits=6)
    graph = Given.pack([8], [(i, i + 1) for i in range(7)])
    inputs = {"a": torch.arange(8) == 0}
    assert run_algorithm(many, graph, inputs).final("d")[0] == 7
    with pytest.raises(AlgoLensError, match="2 bits hold 0 to 3"):
        run_algorithm(few, graph, inputs)
    found = compare_programs(Program.of(few), Program.of(many))
    assert not found.proven
    assert found.to_json()["equal"] is None
    assert found.within_bits
    assert "equal where neither refuses a run because a number leaves its bits" in str(found)
    assert "'d' has 2 bits in the first, 6 in the second" in str(found)
    assert not compare_programs(
        *(Program.of(algorithm("widest_path", bits=bits)) for bits in (9, 20))
    ).proven
    same = compare_programs(Program.of(few), Program.of(few))
    assert same.proven
    assert not same.within_bits


def test_a_run_that_one_refuses_is_a_difference():
    clock = Program.of(Clock(bits=1))
    # it goes on until a number has no room
    rules = RuleSet(clock.rules.concepts, clock.rules.rules, GoOn.parse("beside"))
    found = compare_programs(clock, clock.with_rules(rules))
    assert found.graph is not None
    assert "one refuses the run ('d' of node" in str(found)
    graph = Given.pack([found.graph.nodes], found.graph.edges, directed=found.graph.directed)
    inputs = {"a": torch.tensor(found.graph.values["a"])}
    assert run_algorithm(clock.algorithm, graph, inputs).num_steps
    with pytest.raises(AlgoLensError, match="1 bits hold 0 to 1"):
        run_algorithm(clock.with_rules(rules).algorithm, graph, inputs)


@pytest.mark.parametrize(
    ("order", "turned"),
    [("<", ">"), ("<=", ">="), ("=", "="), ("!=", "!="), (">", "<"), (">=", "<=")],
)
def test_comparisons_that_are_turned_round_are_proven_equal(order, turned):
    clock = Program.of(Clock())
    one, other, opposite = (
        saying(clock, beside=f"some neighbour (on & {text}) | {text}")
        for text in (f"my d {order} my later", f"my later {turned} my d", f"my later {order} my d")
    )
    assert one != other
    assert compare_programs(one, other).proven
    assert compare_programs(one, opposite).proven == (order == turned)


def test_what_could_not_be_shown_is_not_called_false():
    undirected = replace(BFS, graphs="undirected")  # where neighbours are the predecessors
    found = compare_programs(
        undirected, saying(undirected, has_visited_neighbours="visited | some neighbour (visited)")
    )
    assert not found.differ
    assert "'has_visited_neighbours' could not be shown to be the same in every case" in str(found)


def test_programs_that_give_the_same_and_see_otherwise_do_not_differ():
    """The rules do not go by what is seen otherwise, so that no output shows it."""
    rules = RuleSet.parse(
        BFS.rules.concepts,
        {"visited": {"true": "has_visited_neighbours", "false": "~has_visited_neighbours"}},
        "False",
    )
    one = BFS.with_rules(rules)
    other = saying(one, has_been_visited="~visited")
    found = compare_programs(one, other)
    assert not found.differ
    assert "'has_been_visited' could not be shown to be the same" in str(found)
    assert al.compare(one, other).proven


def test_a_graph_that_takes_no_step_shows_how_programs_start():
    still = declaring(BFS, per="edge")
    other = declaring(still, start=(replace(still.program.start[0], value=TRUE),))
    found = compare_programs(still, other)
    assert found.graph is not None
    assert found.graph.edges == ()
    assert "in the end visited of node" in str(found)


def test_with_other_bits_programs_that_differ_still_do():
    few, many = (Program.of(algorithm("coloring", bits=bits)) for bits in (9, 20))
    found = compare_programs(
        few,
        saying(
            many,
            has_priority=(
                "color is 0 & every neighbour (color is not 0 | its priority > my priority)"
            ),
        ),
    )
    assert found.differ
    assert "20 bits in place of 9" in str(found)


def test_a_field_that_is_of_another_kind_is_named_in_one_line():
    few = Program.of(algorithm("dijkstra"))
    inputs = {**few.program.inputs, "weight": Field("edge", "number", bits=10, low=2)}
    with pytest.raises(
        AlgoLensError, match=r"the input 'weight' of .* is not the same \(a number at the edge"
    ) as problem:
        compare_programs(few, declaring(few, inputs=inputs))
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize("warned", [0, 1])
def test_a_warning_is_not_dropped(warned):
    doubtful = replace(
        BFS,
        remarks=(
            "All is well.",
            "WARNING: 'x' compares numbers which the network does not tell apart.",
        ),
    )
    found = compare_programs(*((doubtful, BFS) if warned == 0 else (BFS, doubtful)))
    assert not found.proven
    assert not found.differ
    assert "but with a warning: 'x' compares numbers which the network does not tell apart" in str(
        found
    )
    assert compare_programs(BFS, replace(BFS, remarks=("All is well.",))).proven


def test_programs_for_other_tasks_cannot_be_compared():
    with pytest.raises(AlgoLensError, match="only programs for one task"):
        compare_programs(BFS, COLORING)


def test_a_search_that_is_cut_short_says_so():
    other = declaring(BFS, times=2)
    assert "found on all undirected graphs" in str(compare_programs(BFS, other))
    assert "on a part of all" in str(compare_programs(BFS, other, seconds=1e-9))
    smaller = declaring(BFS, start=(replace(BFS.program.start[0], value=Const(False)),))
    assert compare_programs(BFS, smaller, seconds=1e-9).differ  # on graphs of one node
