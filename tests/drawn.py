"""Random whole algorithms whose features share relations, fields and comparisons, so that what one
finds serves the next. They are drawn as trees and written as text, as an author writes them.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from algolens import graphs
from algolens.algorithms import (
    Algorithm,
    Edge,
    Graph,
    Link,
    Node,
    category,
    mask,
    number,
    pointer,
)
from algolens.engines import Run, run_algorithm
from algolens.errors import AlgoLensError
from algolens.language.declare import Attribute, Place

Json = Any  # a statement as nested lists
PLACES: dict[str, Place] = {"node": Node, "edge": Edge, "link": Link, "graph": Graph}
PHASES, COLORS = ("idle", "busy", "over"), ("red", "green", "blue")
INPUTS: dict[str, Attribute] = {
    "a": Node.input(number(2)),
    "b": Node.input(number(2)),
    "c": Node.input(number(3, signed=True)),
    "awake": Node.input(mask),
    "color": Node.input(category(*COLORS)),
    "boss": Node.input(pointer(Node)),
    "chosen": Node.input(mask),
    "w": Edge.input(number(2)),
    "v": Edge.input(number(2)),
    "heavy": Edge.input(mask),
    "cost": Link.input(number(2)),
    "open": Link.input(mask),
    "calm": Graph.input(mask),
    "source": Graph.input(pointer(Node)),
}
SUMS: dict[str, tuple[str, list[Json], int]] = {
    "offer": ("node", [["my", "a"], ["my", "height"]], 1),
    "reach": ("link", [["my", "sender", "height"], ["my", "edge", "w"]], 0),
    "area": (
        "node",
        [{"factor": -2, "terms": [["my", "a"], ["my", "root", "c"]]}, ["my", "height"]],
        -3,
    ),
    # sums before it are factors
    "turn": (
        "link",
        [
            {"factor": 1, "terms": [["my", "reach"], ["my", "receiver", "area"]]},
            {"factor": -1, "terms": [["my", "sender", "offer"]]},
        ],
        0,
    ),
}
# ways to an input, which stays, so that what is found from it is kept for long; and to any other
# number
NUMBERS = {
    "node": (
        [["a"], ["b"], ["c"]],
        [["height"], ["offer"], ["area"], ["number"], ["root", "a"], ["root", "height"]],
    ),
    "edge": (
        [["w"], ["v"], ["one_end", "a"]],
        [["number"], ["other_end", "a"], ["one_end", "height"]],
    ),
    "link": (
        [["cost"], ["edge", "w"], ["reverse", "cost"]],
        [["reach"], ["turn"], ["sender", "a"], ["receiver", "height"], ["number"]],
    ),
    "graph": ([["source", "a"], ["source", "b"]], [["source", "height"]]),
}
NODES = {  # ways to a node
    "node": [[], ["root"], ["boss"], ["root", "root"], ["graph", "source"]],
    "edge": [["one_end"], ["other_end"], ["one_end", "root"]],
    "link": [["sender"], ["receiver"], ["receiver", "root"], ["graph", "source"]],
    "graph": [["source"], ["source", "root"]],
}
RELATIONS = {
    "node": {
        "neighbour": "node",
        "predecessor": "node",
        "successor": "node",
        "incoming link": "link",
        "outgoing link": "link",
        "incident edge": "edge",
        "other node": "node",
        "node whose root is me": "node",
        "link into my set by root": "link",
    },
    "edge": {"end": "node", "adjacent edge": "edge", "other edge": "edge", "direction": "link"},
    "link": {"rival": "link", "sibling": "link", "rival by root": "link", "other link": "link"},
    "graph": {"node": "node", "edge": "edge", "link": "link"},
}
ORDERS = ["<", "=", ">", "<=", "!=", ">="]


class Drawing:
    """One program, drawn from few numbers, masks and statements."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.location = rng.choice(["node", "node", "edge"])
        # fields at the location of the concepts; and features as they were in the step before
        self.labels: dict[str, list[tuple[list[str], tuple[str, ...] | None]]] = {
            "node": [(["awake"], None), (["color"], COLORS), (["root", "awake"], None)],
            "edge": [(["heavy"], None), (["one_end", "awake"], None)],
            "link": [
                (["open"], None),
                (["sender", "awake"], None),
                (["reverse", "open"], None),
                (["edge", "heavy"], None),
            ],
            "graph": [(["calm"], None), (["source", "awake"], None)],
        }
        self.numbers = {
            at: [*rng.sample(kept, 2), rng.choice(others)] for at, (kept, others) in NUMBERS.items()
        }
        own = [(["done"], None), (["phase"], PHASES)]
        self.labels[self.location] += own * 2  # what changes from step to step is named often
        names = [f"o{place}" for place in range(rng.randint(4, 8))]
        places = [self.location] * 2 + [
            rng.choice([self.location] * 4 + [*RELATIONS]) for _ in names[2:]
        ]
        self.at = dict(zip(names, places, strict=True))
        here = [name for name in names if self.at[name] == self.location]
        self.concepts = rng.sample(here, rng.randint(1, min(3, len(here))))
        self.carried = rng.sample(names, rng.choice([0, 1, 2]))
        for name in self.carried:
            self.labels[self.at[name]].append(([f"was_{name}"], None))
        self.atoms: dict[tuple[str, str | None], list[Json]] = {}
        self.bodies: dict[tuple[str, str | None], list[Json]] = {}
        self.relation = {
            at: rng.sample(list(each), rng.choice([1, 1, 2])) for at, each in RELATIONS.items()
        }
        self.observed = []
        for name in names:
            self.observed.append(
                {"name": name, "at": self.at[name], "formula": self._observation(self.at[name])}
            )
            self.labels[self.at[name]].append(([name], None))
        self.moves = [*self._moves("root"), *self._moves("height")]
        self.rules = self._rules()
        self.continues = rng.choice(
            [None, *([how, self._rule()] for how in ("some", "some", "every", "no"))]
        )
        self.outcomes = [name for name in names if self.at[name] == "graph"]
        self.outcomes += [f"was_{name}" for name in self.carried if self.at[name] == "graph"]
        state = {"done": self.location, "phase": self.location, "root": "node", "height": "node"}
        state |= {f"was_{name}": self.at[name] for name in self.carried}
        self.start = {name: self._start(name, at) for name, at in state.items()}

    # ---- statements

    def _test(self, whose: str, at: str) -> Json:
        path, classes = self.rng.choice(self.labels[at])
        return ["is", [whose, *path], None if classes is None else self.rng.choice(classes)]

    def _atom(self, at: dict[str, str]) -> Json:
        rng = self.rng
        left, right = rng.choice([*at]), rng.choice([*at])
        match rng.choice(["test", "compare", "compare", "meet"]):
            case "compare":
                if rng.random() < 0.2:  # several numbers, like words
                    sides = [
                        [[whose, *rng.choice(self.numbers[at[whose]])] for _ in range(2)]
                        for whose in (left, right)
                    ]
                    return [rng.choice(ORDERS), *sides]
                mine = rng.choice(self.numbers[at[left]])
                alike = left != right and at[left] == at[right] and rng.random() < 0.5
                return [
                    rng.choice(ORDERS),
                    [[left, *mine]],
                    [[right, *(mine if alike else rng.choice(self.numbers[at[right]]))]],
                ]
            case "meet":
                return [
                    rng.choice(["=", "!="]),
                    [[left, *rng.choice(NODES[at[left]])]],
                    [[right, *rng.choice(NODES[at[right]])]],
                ]
        return self._test(left, at[left])

    def _shared_atom(self, at: dict[str, str], relation: str | None = None) -> Json:
        """Of a few that observations of one relation share: drawn anew, or one of them with another
        right side.
        """
        rng, pool = self.rng, self.atoms.setdefault((at["my"], relation), [])
        if len(pool) < 4:
            twins = [each for each in pool if each[0] in ORDERS and len(each[1]) == 1]
            pool.append(
                self._twin(rng.choice(twins), at)
                if twins and rng.random() < 0.6
                else self._atom(at)
            )
        return rng.choice(pool)

    def _twin(self, atom: Json, at: dict[str, str]) -> Json:
        """The same comparison with another: it begins alike, and what it finds is another
        matter.
        """
        order, left, ((whose, *path),) = atom
        others = [
            each
            for each in (self.numbers if path in self.numbers[at[whose]] else NODES)[at[whose]]
            if each != path
        ]
        return [order, left, [[whose, *self.rng.choice(others)]]] if others else self._atom(at)

    def _shared_body(self, at: dict[str, str], relation: str) -> Json:
        """Of a few that observations of one relation share, whatever they say of it."""
        pool = self.bodies.setdefault((at["my"], relation), [])
        if len(pool) < 3 or self.rng.random() < 0.1:
            pool.append(
                self._mixed(lambda: self._shared_atom(at, relation), self.rng.choice([1, 1, 2]))
            )
        return self.rng.choice(pool)

    def _mixed(self, atom: Any, most: int) -> Json:
        rng, count = self.rng, self.rng.randint(1, most)
        parts = [rng.choice([each, each, ["not", each]]) for each in (atom() for _ in range(count))]
        return parts[0] if count == 1 else [rng.choice(["and", "or"]), *parts]

    def _observation(self, at: str) -> Json:
        rng = self.rng
        relation = rng.choice(self.relation[at])
        both = {"my": at, "its": RELATIONS[at][relation]}

        def part() -> Json:
            if rng.random() < 0.25:
                return self._shared_atom({"my": at})
            if rng.random() < 0.05:
                return [rng.choice(["some", "every"]), relation, rng.random() < 0.5]
            if rng.random() < 0.25:  # what is looked for follows from the own class
                mine, one = self._test("my", at), self._shared_atom(both, relation)
                other = (
                    self._twin(one, both)
                    if one[0] in ORDERS and len(one[1]) == 1
                    else self._shared_atom(both, relation)
                )
                return ["some", relation, ["or", ["and", mine, one], ["and", ["not", mine], other]]]
            body = self._shared_body(both, relation)
            how: list[Any] = rng.choice(
                [["some"], ["some"], ["every"], ["at least", rng.randint(1, 3)]]
            )
            return [*how, relation, body]

        return self._mixed(part, rng.choice([1, 1, 2]))

    # ---- all else

    def _moves(self, name: str) -> list[Json]:
        rng = self.rng
        ways: list[tuple[str | None, list[str]]]
        if name == "root":
            ways = [(None, ["my", *path]) for path in NODES["node"]]
            ways += [
                ("neighbour", ["its"]),
                ("incoming link", ["its", "sender"]),
                ("other node", ["its", "root"]),
            ]
            ways += [
                ("link into my set by root", ["its", "sender", "root"]),
                ("node whose root is me", ["its", "boss"]),
            ]
        else:
            ways = [
                (None, ["my", "a"]),
                (None, ["my", "offer"]),
                ("incident edge", ["its", "w"]),
                ("successor", ["its", "height"]),
            ]
            ways += [("incoming link", ["its", "reach"]), ("other node", ["its", "a"])]
        found = []
        for relation, value in rng.sample(ways, rng.randint(1, 3)):
            mark = (
                None
                if relation is None
                else self._mixed(lambda at=RELATIONS["node"][relation]: self._test("its", at), 2)
            )
            guard = None if rng.random() < 0.3 else self._mixed(lambda: self._test("my", "node"), 2)
            found.append(
                {"name": name, "value": value, "relation": relation, "mark": mark, "guard": guard}
            )
        return found

    def _rule(self) -> Json:
        return self._mixed(lambda: self.rng.choice(self.concepts), 3)

    def _rules(self) -> Json:
        """Statements of a mask, and of classes, of which the first that holds decides."""
        labels = self.rng.sample(PHASES, len(PHASES))
        rules = [self._rule(), self._rule(), True]
        return {"done": self._rule(), "phase": dict(zip(labels, rules, strict=True))}

    def _start(self, name: str, at: str) -> Json:
        rng = self.rng
        statement = lambda: self._mixed(lambda: self._starting(at), 2)  # noqa: E731
        match name:
            case "root":
                return {
                    "path": [
                        "my",
                        *rng.choice([[], ["boss"], ["boss", "boss"], ["graph", "source"]]),
                    ]
                }
            case "height":
                return rng.choice(
                    [
                        {"value": rng.randint(0, 5)},
                        {"path": ["my", *rng.choice([["a"], ["boss", "b"]])]},
                    ]
                )
            case "phase":
                labels = rng.sample(PHASES, rng.randint(1, 3))
                return rng.choice(
                    [{"class": labels[0]}, {"classes": {label: statement() for label in labels}}]
                )
        return {"where": rng.choice([True, False, statement(), statement()])}

    def _starting(self, at: str) -> Json:
        """An atom over inputs alone."""
        masks = {
            "node": ["awake", "chosen"],
            "edge": ["heavy"],
            "link": ["open"],
            "graph": ["calm"],
        }
        numbers = {"node": ["a", "b", "c"], "edge": ["w", "v"], "link": ["cost"], "graph": []}
        if numbers[at] and self.rng.random() < 0.4:
            return [
                self.rng.choice(ORDERS),
                [["my", self.rng.choice(numbers[at])]],
                [["my", self.rng.choice(numbers[at])]],
            ]
        if at == "node" and self.rng.random() < 0.4:
            return ["=", [["my"]], [["my", "graph", "source"]]]
        return ["is", ["my", self.rng.choice(masks[at])], None]

    @property
    def attributes(self) -> dict[str, Attribute]:
        """As an author writes them."""
        own, start = PLACES[self.location], {n: start_text(s) for n, s in self.start.items()}
        moves = {
            name: [move_text(each) for each in self.moves if each["name"] == name]
            for name in ("root", "height")
        }
        phase = {label: text(rule) for label, rule in self.rules["phase"].items()}
        found: dict[str, Attribute] = dict(INPUTS)
        found |= {
            "done": own.output(mask, start=start["done"], becomes=text(self.rules["done"])),
            "phase": own.output(category(*PHASES), start=start["phase"], becomes=phase),
            "root": Node.state(pointer(Node), start=start["root"], becomes=moves["root"]),
            "height": Node.state(number(3), start=start["height"], becomes=moves["height"]),
        }
        for name, (at, terms, constant) in SUMS.items():
            found[name] = PLACES[at].derived(sum_text(terms, constant))
        for each in self.observed:
            name, place = each["name"], PLACES[each["at"]]
            declare = place.concept if name in self.concepts else place.derived
            found[name] = declare(text(each["formula"]))
            if name in self.carried:
                was = f"was_{name}"
                found[was] = place.state(mask, start=start[was], becomes=name)
        return found

    @property
    def algorithm(self) -> Algorithm:
        """An algorithm that declares it."""
        members: dict[str, Any] = {
            **self.attributes,
            "graphs": "any",
            "outcomes": tuple(self.outcomes),
        }
        if self.continues is not None:
            how, rule = self.continues
            members["goes_on"] = f"{how} {self.location} ({text(rule)})"
        return type("Drawn", (Algorithm,), members)()


