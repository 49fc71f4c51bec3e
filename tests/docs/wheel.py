"""``make test-wheel``: builds the wheel, installs it into an environment of its own, and uses it elsewhere."""

from __future__ import annotations

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
    ["python", "-c", "import algolens.cli, algolens.extraction, algolens.experiment"],
)


def build_wheel(folder: Path) -> Path:
    """The wheel of this repository, built without a download."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*command, str(ROOT)], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def main() -> None:
    """Uses the wheel in an empty environment."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheel = build_wheel(folder)
        venv.create(folder / "venv", with_pip=True)
        programs = folder / "venv" / "bin"
        constraints = ["--constraint", str(ROOT / "constraints.txt")]
        subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", *constraints, str(wheel)], check=True)
        for words in USES:
            subprocess.run([programs / words[0], *words[1:]], check=True, cwd=folder, stdout=subprocess.DEVNULL)
            print("works:", *words)


if __name__ == "__main__":
    main()
