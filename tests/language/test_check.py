"""Programs that contradict themselves are refused in one line, by name."""

from __future__ import annotations

from typing import Any, cast

import pytest

from algolens.algorithms import Algorithm, Declaration, algorithm, algorithms
from algolens.errors import DefinitionError, UnknownNameError
from algolens.language.check import check, in_order
from algolens.language.declare import (
    Each,
    Edge,
    Graph,
    Link,
    Node,
    Option,
    category,
    mask,
    number,
    per,
    pointer,
)


class Spread(Algorithm):
    """A node that has a reached neighbour is reached."""

    first = Node.input(mask)
    weight = Edge.input(number(8))
    height = Node.input(number(8))
    source = Graph.input(pointer(Node))
    reached = Node.output(mask, start="first", becomes="reached | is_near")
    boss = Node.state(pointer(Node), start="me", becomes="the neighbour (reached) where ~reached")
    color = Node.state(category("red", "green"), start="red", becomes={"green": "is_near"})
    days = Node.state(number(4), start=0, becomes="days + 1 where reached")
    is_near = Node.derived("some neighbour (reached)", yes="{neighbours (reached)} reached it")
    goes_on = "some node (is_near & ~reached)"


def spoilt(**changed: Any) -> Declaration:
    return cast("Algorithm", type("Spoilt", (Spread,), changed)()).declaration