def draw_graphs(rng: random.Random) -> list[graphs.Graph]:
    """One graph or a few: of one node, without edges, or any; with or without directions."""
    directed, found = rng.random() < 0.5, []
    for _ in range(rng.choice([1, 1, 2, 3])):
        nodes = rng.choice([1, 2, 3, 4, 4, 5, 5])
        pairs = [
            (u, v) for u in range(nodes) for v in range(nodes) if (u != v if directed else u < v)
        ]
        share = rng.choice([0, 0.3, 0.6, 1])
        edges = [each for each in pairs if rng.random() < share]
        found.append(graphs.Graph.pack([nodes], edges, directed=directed))
    return found


def draw_inputs(
    chosen: Algorithm, graph: graphs.Graph, rng: random.Random
) -> dict[str, np.ndarray]:
    """Any values of all inputs; numbers so few that many are equal."""
    found: dict[str, np.ndarray] = {}
    for name, field in chosen.declaration.inputs.items():
        one = chosen.declaration.program.inputs[name]
        many = {"mask": 2, "category": len(one.labels), "pointer": graph.num_nodes}
        least, most = one.bounds if one.kind == "number" else (0, many[one.kind] - 1)
        values = [rng.randint(least, most) for _ in range(graph.count(field.at))]
        found[name] = np.array(values, dtype=field.dtype)
    return found


