"""A second checker of certificates, apart from the library.

python -m algolens.checker RUN_FOLDER

It reads weights.safetensors, declaration.json and experiment.json of a run, and checks in exact
arithmetic (a float is a whole number times a power of two) that the network does what is declared,
in every state of every graph. Copy this file and run it
alone: it needs Python and NumPy, and imports nothing of AlgoLens. docs/exactness.md states the
theorem and proves it.

Checked of each seed: that numbers are told apart; for each observation every message, and every
case of what an element can receive; every pattern of concepts for each output. A decision must be
further from its threshold than rounding can move it. What is proven is named by two fingerprints,
of the weights and of declaration.json: who changes a file changes one of them. Where
certificate.json is there, both must be those that it names.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

SCALE = 149  # every float32 is a whole number times 2**-149
WHOLE = np.vectorize(lambda number: int(Fraction(number) * 2**SCALE), otypes=[object])
SLOPE = int(Fraction(float(np.float32(0.01))) * 2**29)  # of LeakyReLU, in units of 2**-29
LARGEST = (2**24 - 1) * 2**103  # half of what a float32 can hold
# the kind of network of which something can be proven
EXACT = {"processor": "exact", "bottleneck": True, "given": []}
LEADS = {  # by table and column, the table that it leads to
    ("link", "sender"): "node",
    ("link", "receiver"): "node",
    ("link", "edge"): "edge",
    ("link", "reverse"): "link",
    ("side", "sender"): "node",
    ("side", "receiver"): "node",
    ("edge", "one_end"): "node",
    ("edge", "other_end"): "node",
    **{(table, "graph"): "graph" for table in ("node", "edge", "link", "side")},
}
ME, IT = {"type": "Me"}, {"type": "It"}
ME_IT = [{"Me"}, {"It"}]
ENDS = {  # the one view in which there always are two: the nodes of an edge
    "type": "View",
    "words": "",
    "rows": "node",
    "joins": [
        [{"type": "Get", "column": end, "at": "edge", "of": ME}, IT]
        for end in ("one_end", "other_end")
    ],
    "it": IT,
    "apart": False,
}
# of lower, equal, higher
OUTCOMES = {"<": {0}, "=": {1}, ">": {2}, "<=": {0, 1}, "!=": {0, 2}, ">=": {1, 2}}
QUANTITIES = ("some", "every", "at least")
MASK, INDEX = {"kind": "mask"}, {"kind": "number", "bits": 31, "signed": False}
RESULT = {"kind": "number", "bits": 62, "signed": True}  # of arithmetic; constants too
GOES_ON = {"goes on": "goes_on"}  # the let of a program, and the stage that finds it
Columns = dict[tuple[str, str], dict[str, Any]]  # by table and name
MOST_CASES = 300_000  # of what an element of a class can receive
Weights = dict[str, np.ndarray]  # of one seed, in whole numbers of 2**-149
Case = tuple[bool, str]  # whether it is right, and what it is about


class Refused(Exception):
    """No run that can be checked."""


def read_weights(path: Path) -> Weights:
    """The tensors of a safetensors file: each in its place, single precision, finite, and nothing
    between them.
    """
    data = path.read_bytes()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:begin])
    header.pop("__metadata__", None)
    end, found = 0, {}
    for name, entry in sorted(header.items(), key=lambda item: (item[1]["data_offsets"], item[0])):
        start, stop = entry["data_offsets"]
        values = np.frombuffer(data[begin + start : begin + stop], "<f4").reshape(entry["shape"])
        if (
            entry["dtype"] != "F32"
            or start != end
            or stop - start != values.nbytes
            or not np.isfinite(values).all()
        ):
            raise Refused(f"{path.name}: '{name}' is not where, or what, it should be")
        found[name], end = values, stop
    if len(data) != begin + end:
        raise Refused(f"{path.name} is longer than its header says")
    return found


def weights_fingerprint(weights: Weights) -> str:
    """SHA-256 of one seed's weights by content, as certificate.json names them under
    about.weights.
    """
    parts = (
        f"{name} torch.float32 {value.shape}\n".encode() + value.tobytes()
        for name, value in sorted(weights.items())
    )
    return hashlib.sha256(b"".join(parts)).hexdigest()


def hash_of_declaration(declared: Any) -> str:
    """SHA-256 of declaration.json without blanks, keys in their order, as certificate.json has it
    under about.declaration.
    """
    return hashlib.sha256(json.dumps(declared, separators=(",", ":")).encode()).hexdigest()


class Statement:
    """What is said of every element of a table: its own features, those of another one in view,
    and what is true.
    """

    def __init__(self, let: Any, columns: Columns) -> None:
        self.name, self.value, self.columns = let["name"], let["value"], columns
        self.places = {"Me": let["at"]}  # the tables of the element, and of those in view
        every = list(atoms_in(self.value))
        asked = [atom for atom in every if atom["type"] == "Quantified"]
        self.quantifiers = [atom for i, atom in enumerate(asked) if atom not in asked[:i]]
        if any(each["view"] != asked[0]["view"] for each in asked):
            raise Refused(f"'{self.name}' looks at several relations")
        if not all(each["quantity"] in QUANTITIES and each["count"] > 0 for each in asked):
            raise Refused(f"'{self.name}' counts otherwise than by {', '.join(QUANTITIES)}")
        # of each atom the feature that it goes by, and for which values of it the atom holds
        self.atoms: dict[int, tuple[str, set[int]]] = {}
        # of each feature whether it speaks of one in view, and its values as a network sees them
        self.features: dict[str, tuple[bool, list[list[int]]]] = {}
        self.widths: set[int] = set()  # bits of the numbers that are compared
        for atom in every:
            if atom["type"] != "Quantified":
                self.read(atom)
        self.exactly = self.look(asked[0]["view"]) if asked else 0
        for each in asked:
            for atom in atoms_in(each["body"]):
                self.read(atom)
        # as far as each is counted
        self.counts = [q["count"] if q["quantity"] == "at least" else 1 for q in self.quantifiers]
        self.most = max(self.counts, default=1)
        self.own, self.others = (
            combinations({k: v for k, (is_its, v) in self.features.items() if is_its is wanted})
            for wanted in (False, True)
        )

    def look(self, view: Any) -> int:
        """Notes the table of those in view; gives how many there always are, 0 for any number."""
        self.places["It"] = view["rows"]
        for sides in view["joins"]:
            mine, its = map(self.kind, sides)
            if mine["kind"] != "element" or mine != its or [*map(speaks_of, sides)] != ME_IT:
                raise Refused(f"'{self.name}' looks at what cannot meet: {sides}")
        seen = self.kind(view["it"])
        if seen["kind"] != "element" or speaks_of(view["it"]) != {"It"}:
            raise Refused(f"'{self.name}' looks at no element: {view['it']}")
        self.places["It"] = seen["at"]
        return 2 if {**view, "words": ""} == ENDS else 0

    def read(self, atom: Any) -> None:
        """Notes an atom, and its feature."""
        match atom:
            case {"type": "Get"} if self.kind(atom)["kind"] == "mask":
                return self.note(atom, atom, [[1, 0], [0, 1]], {1})
            case {"type": "Compare", "left": left, "op": op, "right": right}:
                kinds = [(self.kind(a), self.kind(b)) for a, b in zip(left, right, strict=True)]
                sides = [set().union(*map(speaks_of, side)) for side in (left, right)]
                if max(map(len, sides)) > 1:
                    raise Refused(f"'{self.name}': a side speaks of two elements: {atom}")
                (first, second), names = kinds[0], {k["kind"] for pair in kinds for k in pair}
                # the one in view comes first, so that both ways to write it are one feature
                key = [right, left] if sides == ME_IT else [left, right]
                if names == {"number"}:
                    outcomes = (
                        {2 - each for each in OUTCOMES[op]} if sides == ME_IT else OUTCOMES[op]
                    )
                    self.note(atom, key, [[1, 0], [0, 0], [0, 1]], outcomes)
                    return self.widths.add(sum(bits_of(*pair) for pair in kinds))
                can_meet = len(kinds) == 1 and names == {"element"} and first == second
                if can_meet and op in ("=", "!="):
                    return self.note(atom, key, [[1, 0], [0, 1]], {int(op == "=")})
                if len(kinds) == 1 and names == {"category", "number"} and op == "=":
                    size, label = len(first["labels"]), right[0].get("value")
                    if type(label) is int and 0 <= label < size:
                        return self.note(atom, left, np.eye(size, dtype=int).tolist(), {label})
        raise Refused(f"'{self.name}' says what is neither true nor false: {atom}")

    def note(self, atom: Any, key: Any, shown: list[list[int]], values: set[int]) -> None:
        """Of an atom its feature, how its values are seen, and for which of them it holds."""
        self.atoms[id(atom)] = json.dumps(key), values
        self.features[json.dumps(key)] = "It" in speaks_of(atom), shown

    def kind(self, node: Any) -> dict[str, Any]:
        """Of what kind a value is."""
        return kind_of(node, self.places, self.columns)

    def says(self, node: Any, values: dict[str, int], met: list[bool] | None = None) -> bool:
        """Whether it holds where features have these values, and these quantifiers hold."""

        def of_atom(atom: Any) -> bool:
            if atom["type"] == "Quantified":
                return (met or [])[self.quantifiers.index(atom)]
            key, holding = self.atoms[id(atom)]
            return values[key] in holding

        return holds(node, of_atom)


def kind_of(node: Any, places: dict[str, str], columns: Columns) -> dict[str, Any]:
    """Of what kind a value is; each column must be one of the table where its path has led."""
    match node:
        case {"type": "Me" | "It" as whose} if whose in places:
            return {"kind": "element", "at": places[whose]}
        case {"type": "Const", "value": value}:
            return MASK if isinstance(value, bool) else RESULT
        case {"type": "Arith", "a": a, "b": b}:
            if all(kind_of(each, places, columns)["kind"] == "number" for each in (a, b)):
                return RESULT
        case {"type": "Get", "column": column, "at": at, "of": of}:
            if kind_of(of, places, columns) != {"kind": "element", "at": at}:
                raise Refused(f"'{column}' of a {at} is read of another element: {of}")
            if (at, column) in LEADS:
                return {"kind": "element", "at": LEADS[at, column]}
            if column == "number" and at in ("node", "edge", "link"):
                return INDEX
            if (at, column) in columns:
                found = columns[at, column]
                is_pointer = found["kind"] == "pointer"
                return {"kind": "element", "at": found["to"]} if is_pointer else found
            raise Refused(f"'{column}' is read of a {at}, which has none")
        case {"type": "Case", "cases": cases, "otherwise": otherwise}:
            return kind_of(cases[0][1] if cases else otherwise, places, columns)
        case {"type": "Not" | "And" | "Or" | "Compare" | "Quantified"}:
            return MASK
    raise Refused(f"no value is known of this: {node}")


def bits_of(a: dict[str, Any], b: dict[str, Any]) -> int:
    """Bits in which two numbers are compared: an unsigned one needs another beside a signed one."""
    signed = a["signed"] or b["signed"]
    return max(each["bits"] + (signed and not each["signed"]) for each in (a, b))


def speaks_of(node: Any) -> set[str]:
    """Of whom a value speaks."""
    if isinstance(node, dict):
        if node["type"] in ("Me", "It"):
            return {node["type"]}
        node = list(node.values())
    return set().union(*map(speaks_of, node)) if isinstance(node, list) else set()


def atoms_in(node: Any) -> Iterator[Any]:
    """What "and", "or" and "not" join; a quantifier is one."""
    if node["type"] in ("Not", "And", "Or"):
        for term in node["terms"] if "terms" in node else [node["term"]]:
            yield from atoms_in(term)
    elif node["type"] != "Const":
        yield node


def holds(node: Any, of_atom: Callable[[Any], bool]) -> bool:
    """The truth of a statement, given that of its atoms."""
    match node:
        case {"type": "Const", "value": bool() as value}:
            return value
        case {"type": "Not", "term": term}:
            return not holds(term, of_atom)
        case {"type": "And", "terms": terms}:
            return all(holds(term, of_atom) for term in terms)
        case {"type": "Or", "terms": terms}:
            return any(holds(term, of_atom) for term in terms)
    return of_atom(node)


def combinations(features: dict[str, list[list[int]]]) -> list[tuple[dict[str, int], list[int]]]:
    """Every combination of values, by feature, and as a network sees it."""
    every = [
        dict(zip(features, values, strict=True))
        for values in product(*(range(len(f)) for f in features.values()))
    ]
    return [
        (values, [bit for key, value in values.items() for bit in features[key][value]])
        for values in every
    ]


class TwoLayers:
    """Two affine layers with LeakyReLU between them, in whole numbers: what they give, and how far
    rounding can move it.

    With u = 2**-24, a sum of n products in any order errs by at most (n + 1) u times the sum of
    their sizes, to first order; both layers and the slope together by less than 4 (n + 3) u, n
    being the longer one's. Where numbers below 2**-126 are taken for 0, a sum, a product or a
    weight loses at most that. Sizes must not exceed half of what it holds.
    """

    def __init__(
        self, weights: Weights, part: str, layers: str, inputs: int, width: int, outputs: int
    ) -> None:
        found = [
            weights[f"{part}{layer}.{each}"]
            for layer in layers.split()
            for each in ("weight", "bias")
        ]
        if [each.shape for each in found] != [
            (inputs, width),
            (1, width),
            (width, outputs),
            (1, outputs),
        ]:
            raise Refused(f"'{part}' has other shapes than the network that is declared")
        self.w1, self.b1, self.w2, self.b2 = found

    def __call__(self, features: list[int]) -> list[tuple[int, int]]:
        """Of each output its value and its reach, in one unit."""
        x = np.array(features, object)
        hidden = (x @ self.w1 if len(x) else 0) + self.b1[0]
        values = np.where(hidden > 0, hidden * 2**29, hidden * SLOPE) @ self.w2 + self.b2[
            0
        ] * 2 ** (29 + SCALE)
        first = (x @ abs(self.w1) if len(x) else 0) + abs(self.b1[0])
        sizes = first @ abs(self.w2) + abs(self.b2[0]) * 2**SCALE
        terms = max(len(self.w1), len(self.w2)) + 3
        lost = (
            2 * terms * (2 ** (SCALE + 1) + abs(self.w2).sum(0) + first.sum()) * 2 ** (SCALE - 126)
        )
        reach = (2 * terms * sizes // 2**23 + 1 + lost) * 2**29
        held = max(first) <= LARGEST * 2**SCALE and max(sizes) <= LARGEST * 2 ** (2 * SCALE)
        return [
            (int(v), int(r) if held else int(abs(v)) + 1)
            for v, r in zip(values, reach, strict=True)
        ]


def order_cases(change: np.ndarray, offset: int) -> Iterator[Case]:
    """At the first place where numbers differ, its weight exceeds all lower places' together, the
    threshold, and rounding.

    Weights are sinh of sums of changes: between bounds for sums in any order, and a sinh right to
    four units in the last place.
    """
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 250, 10**9, -(10**9)
        unit = Decimal(2) ** -53
        changes, b = [10 * each / Decimal(2**SCALE) for each in change], offset / Decimal(2**SCALE)
        off = len(changes) * unit * sum(map(abs, changes), Decimal(1))  # of a sum, at the most
        sums = [sum(changes[place:], Decimal(0)) for place in range(len(changes))]
        if any(abs(each) > 710 for each in sums):
            return (yield False, "a place's weight is too large for double precision")
        bounds = [[((t + e).exp() - (-t - e).exp()) / 2 for e in (-off, off)] for t in sums]
        sizes = [max(map(abs, each)) * (1 + 4 * unit) for each in bounds]
        threshold = (b if b > 100 else (1 + b.exp()).ln()) * (1 + 8 * unit)
        for place, (low, _) in enumerate(bounds):
            lower = sum(sizes[place + 1 :], Decimal(0))
            rounding = 8 * (len(changes) + 4) * unit * (sizes[place] + lower + threshold)
            yield (
                low - lower - threshold > rounding,
                f"numbers that first differ at place {place} from the highest",
            )


def stage_cases(seen: Statement, weights: Weights, width: int, bits: int) -> Iterator[Case]:
    """Every message, and every case of what an element can receive in any graph."""
    part, own_size, other_size = (
        f"perceiver.stages.{GOES_ON.get(seen.name, seen.name)}.",
        len(seen.own[0][1]),
        len(seen.others[0][1]),
    )
    bits *= 0 if not seen.quantifiers else 2 if seen.most > 1 else 1
    head = TwoLayers(weights, part, "head_first head_last", own_size + bits * seen.most, width, 1)
    if seen.quantifiers:
        message = TwoLayers(
            weights, part, "message_first message_last", own_size + other_size, width, bits
        )
    for own, own_seen in seen.own:
        # of each kind its bits, and which statements it satisfies (contradicts, of everyone)
        sends: list[list[int]] = []
        for kind, kind_seen in seen.others if seen.quantifiers else ():
            logits = message(own_seen + kind_seen)
            yield all(abs(v) > r for v, r in logits), f"a message is not sure: {own}, {kind}"
            satisfied = [
                seen.says(each["body"], own | kind) != (each["quantity"] == "every")
                for each in seen.quantifiers
            ]
            sends.append([int(v > 0) for v, _ in logits] + [int(each) for each in satisfied])
        for case in received(sends, [seen.most] * bits + seen.counts, seen.exactly):
            met = zip(seen.quantifiers, case[bits:], seen.counts, strict=True)
            said = [m == 0 if q["quantity"] == "every" else m >= count for q, m, count in met]
            truth = seen.says(seen.value, own, said)
            ((value, reach),) = head(
                own_seen + [int(n > step) for n in case[:bits] for step in range(seen.most)]
            )
            yield (
                abs(value) > reach and (value > 0) == truth,
                f"it is {truth}: {own}, received {case}",
            )


def received(sends: list[list[int]], most: list[int], exactly: int) -> set[tuple[int, ...]]:
    """All that can be received: sums of what kinds send, each as far as it is counted."""

    def after(some: set[tuple[int, ...]]) -> set[tuple[int, ...]]:
        return {
            tuple(map(min, map(sum, zip(case, sent, strict=True)), most))
            for case in some
            for sent in sends
        }

    new = found = {(0,) * len(most)}
    for _ in range(exactly):
        found = after(found)
    while new and not exactly:
        new = after(new) - found
        found = found | new
        if len(found) > MOST_CASES:
            raise Refused(f"there are more than {MOST_CASES:,} cases")
    return found


def output_cases(name: str, program: Any, weights: Weights, width: int) -> Iterator[Case]:
    """Every pattern of concepts: the score of the class that the rules say is ahead of all
    others.
    """
    concepts, labels = program["concepts"], program["outputs"][name]["labels"]
    at = program["outputs"][name]["at"]
    (value,) = [let["value"] for let in program["becomes"] if let["name"] == name]
    is_mask = not labels
    outputs = 1 if is_mask else len(labels)
    layers = TwoLayers(weights, f"decoders.{name}.", "first last", len(concepts), width, outputs)
    kept = weights[f"decoders.{name}.kept"]
    if kept.shape != (len(concepts), 1) or not set(kept.ravel()) <= {0, 2**SCALE}:
        raise Refused("a concept is neither kept (1) nor pruned (0)")
    for pattern in product((0, 1), repeat=len(concepts)):
        values = dict(zip(concepts, map(bool, pattern), strict=True))

        def of_atom(atom: Any, values: dict[str, bool] = values) -> bool:
            if atom != {"type": "Get", "column": atom.get("column"), "at": at, "of": ME}:
                raise Refused(f"'{name}' is decided by what is no concept: {atom}")
            return values[atom["column"]]

        scores = layers(
            [bit * (keep >> SCALE) for bit, keep in zip(pattern, kept.ravel(), strict=True)]
        )
        if is_mask:  # its score is that of true, against 0
            scores, true = [(0, 0), *scores], int(holds(value, of_atom))
        else:
            true = class_of(value, of_atom)
        (score, reach), others = scores[true], scores[:true] + scores[true + 1 :]
        yield all(score - reach > v + r for v, r in others), f"{values}"


def class_of(value: Any, of_atom: Callable[[Any], bool]) -> int:
    """The class by the first rule that holds."""
    if value["type"] == "Case":
        chosen = (each for rule, each in value["cases"] if holds(rule, of_atom))
        value = next(chosen, value["otherwise"])
    if value["type"] != "Const" or type(value["value"]) is not int or value["value"] < 0:
        raise Refused(f"a rule gives no class: {value}")
    return value["value"]


def check_folder(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Of each part of a run's networks: how many cases there are, how many are wrong, and the first
    of these.
    """
    weights, declared, made = read(folder)
    try:
        found = {
            name: [what * (not right) for right, what in cases]
            for name, cases in parts(weights, declared, made)
        }
    except (ValueError, TypeError, KeyError, AttributeError, IndexError) as problem:
        raise Refused(f"{folder} cannot be read ({problem!r})") from problem
    if not found or not all(found.values()):
        raise Refused(
            f"{next((name for name, each in found.items() if not each), 'the run')} has no case: "
            "nothing is proven"
        )
    return {
        name: (len(each), sum(map(bool, each)), next(filter(None, each), ""))
        for name, each in found.items()
    }


