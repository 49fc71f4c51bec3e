"""The gate for recorded runs, from which an algorithm is discovered: JSON."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import algolens as al
from algolens.discovery import RecordedRuns
from benchmarks.fuzz.damage import damaged_bytes, damaged_value
from benchmarks.fuzz.gate import Gate

FIELDS: dict[str, Any] = {
    "name": "spread",
    "inputs": {"source": {"at": "graph", "kind": "pointer", "to": "node", "start_only": True}},
    "state": {"hot": {"at": "node", "kind": "mask"}},
}


class Recorded(Gate):
    """A file of runs is read, or refused."""

    name, share = "recorded runs", 80

    def __init__(self) -> None:
        run = {
            "graph": {
                "nodes": [{"id": "a"}, {"id": "b"}],
                "edges": [{"source": "a", "target": "b"}],
            },
            "inputs": {"source": "a"},
            "start": {"hot": [True, False]},
            "trace": [{"state": {"hot": [True, True]}}],
        }
        traced = json.loads(
            json.dumps(al.execute("bfs", "nx:house", source=0).to_json(trace=True), default=str)
        )
        self.documents: list[Any] = [{**FIELDS, "runs": [run]}, traced, [traced]]

    def draw(self, draw: random.Random) -> Any:
        document = draw.choice(self.documents)
        if draw.random() < 0.2:
            return {
                "runs.json": damaged_bytes(json.dumps(document).encode(), draw).decode("latin-1")
            }
        return {"runs.json": json.dumps(damaged_value(document, draw))}

    def enter(self, given: Any, folder: Path) -> None:
        for name, content in given.items():
            (folder / name).write_bytes(content.encode("latin-1"))
        RecordedRuns.read(folder / "runs.json")