# ---- text


def text(statement: Json, *, inside: bool = False) -> str:
    """A statement, or a rule, as a person would type it."""
    match statement:
        case bool() | str():
            return str(statement)
        case ["not", ["some", relation, body]]:
            return f"no {relation} ({text(body, inside=True)})"
        case ["not", term]:
            return f"~({text(term, inside=inside)})"
        case ["and" | "or" as word, *terms]:
            return {"and": " & ", "or": " | "}[word].join(
                f"({text(each, inside=inside)})" for each in terms
            )
        case ["is", [whose, *path], label]:
            mine = "my " if inside and whose == "my" else ""
            return mine + "'s ".join(path) + ("" if label is None else f" is {label}")
        case ["some" | "every" as word, relation, body]:
            return f"{word} {relation} ({text(body, inside=True)})"
        case ["at least", count, relation, body]:
            return (
                f"at least {count} {several(relation) if count > 1 else relation} "
                f"({text(body, inside=True)})"
            )
        case [order, left, right]:
            sides = [[path_text(each, inside=inside) for each in side] for side in (left, right)]
            return f" {order} ".join(
                side[0] if len(side) == 1 else f"({', '.join(side)})" for side in sides
            )
    raise TypeError(statement)


def sum_text(terms: list[Json], number: int) -> str:
    """Products added up, and a constant."""
    written = str(number)
    for term in terms:
        factor = term["factor"] if isinstance(term, dict) else 1
        factors = map(path_text, term["terms"] if isinstance(term, dict) else [term])
        written += f" {'-' if factor < 0 else '+'} {' * '.join([str(abs(factor)), *factors])}"
    return written


