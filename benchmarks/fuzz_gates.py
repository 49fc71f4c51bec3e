"""Damages files of graphs, programs and runs at random, and counts how their readers take it.

Every damaged file is read, or refused in one short line; anything else is printed and counted::

    python -m benchmarks.fuzz_gates --graphs 20000 --programs 2000 --runs 5000 --seed 0
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx

from algolens.algorithms import algorithm
from algolens.errors import MOST_SAID, AlgoLensError
from algolens.experiment.config import Experiment
from algolens.graphs.files import read_graph_file
from algolens.programs import Program
from algolens.reading import MOST_NESTED, read_record
from algolens.records.experiment import ExperimentRecord
from algolens.records.results import CertificatesRecord, ScoresRecord, StudyRecord
from algolens.records.rules import RuleSetsRecord

RUN = Path(__file__).parents[1] / "results" / "runs" / "bfs-exact"
RECORDS: dict[str, Any] = {
    "experiment.json": ExperimentRecord,
    "scores.json": ScoresRecord,
    "study.json": StudyRecord,
    "certificate.json": CertificatesRecord,
    "rule_sets.json": RuleSetsRecord,
}
PIECES = [
    *(b"node_for_adding", b"node_default", b"edge_default", b"self", b"key", b"id", b"nodes"),
    *(b"\\ud800", b"\xff", b"[", b"{", b"null", b"NaN", b"1e999", b"9" * 5000, b'"', b"<", b"-1"),
    *(b"</node>", b"<graph>", b"UTF-16", b"boolean", b"x" * 4000, b"\x00", b"\x1b[31m", b"\n"),
    *(b"weight", b"label", b"utf-8", b"<default></default>", b"[]", b"{}", b"true", b",", b'""'),
    *(b"[" * (MOST_NESTED + 1), b"0.5", b'"not"', b'"and"', b"source", b"string", b"directed"),
]
MOST_SECONDS = 2.0


def main() -> None:
    """Damages and counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("graphs", "programs", "runs"):
        parser.add_argument(f"--{name}", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    draw = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        fuzz("graphs", given.graphs, graphs(), _read_graph, draw, Path(folder))
        fuzz("programs", given.programs, programs(), Program.load, draw, Path(folder))
        fuzz("files of runs", given.runs, runs(), _read_run, draw, Path(folder))


def fuzz(
    what: str,
    count: int,
    whole: dict[str, bytes],
    read: Callable[[Path], object],
    draw: random.Random,
    folder: Path,
) -> None:
    """Reads so many damaged files, and prints what came of it."""
    outcomes, begin = Counter[str](), time.process_time()
    for _ in range(count):
        name = draw.choice(sorted(whole))
        path = folder / name
        path.write_bytes(damaged(whole[name], draw))
        began = time.process_time()
        try:
            read(path)
            outcomes["read"] += 1
        except AlgoLensError as problem:
            said = str(problem)
            outcomes[
                "refused" if said.isprintable() and len(said) <= MOST_SAID else "BAD LINE"
            ] += 1
        except Exception as problem:
            outcomes[f"CRASH {type(problem).__name__}"] += 1
            print(f"{name}: {type(problem).__name__}: {str(problem)[:200]}")
        outcomes["SLOW"] += time.process_time() - began > MOST_SECONDS
    print(f"{what}: {count} {dict(outcomes)}, {time.process_time() - begin:.1f} CPU s")


def damaged(content: bytes, draw: random.Random) -> bytes:
    """One to four pieces put in, or in the place of others."""
    for _ in range(draw.choice([1, 1, 2, 4])):
        old = draw.choice(PIECES)
        at = content.find(old)
        if at < 0 or draw.random() < 0.6:
            at = draw.randrange(len(content) + 1)
            old = content[at : at + draw.choice([0, 0, 1, 3, 8, 20])]
        new = draw.choice(PIECES) if draw.random() < 0.7 else bytes([draw.randrange(256)])
        content = content[:at] + new + content[at + len(old) :]
    return content


def graphs() -> dict[str, bytes]:
    """A small graph in every form that is text."""
    graph = nx.house_graph()
    nx.set_edge_attributes(graph, 1.5, "weight")
    nx.set_node_attributes(graph, "roof", "label")
    return {
        "g.graphml": "\n".join(nx.generate_graphml(graph)).encode(),
        "g.json": json.dumps(nx.node_link_data(graph, edges="edges")).encode(),
        "g.csv": b"source,target,weight\na,b,1\nb,c,2.5\n",
        "g.tsv": b"source\ttarget\na\tb\n",
    }


def programs() -> dict[str, bytes]:
    """Some programs."""
    names = ("bfs", "bellman_ford", "bfs_tree", "matching")
    return {
        f"{name}.json": json.dumps(Program.of(algorithm(name)).to_json()).encode() for name in names
    }


def runs() -> dict[str, bytes]:
    """The files of a run."""
    return {name: (RUN / name).read_bytes() for name in RECORDS}


def _read_graph(path: Path) -> object:
    return read_graph_file(path)


def _read_run(path: Path) -> object:
    record = read_record(path, RECORDS[path.name])
    return Experiment.of(record) if isinstance(record, ExperimentRecord) else record


if __name__ == "__main__":
    main()
