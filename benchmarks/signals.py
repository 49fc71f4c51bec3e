"""Commands that are asked to end in their first moments: with which status, and with which words.

    python -m benchmarks.signals --count 60 --within 0.5

Each time is tried with SIGINT and SIGTERM, as the installed command and as ``python -m algolens``.
Beside the outcomes stands how long Python itself takes to start: no code of ours runs until then.
"""

from __future__ import annotations

import argparse
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

COMMANDS = {
    "--version": ("--version",),
    "execute": ("execute", "bfs", "grid:400", "--source", "0", "--quiet"),
}
SCRIPT = Path(sys.executable).with_name("algolens")
WAYS = {"algolens": (str(SCRIPT),), "python -m algolens": (sys.executable, "-m", "algolens")}


def main() -> int:
    """Prints a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=60, help="moments, for each signal")
    parser.add_argument("--within", type=float, default=0.5, help="seconds")
    given = parser.parse_args()
    starts = {name: _seconds(words) for name, words in _starts().items()}
    print(", ".join(f"{name}: {1000 * seconds:.0f} ms" for name, seconds in starts.items()))
    for way, begin in WAYS.items():
        for name, words in COMMANDS.items():
            for asked in (signal.SIGINT, signal.SIGTERM):
                moments = [given.within * number / given.count for number in range(given.count)]
                seen = [(outcome([*begin, *words], asked, moment), moment) for moment in moments]
                counts = Counter(what for what, _ in seen)
                last = {what: f"{1000 * moment:.0f} ms" for what, moment in seen}
                told = ", ".join(f"{n} {what} (last at {last[what]})" for what, n in counts.items())
                print(f"{way} {name}, {asked.name}: {told}", flush=True)
    return 0


def outcome(words: Sequence[str], asked: signal.Signals, after: float) -> str:
    """How a command ends that is asked to end so many seconds after its beginning."""
    process = subprocess.Popen(
        words,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # a shell may have had it ignored for all that run behind it
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )
    time.sleep(after)
    process.send_signal(asked)
    _, said = process.communicate(timeout=120)
    if process.returncode == 130:
        return "in one line" if said == "Interrupted.\n" else f"130 with {said[-80:]!r}"
    if process.returncode == 0:
        return "had ended"
    return "traceback" if "Traceback" in said else f"status {process.returncode}"


def _starts() -> dict[str, list[str]]:
    """What is there before our first line: Python, and what the script imports that pip made."""
    imports = [line for line in SCRIPT.read_text().splitlines() if line.startswith("import ")]
    return {
        "Python alone": [sys.executable, "-c", "pass"],
        "with the script's imports": [sys.executable, "-c", "\n".join(imports)],
    }


def _seconds(words: Sequence[str]) -> float:
    took = []
    for _ in range(15):
        began = time.perf_counter()
        subprocess.run(words, check=True)
        took.append(time.perf_counter() - began)
    return statistics.median(took)


if __name__ == "__main__":
    sys.exit(main())
