"""What a proof may speak of besides the state: how many rows a mask is true of, connected parts,
and what happened in the steps before. Every state of a run has one such value, and no step depends
on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from algolens.algorithms import Values
from algolens.engines import Run
from algolens.engines.tensors import Running
from algolens.graphs import At, Graph
from algolens.language.finite import statements
from algolens.language.ir import Field, Program
from algolens.lazy import csgraph, sparse
from algolens.proofs.states import Side, State
from algolens.proofs.theory import WIDE, Expression, GraphTheory, for_all, z3

NODE: At = "node"
PART, STEPS_TAKEN, BEGUN = f"connected{WIDE}part", f"steps{WIDE}taken", f"has{WIDE}begun"
WHOLE = 61  # bits of a number
Arrays = dict[str, np.ndarray]


class Counts:
    """Of how many nodes each mask is true, where a graph has a number to compare it with.

    ``count = how_many_passed`` relates a number that a step raises to the nodes that it marks. What
    is said of it is true of the numbers of elements of finite sets.

    Parameters
    ----------
    state : mapping of str to Field
        What steps change.
    """

    def __init__(self, state: Mapping[str, Field]) -> None:
        has_number = any((one.at, one.kind) == ("graph", "number") for one in state.values())
        self.masks = {f"how_many{WIDE}{name}": name for name in _masks(state) if has_number}
        self.fields = dict.fromkeys(self.masks, Field("graph", "number", bits=WHOLE))

    def of(self, graph: Graph, values: Values) -> Arrays:
        """Counts in a state of a batch of graphs."""
        owner = graph.owner(NODE)
        return {
            count: np.bincount(owner[values[name]], minlength=graph.num_graphs)
            for count, name in self.masks.items()
        }

    def declare(self, words: State) -> None:
        """Adds them to a state: 0 where the mask is true of none, and as many as there are nodes
        where it is true of all.
        """
        theory = words.theory
        for count, name in self.masks.items():
            words.declare(count, self.fields[count])
            how_many, mask = words.values[count](None), words.values[name]
            node, marked, left = (theory.variable("node", word) for word in ("x", "marked", "left"))
            some = mask(marked) & theory.is_met("node", marked)
            rest = ~mask(left) & theory.is_met("node", left)
            there = z3.If(mask(node), how_many > 0, how_many < theory.count["node"])
            words.axioms += [
                how_many <= theory.count["node"],
                (how_many == 0) | some,
                (how_many == theory.count["node"]) | rest,
                for_all([node], there, [[mask(node)]]),
            ]

    def between(self, now: State, after: State) -> list[Expression]:
        """How counts of two states differ: there are more where some were added, and more by two
        where two were; where some were added and there are no more, some were lost.
        """
        made, theory = list[Expression](), now.theory
        for count, name in self.masks.items():
            before, then = now.values[count](None), after.values[count](None)
            was, is_now = now.values[name], after.values[name]
            one, other, lost, node = (theory.variable("node", "changed") for _ in range(4))
            is_lost = was(lost) & ~is_now(lost) & theory.is_met("node", lost)
            first, second, added = (is_now(it) & ~was(it) for it in (one, other, node))
            first &= theory.is_met("node", one)
            second &= theory.is_met("node", other)
            two = first & second & (one != other)
            more = z3.Implies(added, (then > before) | is_lost)
            made += [
                z3.Implies(then > before, first),
                z3.Implies(then > before + 1, two),
                z3.Implies(then < before, is_lost),
                for_all([node], more, [[is_now(node)], [was(node)]]),
            ]
        return made


class Parts:
    """The lowest node that a node is connected with, where a state has pointers to compare it with.

    ``root's connected_part = connected_part`` says that a pointer stays within a part. What is the
    same at both ends of every edge is the same in a whole part, by induction along a path: so where
    no edge joins two sets, every set is a part.

    Parameters
    ----------
    state : mapping of str to Field
        What steps change.
    """

    def __init__(self, state: Mapping[str, Field]) -> None:
        self.at_nodes = [name for name, field in state.items() if field.at == "node"]
        self.pointers = [name for name in self.at_nodes if state[name].to == "node"]
        self.fields = {PART: Field("node", "pointer", to="node")} if self.pointers else {}

    def of(self, graph: Graph) -> Arrays:
        """The parts of a batch of graphs."""
        if not self.fields:
            return {}
        ends = (np.ones(graph.links.shape[1]), graph.links)
        links = sparse.coo_array(ends, (graph.num_nodes,) * 2)
        _, labels = csgraph.connected_components(links, directed=False)
        _, lowest, part = np.unique(labels, return_index=True, return_inverse=True)
        return {PART: lowest[part] - graph.first_node[graph.owner(NODE)]}

    def declare(self, words: State) -> None:
        """Adds it to what is known of a graph."""
        if self.fields:
            node, link, ends = self._along_a_link(words.theory)
            part = words.values[PART] = words.theory.function("node", PART, node.sort())
            joined = words.theory.where_there("link", part(ends[0]) == part(ends[1]))
            words.defining[PART] = [
                for_all([node], part(part(node)) == part(node), [[part(node)]]),
                for_all([link], joined, [[part(end)] for end in ends]),
            ]

    def along(self, words: State) -> None:
        """Adds to a state: a value is the same in a whole part, or differs along an edge."""
        for name in self.at_nodes if self.fields else ():
            part, value = words.values[PART], words.values[name]
            node, _, ends = self._along_a_link(words.theory)
            differs = words.theory.has_edges & (value(ends[0]) != value(ends[1]))
            same = for_all([node], value(node) == value(part(node)), [[value(node), part(node)]])
            words.defining.setdefault(PART, []).append(differs | same)

    def _along_a_link(self, theory: GraphTheory) -> tuple[Expression, Expression, list[Expression]]:
        """Any node, any link and its ends."""
        link = theory.variable("link", "link")
        return theory.variable("node"), link, theory.ends(link)


class History:
    """How many steps there were, when a mask became true, and whether a feature was ever seen.

    Parameters
    ----------
    program : Program
        HIR.
    state : mapping of str to Field
        What steps change.
    """

    def __init__(self, program: Program, state: Mapping[str, Field]) -> None:
        self.program, self.state = program, state
        self.times = {f"when{WIDE}{name}": name for name in _masks(state)}
        self.seen = {
            f"once{WIDE}{one.name}": one.name
            for one in statements(program).values()
            if one.at == "node" and one.name not in state
        }
        self.fields = {
            STEPS_TAKEN: Field("graph", "number", bits=WHOLE),
            **dict.fromkeys(self.times, Field("node", "number", bits=WHOLE)),
            **dict.fromkeys(self.seen, Field("node", "mask")),
        }

    def start(self, name: str, _: Expression) -> Expression:
        """How it begins."""
        return z3.BoolVal(False) if name in self.seen else z3.IntVal(0)

    def after(self, name: str, side: Side, me: Expression) -> Expression:
        """What a step makes of it."""
        values, now = side.values, side.values[STEPS_TAKEN](None) + 1
        if name in self.times:
            mask = self.times[name]
            begins = side.after(mask, me) & ~values[mask](me)
            return z3.If(begins, now, values[name](me))
        return values[name](me) | values[self.seen[name]](me) if name in self.seen else now

    def along(self, run: Run) -> Iterator[Arrays]:
        """Its values in each state of runs."""
        graph, look = run.graph, Running(self.program, run.graph).look
        owner, before = graph.owner(NODE), {name: run.state(name)[0] for name in self.state}
        when = dict.fromkeys(self.times, np.zeros(graph.num_nodes, np.int64))
        ever = dict.fromkeys(self.seen, np.zeros(graph.num_nodes, bool))
        steps = np.zeros(graph.num_graphs, np.int64)
        yield {STEPS_TAKEN: steps, **when, **ever}
        for step in range(int(run.lengths.max())):
            goes_on = run.lengths > step
            after = {name: run.state(name)[step + 1] for name in self.state}
            seen = look(run.inputs, {name: before[name] for name in self.program.state})
            for at, name in self.times.items():
                begins = after[name] & ~before[name] & goes_on[owner]
                when[at] = np.where(begins, step + 1, when[at])
            for at, name in self.seen.items():
                ever[at] = ever[at] | seen[name] & goes_on[owner]
            steps, before = steps + goes_on, after
            yield {STEPS_TAKEN: steps, **when, **ever}


def _masks(state: Mapping[str, Field]) -> list[str]:
    """The masks of nodes."""
    return [name for name, one in state.items() if (one.at, one.kind) == ("node", "mask")]
