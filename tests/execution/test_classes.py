"""Categories of any number of classes: every engine holds every class, as plain Python says."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import Algorithm, Declaration
from algolens.execution import run_algorithm
from algolens.fields import Category, Location, Mask, at_node
from algolens.graphs import from_networkx, stream
from algolens.programs import Program

LENGTH = 150  # nodes of a path, one a step: long enough for the incremental engine


def relay(classes: int, is_read: bool) -> Algorithm:
    """A mark walks along a path; each node that it reaches takes the class that its bits say."""
    bits, last = range((classes - 1).bit_length()), classes - 1
    state = {"reached": "first", "beside": "False"} | ({"label": "0"} if is_read else {})
    kinds = classes if is_read else 2  # else no field but the output has so many
    sees_last = f"{f'some neighbour (label is {last}) | ' * is_read}kind is {kinds - 1}"

    def said(number: int) -> str:
        signs = " & ".join(f"{'' if number >> bit & 1 else '~'}bit_{bit}" for bit in bits)
        return f"(was_reached | is_near) & {signs}"

    unused = " | ".join(f"({said(n)})" for n in (0, *range(classes, 2 ** len(bits))))

    class Relay(Algorithm):
        name = "relay"

        def declare(self) -> Declaration:
            return Declaration(
                location=Location.NODE,
                inputs={
                    "first": at_node(Mask()),
                    "kind": at_node(Category(kinds)),
                    **{f"code_{bit}": at_node(Mask()) for bit in bits},
                },
                state=tuple(state),
                start=state,
                look={
                    "was_reached": at_node("reached"),
                    "is_near": at_node("~reached & some neighbour (reached)"),
                    "sees_last": at_node(sees_last),
                    **{f"bit_{bit}": at_node(f"code_{bit}") for bit in bits},
                },
                concepts=("was_reached", "is_near", "sees_last", *(f"bit_{bit}" for bit in bits)),
                outputs={"reached": Mask(), "label": Category(classes), "beside": Mask()},
                rules={
                    "reached": {
                        "true": "was_reached | is_near",
                        "false": "~was_reached & ~is_near",
                    },
                    "label": {
                        "0": f"~was_reached & ~is_near | {unused}",
                        **{str(number): said(number) for number in range(1, classes)},
                    },
                    "beside": {"true": "sees_last", "false": "~sees_last"},
                },
                continues="is_near",
            )

    return Relay()


@pytest.mark.parametrize(
    ("classes", "is_read"),
    [
        *((classes, True) for classes in (2, 127, 128, 129, 200, 256, 300)),
        (200, False),
        (300, False),
    ],
)
def test_every_class_stays_itself_in_a_long_run(classes, is_read):
    rng, last = np.random.default_rng(classes), classes - 1
    last_kind = last if is_read else 1
    codes, kinds = (rng.integers(0, top + 1, LENGTH).tolist() for top in (last, last_kind))
    codes[LENGTH // 2], kinds[LENGTH // 3] = last, last_kind
    roads = nx.path_graph(LENGTH)
    for node in roads:
        bits = {f"code_{b}": bool(codes[node] >> b & 1) for b in range(last.bit_length())}
        roads.nodes[node].update(first=node == 0, kind=kinds[node], **bits)
    expected = {
        "reached": dict.fromkeys(roads, True),
        "label": dict(enumerate(codes)),
        # the end's label is read by nobody: it comes with the last step
        "beside": {
            node: kinds[node] == last_kind
            or (
                is_read
                and any(codes[other] == last and other < LENGTH - 1 for other in roads[node])
            )
            for node in roads
        },
    }
    chosen = relay(classes, is_read)
    execution = al.execute(chosen, roads)
    assert execution.steps == LENGTH - 1
    assert {name: dict(execution.result[name]) for name in expected} == expected
    graph = from_networkx(roads)
    inputs, _ = chosen.read(graph, stream(0))
    by_changes, by_tensors = (
        run_algorithm(chosen, graph, inputs, kernel=kernel) for kernel in ("incremental", "tensor")
    )
    assert by_tensors.final("label").tolist() == codes
    for name, values in by_tensors.tensors().items():
        assert by_changes.tensors()[name].equal(values), name


def test_exported_python_holds_as_many_classes():
    chosen, module = relay(300, is_read=True), dict[str, Any]()
    exec(Program.of(chosen).to_python_source(), module)
    codes = [7, 299, 0, 128, 255, 256]
    graph = module["graph_of"](len(codes), [(node, node + 1) for node in range(len(codes) - 1)])
    inputs = {f"code_{bit}": np.array(codes) >> bit & 1 == 1 for bit in range(9)}
    inputs |= {"first": np.arange(len(codes)) == 0, "kind": np.zeros(len(codes), int)}
    steps, _ = module["run"](graph, inputs)
    assert steps[-1]["label"].tolist() == codes