def read(folder: Path) -> tuple[Weights, Any, Any]:
    """The weights of all seeds, and what declaration.json and experiment.json hold."""
    try:
        weights = read_weights(folder / "weights.safetensors")
        declared, made = (
            json.loads((folder / f"{name}.json").read_bytes())
            for name in ("declaration", "experiment")
        )
        if not made["seeds"] or len(set(made["seeds"])) < len(made["seeds"]):
            raise Refused(f"experiment.json names no seeds, or one twice: {made['seeds']}")
        kind = {name: made["architecture"][name] for name in EXACT}
        if kind != EXACT:
            raise Refused(f"experiment.json is of a network of another kind: {kind}")
        options = {
            name: value
            for name, value in made["options"].items()
            if declared["options"].get(name) != value
        }
        if options:
            raise Refused(f"experiment.json and declaration.json are of other options: {options}")
    except (OSError, ValueError, TypeError, KeyError, AttributeError, IndexError) as problem:
        raise Refused(f"{folder} cannot be read ({problem!r})") from problem
    return weights, declared, made


def fingerprints(folder: Path) -> dict[int, dict[str, str]]:
    """By seed, what a proof is about: weights and declaration. Where certificate.json is there, it
    must be about the same.
    """
    weights, declared, made = read(folder)
    of_declaration = hash_of_declaration(declared)
    found = {}
    for place, seed in enumerate(made["seeds"]):
        alone = weights_fingerprint(
            {name: value[place : place + 1] for name, value in weights.items()}
        )
        found[seed] = {"weights": alone, "declaration": of_declaration}
    path = folder / "certificate.json"
    if path.exists():
        try:
            written = json.loads(path.read_bytes())
            about = {entry["seed"]: entry["about"] for entry in written.get("seeds", [written])}
            for seed, now in found.items():
                for part, value in now.items():
                    if about[seed].get(part) != value:
                        raise Refused(
                            f"certificate.json is about another {part} of seed {seed}: "
                            f"{about[seed].get(part)}"
                        )
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as problem:
            raise Refused(f"{path} cannot be read ({problem!r})") from problem
    return found


