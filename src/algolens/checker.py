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
# of which elements, to which others; POINTER stands for the name of a pointer from nodes to nodes
RELATIONS = {
    "neighbour": ("node", "node"),
    "predecessor": ("node", "node"),
    "successor": ("node", "node"),
    "other node": ("node", "node"),
    "node whose POINTER is me": ("node", "node"),
    "incoming link": ("node", "link"),
    "outgoing link": ("node", "link"),
    "link into my set by POINTER": ("node", "link"),
    "incident edge": ("node", "edge"),
    "end": ("edge", "node"),
    "adjacent edge": ("edge", "edge"),
    "other edge": ("edge", "edge"),
    "direction": ("edge", "link"),
    "rival": ("link", "link"),
    "sibling": ("link", "link"),
    "rival by POINTER": ("link", "link"),
    "other link": ("link", "link"),
    "node": ("graph", "node"),
    "edge": ("graph", "edge"),
    "link": ("graph", "link"),
}
# the kind of network of which something can be proven
EXACT = {"processor": "exact", "bottleneck": True, "given": []}
# relations in which everyone has so many others in view; in all others there is any number
EXACTLY = {"end": 2}
STEPS = {  # from an element to another one
    "sender": {"link": "node"},
    "receiver": {"link": "node"},
    "edge": {"link": "edge"},
    "reverse": {"link": "link"},
    "one_end": {"edge": "node"},
    "other_end": {"edge": "node"},
    "graph": {"node": "graph", "edge": "graph", "link": "graph"},
}
# of lower, equal, higher
OUTCOMES = {"<": {0}, "=": {1}, ">": {2}, "<=": {0, 1}, "!=": {0, 2}, ">=": {1, 2}}
QUANTIFIERS = ("some", "every", "at least")
NUMBER = {"kind": "number", "bits": 31, "signed": False}  # of an element in its graph
MASK = {"kind": "mask", "labels": ["false", "true"]}
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


class DeclaredObservation:
    """A statement about every element: its own features, those of another one in view, and what is
    true.
    """

    def __init__(self, name: str, at: str, formula: Any, kinds: dict[str, Any]) -> None:
        self.name, self.formula, self.kinds = name, formula, kinds
        every = list(atoms_in(formula))
        self.quantifiers = [
            atom for i, atom in enumerate(every) if atom[0] in QUANTIFIERS and atom not in every[:i]
        ]
        inner = [atom for each in self.quantifiers for atom in atoms_in(each[-1])]
        relations = {each[-2] for each in self.quantifiers}
        if len(relations) > 1 or any(atom[0] in QUANTIFIERS for atom in inner):
            raise Refused(f"'{name}' looks at several relations")
        self.places = {"my": at}  # where the element is, and the others that it has in view
        for relation in relations:
            own, self.places["its"] = relations_of(kinds).get(relation, ("", ""))
            if own != at:
                raise Refused(
                    f"'{name}' looks from a {at} at '{relation}', and there is no such relation"
                )
        features = {
            self.key(a)[0]: self.feature(a)
            for a in [a for a in every if a[0] not in QUANTIFIERS] + inner
        }
        self.exactly = EXACTLY.get("".join(relations), 0)
        # as far as each is counted
        self.counts = [each[1] if each[0] == "at least" else 1 for each in self.quantifiers]
        self.most = max(self.counts, default=1)
        self.widths = {bits for _, bits in features.values() if bits}
        self.own = combinations(
            {key: shown for key, (shown, _) in features.items() if '"its"' not in key}
        )
        self.others = combinations(
            {key: shown for key, (shown, _) in features.items() if '"its"' in key}
        )

    def key(self, atom: Any) -> tuple[str, bool]:
        """The feature that an atom goes by; and whether it says it the other way round."""
        turned = atom[0] != "is" and atom[1][0][0] == "my" and atom[2][0][0] == "its"
        return json.dumps(
            atom[1] if atom[0] == "is" else [atom[2], atom[1]] if turned else atom[1:]
        ), turned

    def feature(self, atom: Any) -> tuple[list[list[int]], int]:
        """Each value of a feature as a network sees it, and of how many bits numbers are
        compared.
        """
        if atom[0] == "is":
            return np.eye(len(self.kind(atom[1])["labels"]), dtype=int).tolist(), 0
        kinds = [(self.kind(a), self.kind(b)) for a, b in zip(*atom[1:], strict=True)]
        if kinds[0][0]["kind"] == "element":  # do pointers meet?
            if kinds[0][0] != kinds[0][1] or len(kinds) > 1 or atom[0] not in ("=", "!="):
                raise Refused(f"'{self.name}' compares elements that cannot meet: {atom}")
            return [[1, 0], [0, 1]], 0
        signed = [any(kind["signed"] for kind in pair) for pair in kinds]
        bits = [
            max(k["bits"] + (s and not k["signed"]) for k in pair)
            for pair, s in zip(kinds, signed, strict=True)
        ]
        return [[1, 0], [0, 0], [0, 1]], sum(bits)  # lower, equal, higher

    def kind(self, term: list[str]) -> dict[str, Any]:
        """Of what kind a term's value is; each word of its path must be known where the path has
        led.
        """
        place: Any = self.places.get(term[0], "")
        for i, word in enumerate(term[1:], 2):
            field = {**NUMBER, "at": place} if word == "number" else self.kinds.get(word, {})
            leads = (
                STEPS[word]
                if word in STEPS
                else {field["at"]: field["to"]}
                if field.get("kind") == "pointer"
                else {}
            )
            if not leads and i == len(term) and field.get("at") == place and place:
                return field
            if place not in leads:
                raise Refused(
                    f"'{self.name}' reads '{word}' of a {place or 'element that is not in view'}, "
                    "which has none"
                )
            place = leads[place]
        return {"kind": "element", "at": place}

    def says(self, formula: Any, values: dict[str, int], met: list[bool] | None = None) -> bool:
        """Whether it holds where features have these values, and these quantified statements
        hold.
        """

        def of_atom(atom: Any) -> bool:
            if atom[0] in QUANTIFIERS:
                return (met or [])[self.quantifiers.index(atom)]
            key, turned = self.key(atom)
            if atom[0] == "is":
                return values[key] == self.kind(atom[1])["labels"].index(
                    "true" if atom[2] is None else atom[2]
                )
            is_order = len(self.feature(atom)[0]) == 3
            return (2 - values[key] if turned and is_order else values[key]) in OUTCOMES[atom[0]]

        return formula_holds(formula, of_atom)


