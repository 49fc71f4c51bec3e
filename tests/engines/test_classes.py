"""Categories of any number of classes: every engine holds every class, as plain Python says."""

from __future__ import annotations

from typing import Any, cast

import networkx as nx
import numpy as np
import pytest

import algolens as al
from algolens.algorithms import Algorithm, Node, category, mask
from algolens.engines import run_algorithm
from algolens.engines.program import Program
from algolens.graphs import from_networkx, stream

LENGTH = 150  # nodes of a path, one a step: long enough for the incremental engine


def relay(classes: int, is_read: bool) -> Algorithm:
    """A mark walks along a path; each node that it reaches takes the class that its bits say."""
    bits, last = range((classes - 1).bit_length()), classes - 1
    kinds = classes if is_read else 2  # else no field but the output has so many
    sees_last = f"{f'some neighbour (label is {last}) | ' * is_read}kind is {kinds - 1}"

    def said(number: int) -> str:
        signs = " & ".join(f"{'' if number >> bit & 1 else '~'}code_{bit}" for bit in bits)
        return f"(reached | is_near) & {signs}"

    members: dict[str, Any] = {f"code_{bit}": Node.input(mask) for bit in bits}
    members |= {
        "first": Node.input(mask),
        "kind": Node.input(category(kinds)),
        "reached": Node.output(mask, start="first", becomes="reached | is_near"),
        "label": Node.output(
            category(classes),
            start="0" if is_read else None,
            becomes={
                **{str(number): said(number) for number in range(1, classes)},
                "0": "True",
            },
        ),
        "beside": Node.output(mask, start="False", becomes="sees_last"),
        "is_near": Node.derived("~reached & some neighbour (reached)"),
        "sees_last": Node.derived(sees_last),
        "goes_on": "some node (is_near)",
    }
    return cast("Algorithm", type("Relay", (Algorithm,), members)())


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
        assert np.array_equal(by_changes.tensors()[name], values), name


def test_exported_python_holds_as_many_classes():
    chosen, module = relay(300, is_read=True), dict[str, Any]()
    exec(Program.of(chosen).to_python_source(), module)
    codes = [7, 299, 0, 128, 255, 256]
    graph = module["graph_of"](len(codes), [(node, node + 1) for node in range(len(codes) - 1)])
    inputs = {f"code_{bit}": np.array(codes) >> bit & 1 == 1 for bit in range(9)}
    inputs |= {"first": np.arange(len(codes)) == 0, "kind": np.zeros(len(codes), int)}
    steps, _ = module["run"](graph, inputs)
    assert steps[-1]["label"].tolist() == codes
