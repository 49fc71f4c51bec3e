"""Black boxes that are none of the library's algorithms."""

from typing import ClassVar

from algolens.algorithms import Graph, Node, category, mask, number, pointer


class Sickness:
    """A node falls ill beside one that is ill, is late a step after, and then immune."""

    inputs: ClassVar = {"first": Node(mask, start_only=True)}
    state: ClassVar = {"health": Node(category("well", "ill", "late", "immune"))}
    then: ClassVar = {"ill": "late", "late": "immune", "immune": "immune"}

    def start(self, graph):
        return {"health": {node: "ill" if graph.nodes[node]["first"] else "well" for node in graph}}

    def step(self, graph, state):
        health = state["health"]
        after = {}
        for node in graph:
            is_near = any(health[other] in ("ill", "late") for other in graph[node])
            after[node] = self.then.get(health[node], "ill" if is_near else "well")
        return None if after == health else {"health": after}


class Token:
    """A token goes along pointers until it comes to where it was."""

    inputs: ClassVar = {
        "heir": Node(pointer(Node)),
        "first": Graph(pointer(Node), start_only=True),
    }
    state: ClassVar = {"holds": Node(mask), "held": Node(mask)}

    def start(self, graph):
        begins = {node: node == graph.graph["first"] for node in graph}
        return {"holds": begins, "held": begins}

    def step(self, graph, state):
        (now,) = (node for node in graph if state["holds"][node])
        heir = graph.nodes[now]["heir"]
        if state["held"][heir]:
            return None
        return {
            "holds": {node: node == heir for node in graph},
            "held": {node: state["held"][node] or node == heir for node in graph},
        }


class Cover:
    """The lowest node that is not covered covers itself and its neighbours."""

    state: ClassVar = {"chosen": Node(mask), "covered": Node(mask)}

    def start(self, graph):
        return {"chosen": dict.fromkeys(graph, False), "covered": dict.fromkeys(graph, False)}

    def step(self, graph, state):
        left = [node for node in graph if not state["covered"][node]]
        if not left:
            return None
        lowest = min(left)
        reached = {lowest, *graph[lowest]}
        return {
            "chosen": {node: state["chosen"][node] or node == lowest for node in graph},
            "covered": {node: state["covered"][node] or node in reached for node in graph},
        }


class Leader:
    """Every node takes over the lowest rank that it sees."""

    inputs: ClassVar = {"rank": Node(number(6))}
    state: ClassVar = {"best": Node(number(6))}

    def start(self, graph):
        return {"best": {node: graph.nodes[node]["rank"] for node in graph}}

    def step(self, graph, state):
        best = state["best"]
        after = {node: min([best[node], *(best[other] for other in graph[node])]) for node in graph}
        return None if after == best else {"best": after}


class Luby:
    """An open node that comes first of its open neighbours is in, and puts these out at once."""

    inputs: ClassVar = {"rank": Node(number(8))}
    state: ClassVar = {"status": Node(category("open", "in", "out"))}

    def start(self, graph):
        return {"status": dict.fromkeys(graph, "open")}

    def step(self, graph, state):
        status = state["status"]
        free = {node: (graph.nodes[node]["rank"], node) for node in graph if status[node] == "open"}
        first = {n for n in free if all(free[n] < free[m] for m in graph[n] if m in free)}
        after = dict(status) | dict.fromkeys(first, "in")
        after |= {n: "out" for n in free if n not in first and first & set(graph[n])}
        return {"status": after} if free else None


class Secretive:
    """Every third step turns all masks: a count that is no part of the state."""

    inputs: ClassVar = {"first": Node(mask, start_only=True)}
    state: ClassVar = {"on": Node(mask)}

    def start(self, graph):
        self.count = 0
        return {"on": {node: graph.nodes[node]["first"] for node in graph}}

    def step(self, graph, state):
        self.count += 1
        turned = self.count % 3 == 0
        return (
            {"on": {n: on != turned for n, on in state["on"].items()}} if self.count < 7 else None
        )


class Rounds:
    """As many rounds as there are nodes: on is who has two to three neighbours that are on."""

    inputs: ClassVar = {"first": Node(mask, start_only=True)}
    state: ClassVar = {"on": Node(mask), "round": Graph(number(8))}

    def start(self, graph):
        return {"on": {node: graph.nodes[node]["first"] for node in graph}, "round": 0}

    def step(self, graph, state):
        if state["round"] == len(graph):
            return None
        counts = {node: sum(state["on"][other] for other in graph[node]) for node in graph}
        return {
            "on": {n: count in (2, 3) for n, count in counts.items()},
            "round": state["round"] + 1,
        }


class Spread:
    """A node that is on stays so, and goes on beside some that are on."""

    inputs: ClassVar = {"first": Node(mask, start_only=True)}
    state: ClassVar = {"on": Node(mask)}

    def start(self, graph):
        return {"on": {node: graph.nodes[node]["first"] for node in graph}}

    def is_reached(self, node, graph, near):
        return near > 0

    def step(self, graph, state):
        on = state["on"]
        after = {
            node: on[node] or self.is_reached(node, graph, sum(on[other] for other in graph[node]))
            for node in graph
        }
        return None if after == on else {"on": after}


class OtherWhereLarge(Spread):
    """Above 25 nodes, one neighbour is not enough."""

    def is_reached(self, node, graph, near):
        return near > (len(graph) > 25)


class NeverWhereCrowded(Spread):
    """A node of seven neighbours or more never goes on."""

    def is_reached(self, node, graph, near):
        return near > 0 and len(graph[node]) < 7


class Majority(Spread):
    """Most of the neighbours are on: a comparison of two counts, which cannot be said."""

    def is_reached(self, node, graph, near):
        return 2 * near > len(graph[node])


class DirectedSpread(Spread):
    """Along links, to their receivers alone."""

    graphs = "directed"

    def step(self, graph, state):
        return super().step(graph.reverse(), state)


class Remainder(Spread):
    """Nodes without two neighbours that are on go off, until two at most are on."""

    def start(self, graph):
        return {"on": dict.fromkeys(graph, True)}

    def step(self, graph, state):
        on = state["on"]
        if sum(on.values()) <= 2:
            return None
        after = {node: on[node] and sum(on[other] for other in graph[node]) > 1 for node in graph}
        return None if after == on else {"on": after}