def relations_of(kinds: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """Every relation by its words: of which elements, and to which others."""
    pointers = [
        n
        for n, kind in kinds.items()
        if (kind["kind"], kind["at"], kind.get("to")) == ("pointer", "node", "node")
    ]
    by_pointer = {
        words.replace("POINTER", n): RELATIONS[words] for words in RELATIONS for n in pointers
    }
    return {
        words: places
        for words, places in {**RELATIONS, **by_pointer}.items()
        if "POINTER" not in words.split()
    }


def atoms_in(formula: Any) -> Iterator[Any]:
    """The atoms of a formula; those inside a quantifier are not gone into."""
    if isinstance(formula, list) and formula[0] in ("not", "and", "or"):
        for term in formula[1:]:
            yield from atoms_in(term)
    elif not isinstance(formula, bool):
        yield formula


def formula_holds(formula: Any, of_atom: Callable[[Any], bool]) -> bool:
    """The truth of a formula, given that of its atoms."""
    if isinstance(formula, list) and formula[0] in ("not", "and", "or"):
        values = [formula_holds(term, of_atom) for term in formula[1:]]
        return (
            not values[0]
            if formula[0] == "not"
            else all(values)
            if formula[0] == "and"
            else any(values)
        )
    return formula if isinstance(formula, bool) else of_atom(formula)


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


def stage_cases(
    seen: DeclaredObservation, weights: Weights, width: int, bits: int
) -> Iterator[Case]:
    """Every message, and every case of what an element can receive in any graph."""
    part, own_size, other_size = (
        f"perceiver.stages.{seen.name}.",
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
                seen.says(each[-1], own | kind) != (each[0] == "every") for each in seen.quantifiers
            ]
            sends.append([int(v > 0) for v, _ in logits] + [int(each) for each in satisfied])
        for case in received(sends, [seen.most] * bits + seen.counts, seen.exactly):
            met = zip(seen.quantifiers, case[bits:], seen.counts, strict=True)
            truth = seen.says(
                seen.formula,
                own,
                [m == 0 if q[0] == "every" else m >= count for q, m, count in met],
            )
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


def output_cases(name: str, declared: Any, weights: Weights, width: int) -> Iterator[Case]:
    """Every pattern of concepts: the score of the class that the rules say is ahead of all
    others.
    """
    concepts, kind = declared["concepts"], declared["outputs"][name]
    is_mask, labels = kind["kind"] == "mask", kind.get("labels", MASK["labels"])
    layers = TwoLayers(
        weights,
        f"decoders.{name}.",
        "first last",
        len(concepts),
        width,
        1 if is_mask else len(labels),
    )
    kept = weights[f"decoders.{name}.kept"]
    if kept.shape != (len(concepts), 1) or not set(kept.ravel()) <= {0, 2**SCALE}:
        raise Refused("a concept is neither kept (1) nor pruned (0)")
    for pattern in product((0, 1), repeat=len(concepts)):
        values = dict(zip(concepts, map(bool, pattern), strict=True))
        scores = layers(
            [bit * (keep >> SCALE) for bit, keep in zip(pattern, kept.ravel(), strict=True)]
        )
        scores = [(0, 0), *scores] if is_mask else scores  # a mask's is that of true, against 0
        true = [
            i
            for i, label in enumerate(labels)
            if formula_holds(declared["rules"][name][label], values.__getitem__)
        ]
        (value, reach), others = scores[true[0]], scores[: true[0]] + scores[true[0] + 1 :]
        yield len(true) == 1 and all(value - reach > v + r for v, r in others), f"{values}"


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
    look, seeds, made = declared["look"], made["seeds"], made["architecture"]
    kinds = {
        name: {**field, **MASK} if field["kind"] == "mask" else field
        for name, field in look["fields"].items()
    }
    kinds |= {
        name: {"kind": "number", "bits": 62, "signed": True, "at": each["at"]}
        for name, each in look["sums"].items()
    }
    seen = []
    for each in [*look["observed"], *([declared["goes_on"]] if declared["goes_on"] else [])]:
        seen.append(DeclaredObservation(each["name"], each["at"], each["formula"], dict(kinds)))
        kinds[each["name"]] = {**MASK, "at": each["at"]}
    compared = sorted({bits for each in seen for bits in each.widths})
    wanted = (
        sum(8 if each.quantifiers else 4 for each in seen)
        + 5 * len(declared["rules"])
        + 2 * len(compared)
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
                f"{each.name}, seed {seed}",
                stage_cases(each, alone, made["width"], made["message_bits"]),
            )
        for name in declared["rules"]:
            yield f"output {name}, seed {seed}", output_cases(name, declared, alone, made["width"])


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
