"""The wheel holds all that the package needs, and works outside of the repository."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.docs import wheel

PACKAGE = wheel.ROOT / "src" / "algolens"
DATA = {".css", ".csv", ".html", ".js", ".json", ".safetensors", ".txt", ".typed"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The wheel, unpacked into a folder as ``pip install --no-deps --target`` does."""
    pytest.importorskip(
        "setuptools",
        reason="the wheel is built with setuptools, which this environment does not have",
    )
    folder = tmp_path_factory.mktemp("wheel")
    made = wheel.build_wheel(folder)
    with zipfile.ZipFile(made) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_holds_every_module_and_every_file_of_data(installed):
    wanted = {
        path.relative_to(PACKAGE) for path in PACKAGE.rglob("*") if path.suffix in DATA | {".py"}
    }
    held = {
        path.relative_to(installed / "algolens")
        for path in (installed / "algolens").rglob("*")
        if path.is_file()
    }
    assert sorted(map(str, wanted - held)) == []
    assert Path("shipped/bfs/weights.safetensors") in held
    assert Path("player/player.html") in held


def test_the_command_runs_from_it(installed, tmp_path):
    use = (
        "import sys; import algolens; assert algolens.__file__.startswith(sys.path[0]), "
        "algolens.__file__; from algolens.cli import main; sys.argv[0] = 'algolens'; main()"
    )
    start = f"import sys; sys.path.insert(0, {str(installed)!r}); {use}"
    words = ["execute", "bfs", "grid:9", "--by", "network", "--html", "run.html"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, "-c", start, *words],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.html").stat().st_size > 10_000
