"""Activity selection: as many activities as possible, no two at once (Gavril 1972)."""

import networkx as nx
import numpy as np
import torch
from torch import Tensor

from algolens.algorithms import Algorithm, Declaration, PlainValues, Values, _forms
from algolens.errors import InputError
from algolens.fields import Location, Mask, Number, at_graph, at_node
from algolens.graphs import Graph
from algolens.layouts import Intervals


class ActivitySelection(Algorithm):
    """In the order in which they end, an activity is selected if it begins when the last selected
    one is over. n steps.
    """

    name = "activity_selection"
    group = "orders"
    graphs = "any"
    layout = Intervals(begin="begin", end="end", order="end", lines=("busy_until",))

    bits: int = 10  # of a time

    def declare(self) -> Declaration:
        time = Number(self.bits)
        return Declaration(
            location=Location.NODE,
            inputs={"begin": at_node(time), "end": at_node(time)},
            state=("looked_at", "selected", "busy_until"),
            start={"looked_at": "False", "selected": "False", "busy_until": 0},
            look={
                "has_been_looked_at": at_node("looked_at"),
                "has_been_selected": at_node("selected"),
                "is_next": at_node(
                    "~looked_at & no other node (~looked_at & (its end, its number) < (my end, my "
                    "number))"
                ),
                "is_selected": at_node("is_next & begin >= graph's busy_until"),
            },
            moves={"busy_until": "the node's end (is_selected)"},
            hints={"busy_until": at_graph(time)},
            concepts=("has_been_looked_at", "has_been_selected", "is_next", "is_selected"),
            outputs={"looked_at": Mask(), "selected": Mask()},
            rules={
                "looked_at": _forms.where_any("has_been_looked_at", "is_next"),
                "selected": _forms.where_any("has_been_selected", "is_selected"),
            },
            continues="is_next",
        )

    def reference(self, graph: nx.Graph, inputs: PlainValues) -> PlainValues:
        selected: list[int] = []
        for node in sorted(graph, key=lambda node: graph.nodes[node]["end"]):
            if not selected or graph.nodes[node]["begin"] >= graph.nodes[selected[-1]]["end"]:
                selected.append(node)
        return {"looked_at": dict.fromkeys(graph, True), "selected": dict.fromkeys(selected, True)}

    def sample(self, graph: Graph, rng: np.random.Generator) -> dict[str, Tensor]:
        drawn = super().sample(graph, rng)
        return {
            "begin": torch.minimum(drawn["begin"], drawn["end"]),
            "end": torch.maximum(drawn["begin"], drawn["end"]),
        }

    def check(self, graph: Graph, inputs: Values) -> None:
        wrong = (inputs["begin"] > inputs["end"]).nonzero()
        if len(wrong):
            node = int(wrong[0])
            raise InputError(
                f"{graph.describe(Location.NODE, node)} begins at {int(inputs['begin'][node])} and "
                f"ends at {int(inputs['end'][node])}: give an end that is not before the beginning."
            )
