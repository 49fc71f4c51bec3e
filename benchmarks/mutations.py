"""Spoilt networks: no verdict "proven" may be contradicted by a run. A wrong one would be a hole in
a proof.

python -m benchmarks.mutations --count 1000

A shipped run's files are changed: a weight zeroed, its sign or a bit of it flipped, two exchanged,
or made large; a buffer or a header forged. The prover and the second checker judge each; whatever
one of them calls proven is run on random graphs, and compared with the algorithm: in free running,
and in arbitrary states. Where they judge differently, that is told as well.
"""

from __future__ import annotations

import json
import shutil
import struct
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
import typer
from rich.console import Console
from rich.table import Table

from algolens import checker
from algolens.algorithms import SHIPPED, Algorithm, shipped_names
from algolens.disk import write_json
from algolens.engines import run_algorithm
from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.experiment.model import load_model
from algolens.graphs import Graph
from algolens.language.fields import Field
from algolens.models import Network, NetworkParts
from algolens.proofs.certificate import declaration_json
from algolens.proofs.network import prove

GRAPHS, MOST_NODES = 8, 10  # in a batch that is run, and of each
SMALL = 1_000  # where a number of the state has many bits: sums are to stay inside theirs
PROVEN, WRONG, REFUSED = "proven", "not proven", "refused"


# ---- ways to spoil a file of weights