def parts(weights: Weights, declared: Any, made: Any) -> Iterator[tuple[str, Iterator[Case]]]:
    """Every part of the networks, and the cases of its proof."""
    program, seeds, made = declared["program"], made["seeds"], made["architecture"]
    columns = {
        (field["at"], name): field for name, field in (program["inputs"] | program["state"]).items()
    }
    seen = []
    for let in program["lets"]:
        found = kind_of(let["value"], {"Me": let["at"]}, columns)
        if found["kind"] == "mask":
            seen.append(Statement(let, dict(columns)))
        columns[let["at"], let["name"]] = RESULT if found["kind"] == "number" else found
    decided = [
        n for n, field in program["outputs"].items() if field["kind"] in ("mask", "category")
    ]
    compared = sorted({bits for each in seen for bits in each.widths})
    wanted = (
        sum(8 if each.quantifiers else 4 for each in seen) + 5 * len(decided) + 2 * len(compared)
    )
    shapes = {
        f"perceiver.comparisons.{bits}.{part}": n
        for bits in compared
        for part, n in (("change", bits), ("offset", 1))
    }
    fits = all(weights[name].shape == (len(seeds), size) for name, size in shapes.items())
    if (
        not fits
        or len(weights) != wanted
        or any(len(value) != len(seeds) for value in weights.values())
    ):
        raise Refused("there are other weights than those of the network that is declared")
    for place, seed in enumerate(seeds):
        alone = {name: WHOLE(value[place].astype(float)) for name, value in weights.items()}
        for bits in compared:
            change, offset = (
                alone[f"perceiver.comparisons.{bits}.{part}"] for part in ("change", "offset")
            )
            yield f"order of numbers of {bits} bits, seed {seed}", order_cases(change, *offset)
        for each in seen:
            yield (
                f"{GOES_ON.get(each.name, each.name)}, seed {seed}",
                stage_cases(each, alone, made["width"], made["message_bits"]),
            )
        for name in decided:
            yield f"output {name}, seed {seed}", output_cases(name, program, alone, made["width"])


if __name__ == "__main__":
    try:
        found, about = check_folder(Path(sys.argv[-1])), fingerprints(Path(sys.argv[-1]))
    except Refused as problem:
        sys.exit(f"refused: {problem}. Usage: python -m algolens.checker RUN_FOLDER")
    for name, (number, failures, first) in found.items():
        print(
            f"{'wrong' if failures else 'right'}  {name}: {number} "
            f"cases{f', {failures} wrong: {first}' * bool(failures)}"
        )
    verdict = "not proven" if any(failures for _, failures, _ in found.values()) else "proven"
    for seed, now in about.items():
        print(f"{verdict}: seed {seed}, weights {now['weights']}, declaration {now['declaration']}")
    sys.exit(verdict != "proven")