def test_shipped_programs_are_right_in_any_order() -> None:
    for name in algorithms():
        program = algorithm(name).declaration.program
        check(program)
        assert {*in_order(reversed(program.lets))} == {*program.lets}
    assert Spread().declaration.program.lets


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"is_near": Node.derived("some uncle (reached)")}, "no relation is called so"),
        ({"is_near": Node.derived("some neighbour (rached)")}, "Did you mean 'reached'"),
        (
            {"is_near": Node.derived("height")},
            "'is_near' is a number, where something true or false",
        ),
        ({"is_near": Node.derived("color")}, "write color is red"),
        ({"is_near": Node.derived("me")}, "is a node, where something true or false stands"),
        ({"is_near": Node.derived("boss < me")}, "two pointers are compared by = or !="),
        ({"is_near": Node.derived("boss = height")}, "a number is compared with a number"),
        ({"is_near": Node.derived("boss = graph")}, "to one table"),
        ({"is_near": Node.derived("reached = first")}, "a number is compared with a number"),
        ({"is_near": Node.derived("reached + 1 > 2")}, "no number to reckon with"),
        (
            {
                "is_near": Node.derived(
                    "some neighbour ((its height, my height) < (my days, my days))"
                )
            },
            "each side speaks of one",
        ),
        (
            {"is_near": Node.derived("some neighbour (its height + my height > 3)")},
            "each side speaks of one element",
        ),
        (
            {"is_near": Node.derived("some neighbour (reached) & some other node (reached)")},
            "one feature looks at one relation",
        ),
        ({"is_near": Node.derived("~is_near")}, "is_near names is_near, so none of them"),
        (
            {"is_near": Node.derived("is_far"), "is_far": Node.derived("~is_near")},
            "so none of them can be computed first",
        ),
        ({"is_near": Link.derived("sender's reached")}, "sits at the link"),
        ({"days": Node.state(number(4), start=99, becomes="days")}, "which has no room"),
        ({"days": Node.state(number(4), start="0", becomes="days")}, "write 0, without quotes"),
        ({"days": Node.state(number(4), start=0, becomes="17")}, "which has no room"),
        ({"days": Node.state(number(63), start=0, becomes="days")}, "has 1 to 62 bits"),
        ({"days": Node.state(number(4), start=0, becomes="me")}, "different kinds"),
        ({"boss": Node.state(pointer(Node), start="height", becomes="me")}, "a value of its kind"),
        (
            {"color": Node.state(category("red", "green"), start="blue", becomes={"red": "first"})},
            "blue",
        ),
        (
            {"color": Node.state(category("red", "green"), start="red", becomes="first")},
            "has classes",
        ),
        (
            {"reached": Node.output(mask, start="some neighbour", becomes="first")},
            "looks at others",
        ),
        (
            {"reached": Node.output(mask, start="first", becomes="some neighbour (first)")},
            "declare this as a feature",
        ),
        ({"reached": Node.output(mask, start="is_near", becomes="first")}, "or not yet"),
        ({"reached": Node.output(mask, start="you", becomes="first")}, "a node has no you"),
        ({"id": Node.input(mask)}, "'id' cannot name a field: every element has an id"),
        ({"node": Node.input(mask)}, "files of graphs call so what every node has"),
        ({"some": Node.input(mask)}, "is a word of the language"),
        ({"sender": Node.input(mask)}, "is a word of the language"),
        ({"goes_on": "some node (is_new)"}, "goes_on: text"),
        ({"goes_on": "3"}, "true or false"),
        ({"most_steps": 0 * per(Node)}, "most_steps counts 0"),
        ({"is_near": Node.derived("some neighbour", yes="{stranger} is")}, "stranger"),
        (
            {"is_near": Node.derived("some neighbour", yes="{me is")},
            "has a brace without its other one",
        ),
        ({"goes_on": Node.derived("first")}, "is a word of every algorithm"),
        ({"is_near": Node.derived(cast("str", 3))}, "where a statement in quotes stands"),
        ({"is_near": Node.concept("some neighbour (reached)")}, "goes by 'reached', which is no"),
        ({"days": Node.state(number(4), start=0, becomes=cast("str", 3))}, "a list of moves"),
        ({"days": Node.state(number(4), start=0, becomes=[])}, "a list of moves"),
        (
            {"days": Node.state(number(4, distinct="graph"), start=0, becomes="days")},
            "checked of inputs alone",
        ),
        ({"days": Node.state(number(4), start=0.5, becomes="days")}, "has 0.5, where"),
        ({"days": Node.state(number(True), start=0, becomes="days")}, "is no whole number"),
        (
            {"days": Node.state(number(Option(4)), start=0, becomes="days")},
            "no option of the class",
        ),
        ({"days": Node.state(mask, start="height", becomes="is_near")}, "a value of its kind"),
        (
            {"color": Node.state(category("a", "a"), start="a", becomes={"a": "first"})},
            "different names",
        ),
        ({"color": Node.state(category(10**9), start="1", becomes={"1": "first"})}, "are the most"),
        ({"is_near_k": Node.derived("reached", k=Each(1, 10**9))}, "are the most"),
        ({"is_near": Node.derived("reached", k=cast("Each", 3))}, "as in k=Each(1, 3)"),
        ({"is_near": Node.derived("reached", yes=3)}, "a sentence in quotes"),
        ({"is_near": Node.derived("")}, "'is_near' has no statement: write one in quotes"),
        ({"x": Node.input(cast("Any", 8))}, "no kind: write mask"),
        ({"goes_on": 3}, "has 3, where a statement in quotes"),
        ({"most_steps": 3}, "write 2 * per(Node)"),
        ({"outcomes": ("is_near",)}, "no feature of the graph"),
        ({"examines": "nobody"}, "a node has no nobody"),
        (
            {"reached": Node.output(mask, start="first", becomes="is_near", only_where="days")},
            "name an output that is a mask",
        ),
        ({"most": Option(3, 5, 9)}, "option most is 3: give a whole number from 5 to 9"),
        ({"gos_on": "some node (is_near)"}, "'gos_on' is no word of an algorithm. Did you mean"),
        ({"height": number(7)}, "'height' declares nothing: write where it is and what"),
        ({"height": Node.input}, "'height' declares nothing"),
        ({"height": (Node.input(mask),)}, "leave out the comma at its end"),
        ({"days": Node.state(number(4), start=0)}, "'days' has no becomes: add becomes="),
        ({"days": Graph.state(pointer(Node), becomes="days")}, "'days' has no start: add start="),
        (
            {"color": Node.state(category("red", "green"), start="red", becomes={"rid": "first"})},
            "'red'?",
        ),
        ({"legend": {"rid": "red"}}, "a state 'rid', which nothing is called"),
        ({"legend": ("first",)}, "write what elements are called, as in legend = {"),
        ({"legend": {"first": 3}}, "write what elements are called"),
        ({"is_near": Node.derived("least node (reached) by height")}, "write me = least ..."),
        ({"first": None}, "a node has no first"),
        ({"outcomes": "calm"}, "write names, as in outcomes = ('is_reached',)"),
        ({"starts_with": 3}, "starts_with is 3: write it in quotes"),
        ({"is_near": Node.derived("first", yes=["a", "b"])}, "a sentence in quotes"),
        ({"checks": ("ascending", "height")}, "write each in parentheses"),
        ({"checks": (("asending", "height"),)}, "begin with one of"),
        ({"table": ["pairs"]}, "write 'pairs' or 'intervals'"),
        ({"title": "two\nlines"}, "write what people call it"),
        ({"declare": lambda _: None}, "is how algorithms were written before: write an attr"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(DefinitionError) as problem:
        spoilt(**changed)
    assert says in str(problem.value)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(
    ("declare", "says"),
    [
        (lambda: Node.output(mask, strat="first"), "takes no 'strat', but .* mean 'start'?"),
        (lambda: Node.input(mask, start="first"), "Node.input(...) takes no 'start', but drawn"),
        (lambda: Graph.derived("calm", becomes="calm"), "Graph.derived(...) takes no 'becomes'"),
        (lambda: Node.concept("calm", kind=mask), "takes no 'kind'"),
        (lambda: Node.sees("calm"), "are written derived(...) now"),
        (lambda: Link.sums("height + 1"), "are written derived(...) now"),
        (lambda: Node.input(mask, called=("calm",)), "once for a class now, as in legend = {"),
        (
            lambda: pointer(cast("Any", "node")),
            "pointer('node') names no table: write pointer(Node)",
        ),
        (lambda: per(cast("Any", 3)), "per(3) names no table: write per(Node)"),
    ],
)
def test_a_word_that_nothing_takes_is_refused_where_it_stands(declare, says: str) -> None:
    with pytest.raises(DefinitionError) as problem:
        declare()
    assert all(part in str(problem.value) for part in says.split(" .* "))


def test_an_option_that_is_not_there_is_refused() -> None:
    with pytest.raises(
        UnknownNameError, match=r"no option of \w+ is called 'colours'.* mean 'colors'"
    ):
        type("Spoilt", (Spread,), {"colors": Option(3)})(colours=4)


def test_an_algorithm_has_state_and_outputs() -> None:
    with pytest.raises(DefinitionError, match="gives an output: declare one"):
        type("Spoilt", (Algorithm,), {"first": Node.input(mask)})


def test_unless_concepts_are_named_what_decides_is_one() -> None:
    assert Spread().declaration.concepts == ("is_reached", "is_near")


def test_arithmetic_is_in_lets_of_its_own() -> None:
    program = spoilt(is_near=Node.derived("some neighbour (its height * 2 + 1 > my days)")).program
    names = [let.name for let in program.lets]
    assert "height_times_2_plus_1" in names
    assert "days_plus_1" in names