@dataclass
class File:
    """A file of weights, taken apart."""

    header: dict[str, Any]
    data: bytearray

    @classmethod
    def read(cls, path: Path) -> File:
        """Of safetensors."""
        raw = path.read_bytes()
        size = int.from_bytes(raw[:8], "little")
        return cls(json.loads(raw[8 : 8 + size]), bytearray(raw[8 + size :]))

    def write(self, path: Path) -> None:
        """As it is now, whether it makes sense or not."""
        header = json.dumps(self.header).encode()
        path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(self.data))

    def tensors(self, *, buffers: bool = False) -> list[str]:
        """The names of weights, or of buffers."""
        return [
            name
            for name in self.header
            if name != "__metadata__" and name.endswith(".kept") == buffers
        ]

    def place(self, name: str, rng: np.random.Generator) -> int:
        """Where one number of a tensor stands."""
        start, stop = self.header[name]["data_offsets"]
        return start + 4 * int(rng.integers((stop - start) // 4))

    def get(self, place: int) -> float:
        """The number that stands there."""
        return struct.unpack_from("<f", self.data, place)[0]

    def put(self, place: int, value: float) -> None:
        """Another number."""
        struct.pack_into("<f", self.data, place, value)


def _weight(file: File, rng: np.random.Generator) -> int:
    names = [
        name
        for name in file.tensors()
        if file.header[name]["data_offsets"][0] < file.header[name]["data_offsets"][1]
    ]
    return file.place(str(rng.choice(names)), rng)


def zeroed(file: File, rng: np.random.Generator) -> None:
    """A weight is 0."""
    file.put(_weight(file, rng), 0.0)


def flipped(file: File, rng: np.random.Generator) -> None:
    """A weight has the other sign."""
    place = _weight(file, rng)
    file.put(place, -file.get(place))


def swapped(file: File, rng: np.random.Generator) -> None:
    """Two weights are exchanged."""
    a, b = _weight(file, rng), _weight(file, rng)
    first, second = file.get(a), file.get(b)
    file.put(a, second)
    file.put(b, first)


def bit_flipped(file: File, rng: np.random.Generator) -> None:
    """One of the 32 bits of a weight is another: it may become huge, tiny, infinite or none."""
    place = _weight(file, rng)
    file.data[place + int(rng.integers(4))] ^= 1 << int(rng.integers(8))


def enlarged(file: File, rng: np.random.Generator) -> None:
    """A whole tensor is multiplied by a power of two: sums may become too large for single
    precision, or too small.
    """
    name = str(rng.choice(file.tensors()))
    start, stop = file.header[name]["data_offsets"]
    values = np.frombuffer(file.data[start:stop], "<f4") * np.float32(2.0) ** int(
        rng.integers(-140, 120)
    )
    file.data[start:stop] = values.astype("<f4").tobytes()


def buffer_forged(file: File, rng: np.random.Generator) -> None:
    """Which concepts are kept is said otherwise; where there is no such buffer, a weight is
    none.
    """
    names = file.tensors(buffers=True)
    place = file.place(str(rng.choice(names)), rng) if names else _weight(file, rng)
    file.put(place, float(rng.choice([0.0, 0.5, 2.0, -1.0, np.nan])) if names else np.nan)


def header_forged(file: File, rng: np.random.Generator) -> None:
    """Names exchanged, or a shape, a type, an offset or a name changed."""
    names = file.tensors() + file.tensors(buffers=True)
    one, other = (str(each) for each in rng.choice(names, 2, replace=False))
    entry = file.header[one]
    match int(rng.integers(6)):
        case 0:  # two tensors of one shape are exchanged: another network, which may be read
            alike = [
                name
                for name in names
                if name != one and file.header[name]["shape"] == entry["shape"]
            ]
            other = str(rng.choice(alike)) if alike else other
            file.header[one], file.header[other] = file.header[other], entry
        case 1:
            entry["shape"] = entry["shape"][::-1]
        case 2:
            entry["dtype"] = "I32"
        case 3:
            entry["data_offsets"] = [each + 4 for each in entry["data_offsets"]]
        case 4:
            file.header[one + "_"] = file.header.pop(one)
        case 5:
            entry["data_offsets"] = file.header[other]["data_offsets"]


WAYS: tuple[Callable[[File, np.random.Generator], None], ...] = (
    zeroed,
    flipped,
    swapped,
    bit_flipped,
    enlarged,
    buffer_forged,
    header_forged,
)


# ---- what is said of it, and what it does


@dataclass(frozen=True)
class Judged:
    """A spoilt run: what was done to it, and what is said of it."""

    name: str
    way: str
    by_prover: str
    by_checker: str
    is_wrong: bool  # a run of it was

    @property
    def is_contradicted(self) -> bool:
        """Whether something called it proven, and a run was wrong."""
        return self.is_wrong and PROVEN in (self.by_prover, self.by_checker)


def judged(
    name: str,
    way: Callable[[File, np.random.Generator], None],
    folder: Path,
    rng: np.random.Generator,
) -> Judged:
    """A shipped run, spoilt in a folder."""
    shutil.copytree(SHIPPED / name, folder, dirs_exist_ok=True)
    write_json(folder / "declaration.json", declaration_json(load_model(name).network))
    file = File.read(folder / "weights.safetensors")
    way(file, rng)
    file.write(folder / "weights.safetensors")
    network, by_prover = _by_prover(folder)
    by_checker = _by_checker(folder)
    # what cannot be read cannot run: to call that proven is wrong in any case
    wrong = network is None or any(is_wrong(network, rng) for _ in range(3))
    return Judged(name, way.__name__, by_prover, by_checker, wrong)


def _by_prover(folder: Path) -> tuple[Network | None, str]:
    try:
        network = load_model(folder).network.only(0).eval()
    except AlgoLensError:
        return None, REFUSED
    return network, WRONG if any(finding.check.failures for finding in prove(network)) else PROVEN


def _by_checker(folder: Path) -> str:
    try:
        found = checker.check_folder(folder)
    except checker.Refused:
        return REFUSED
    return WRONG if any(failures for _, failures, _ in found.values()) else PROVEN


@torch.no_grad()
def is_wrong(network: Network, rng: np.random.Generator) -> bool:
    """Whether a run on random graphs, or a step from an arbitrary state, differs from the
    algorithm's.
    """
    algorithm, declaration = network.algorithm, network.algorithm.declaration
    graph = _graphs(rng, directed=algorithm.graphs == "directed")
    inputs = {name: _drawn(each, graph, rng) for name, each in declaration.inputs.items()}
    truth = run_algorithm(algorithm, graph, inputs, check=False)
    if not free_run(network, truth).equals(truth):
        return True
    return _is_wrong_in_a_state(algorithm, network, graph, inputs, rng)


def _is_wrong_in_a_state(
    algorithm: Algorithm,
    network: Network,
    graph: Graph,
    inputs: dict[str, torch.Tensor],
    rng: np.random.Generator,
) -> bool:
    declaration, parts = algorithm.declaration, NetworkParts(network)
    fields = {name: declaration.predicted[name] for name in declaration.state}
    state = {name: _drawn(each, graph, rng) for name, each in fields.items()}
    truth = algorithm.perceive(graph, inputs, state)
    percept = parts.perceive(graph, inputs, state, None)
    found = {**dict(zip(declaration.concepts, percept.concepts.T, strict=True)), **percept.hints}
    if any(not torch.equal(found[name], value) for name, value in truth.items()):
        return True
    concepts = torch.stack([truth[name] for name in declaration.concepts], 1)
    decided = declaration.rule_set.decide(concepts)
    return any(
        not torch.equal(value, decided[name]) for name, value in parts.decide(concepts).items()
    )


def _drawn(kind: Field, graph: Graph, rng: np.random.Generator) -> torch.Tensor:
    if kind.kind == "number" and kind.bits > 32 and kind.distinct is None:
        drawn = rng.integers(-SMALL if kind.signed else 0, SMALL, graph.count(kind.at))
    else:
        drawn = kind.draw(graph, rng)
    return torch.from_numpy(drawn)


def _graphs(rng: np.random.Generator, *, directed: bool) -> Graph:
    """Graphs of few and of many edges, side by side."""
    found = []
    for _ in range(GRAPHS):
        nodes, share = int(rng.integers(1, MOST_NODES + 1)), rng.random() ** 2
        pairs = [
            (u, v) for v in range(nodes) for u in range(nodes) if (u != v if directed else u < v)
        ]
        found.append(
            Graph.pack([nodes], [pair for pair in pairs if rng.random() < share], directed=directed)
        )
    return Graph.join(found).to("cpu")


def campaign(names: list[str], count: int, seed: int) -> Iterator[Judged]:
    """So many spoilt runs, of every shipped model and in every way in turn."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            yield judged(
                names[number % len(names)],
                WAYS[(number // len(names)) % len(WAYS)],
                Path(folder) / "run",
                rng,
            )


def main(
    count: Annotated[int, typer.Option(help="How many spoilt networks.")] = 1_000,
    seed: Annotated[int, typer.Option()] = 0,
) -> None:
    """Prints a table; exit status 1 where a verdict is contradicted."""
    torch.set_num_threads(1)
    found = []
    console = Console(stderr=True)
    with console.status("") as status:
        for each in campaign(shipped_names(), count, seed):
            found.append(each)
            status.update(f"{len(found)} of {count}")
    table = Table(
        "spoilt",
        "networks",
        "refused",
        "not proven",
        "of them wrong in a run",
        "proven",
        "of them wrong in a run",
    )
    table.add_column("checker differs")
    for way in (*(way.__name__ for way in WAYS), "all"):
        some = [each for each in found if way in (each.way, "all")]
        verdicts = Counter(each.by_prover for each in some)
        differs = sum(each.by_prover != each.by_checker for each in some)
        caught = sum(each.is_wrong and each.by_prover == WRONG for each in some)
        holes = sum(each.is_contradicted for each in some)
        counted = (
            len(some),
            verdicts[REFUSED],
            verdicts[WRONG],
            caught,
            verdicts[PROVEN],
            holes,
            differs,
        )
        table.add_row(way, *map(str, counted))
    Console(width=120).print(table)
    raise typer.Exit(any(each.is_contradicted for each in found))


if __name__ == "__main__":
    typer.run(main)