def path_text(term: list[str], *, inside: bool = False) -> str:
    whose, *path = term
    if not path:
        return "it" if whose == "its" else "me"
    return (f"{whose} " if inside else "") + "'s ".join(path)


def several(relation: str) -> str:
    """Its noun in the plural: the last word, or the one before what the relation goes by."""
    for ending in (" whose", " into", " by"):
        noun, found, rest = relation.partition(ending)
        if found:
            return f"{noun}s{found}{rest}"
    return f"{relation}s"


def start_text(start: Json) -> Any:
    match start:
        case {"where": statement}:
            return text(statement)
        case {"classes": classes}:
            return {label: text(each) for label, each in classes.items()}
        case {"path": term}:
            return path_text(term)
    return next(iter(start.values()))


def move_text(move: Json) -> str:
    guard = "" if move["guard"] is None else f" where {text(move['guard'])}"
    if move["relation"] is None:
        return path_text(move["value"]) + guard
    value = "".join(f"'s {word}" for word in move["value"][1:])
    return f"the {move['relation']}{value} ({text(move['mark'], inside=True)}){guard}"


def random_run(seed: int) -> Run | None:
    """A run of a random algorithm; None where numbers would leave their bits."""
    rng = random.Random(seed)
    chosen, graph = Drawing(rng).algorithm, draw_graphs(rng)[0]
    try:
        return run_algorithm(chosen, graph, draw_inputs(chosen, graph, rng), check=False)
    except AlgoLensError:
        return None
