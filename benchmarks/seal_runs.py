"""Writes manifest.json into folders of runs, as they are: for runs whose files were made apart.

``train``, ``certify``, ``explain``, ``evaluate --save`` and ``reproduce`` keep the manifest
themselves. This is for folders whose files are known to belong together, as after a merge::

    python -m benchmarks.seal_runs src/algolens/shipped/* results/runs/*
"""

from __future__ import annotations

import sys
from pathlib import Path

from algolens.disk import write_inside
from algolens.experiment.model import FILES
from algolens.records import MANIFEST, Manifest


def seal(folder: Path) -> None:
    """Writes the manifest of a run."""
    there = {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}
    there.pop(MANIFEST, None)
    write_inside(folder, MANIFEST, Manifest.of(there).to_text())


if __name__ == "__main__":
    for given in sys.argv[1:]:
        seal(Path(given))
