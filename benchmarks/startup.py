"""How long the command takes to answer: CPU seconds of a process of its own, the median of five.

python -m benchmarks.startup
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys

TIMES = 5
ASKED = {
    "python alone": ["-c", "pass"],
    "import typer, rich": ["-c", "import typer, rich.console"],
    "import torch": ["-c", "import torch"],
    "--version": ["-m", "algolens", "--version"],
    "--help": ["-m", "algolens", "--help"],
    "train --help": ["-m", "algolens", "train", "--help"],
    "execute --help": ["-m", "algolens", "execute", "--help"],
}


def cpu_seconds(words: list[str]) -> float:
    """Of a Python process with these words, user and system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    for name, words in ASKED.items():
        print(f"{name:20} {statistics.median(cpu_seconds(words) for _ in range(TIMES)):.2f} s")
