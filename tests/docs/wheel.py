"""``make test-wheel``: builds the wheel, installs it into an environment of its own, and uses it
elsewhere.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
USES = (
    ["algolens", "--version"],
    ["algolens", "execute", "dijkstra", "grid:9", "--by", "network", "--html", "run.html"],
    ["algolens", "explain", "coloring"],
    ["algolens", "new", "spread"],
    ["algolens", "check", "spread.py"],
    ["python", "-c", "from algolens.engines import delta; assert delta.library()"],
    ["python", "-c", "import algolens as al; assert al.load('coloring').execute('grid:9').agrees"],
)


def build_wheel(folder: Path) -> Path:
    """The wheel of this repository, built in a copy of it and without a download."""
    sources = folder / "sources"
    shutil.copytree(
        ROOT / "src" / "algolens",
        sources / "src" / "algolens",
        ignore=shutil.ignore_patterns("__pycache__", "_delta.*"),
    )
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    build = "from setuptools import build_meta; import sys; build_meta.build_wheel(sys.argv[1])"
    subprocess.run(
        [sys.executable, "-c", build, str(folder)], cwd=sources, check=True, capture_output=True
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def main() -> None:
    """Uses the wheel in an empty environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        elsewhere = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        # it may lead to the sources
        install = [
            "-m",
            "pip",
            "install",
            "--quiet",
            "--constraint",
            str(ROOT / "constraints.txt"),
            f"{wheel}[files,pictures]",
        ]
        subprocess.run([programs / "python", *install], check=True, cwd=folder, env=elsewhere)
        for words in USES:
            program = [str(programs / words[0]), *words[1:]]
            subprocess.run(
                program, check=True, cwd=folder, env=elsewhere, stdout=subprocess.DEVNULL
            )
            print("works:", *words)


if __name__ == "__main__":
    main()
