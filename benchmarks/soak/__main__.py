"""Commands that are killed, run out of disk, or write at the same time; and what is left of it.

    python -m benchmarks.soak --kills 200 --chosen 50 --full 48 --pairs 32 --seed 1

After each, the same command is given again. Then all files must be there that a command leaves
which nobody disturbed, those that it writes the same each time must be the same, and nothing else
may lie beside them. Every command has its share of --seconds. What is left wrong is printed at
once, what was tried at the end, and the status is 1 where anything was left wrong.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import resource
import sys
import time

from benchmarks.soak.disturbing import COMMANDS, Tally, soak


def main() -> int:
    """Disturbs, prints, and says by its status whether anything was left wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, count, told in (
        ("kills", 200, "kills at random moments"),
        ("chosen", 50, "kills at chosen accesses to the disk"),
        ("full", 48, "commands whose disk is full, by a limit on the size of files"),
        ("pairs", 32, "commands given twice at once"),
    ):
        parser.add_argument(f"--{name}", type=int, default=count, help=told)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2, help="commands at a time")
    parser.add_argument("--seconds", type=float, default=3600.0, help="after which it ends")
    parser.add_argument("--command", action="append", choices=[*COMMANDS], help="only this one")
    given = parser.parse_args()
    began = time.monotonic()
    counts = {"kill": given.kills, "chosen kill": given.chosen, "full": given.full}
    counts["pair"] = given.pairs
    chosen = given.command or available()
    shares = [
        ({kind: len(range(place, count, len(chosen))) for kind, count in counts.items()}, name)
        for place, name in enumerate(chosen)
    ]
    tally = Tally()
    work = [
        (share, given.seed, began + given.seconds, -(-(len(shares) - place) // given.jobs), name)
        for place, (share, name) in enumerate(shares)
    ]
    with multiprocessing.get_context("fork").Pool(given.jobs) as pool:
        for one in pool.imap_unordered(_soaked, work):
            tally.tried += one.tried
            tally.hit += one.hit
            tally.faults += one.faults
        pool.close()
        pool.join()
    print(table(tally))
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{tally.tried.total()} disturbed, seed {given.seed}: {len(tally.faults)} faults; "
        f"{used.ru_utime + used.ru_stime:.0f} CPU s, {time.monotonic() - began:.0f} s"
    )
    return int(bool(tally.faults))


def _soaked(work: tuple[dict[str, int], int, float, int, str]) -> Tally:
    """One command, in its share of the time that is left; it is told when it has ended."""
    counts, seed, ends, commands_left, name = work
    began = time.monotonic()
    seconds = (ends - began) / commands_left
    tally = soak(counts, seed, seconds, [name], told=lambda fault: print(fault, flush=True))
    print(
        f"{name}: {tally.tried.total()} of {sum(counts.values())} disturbances, "
        f"{len(tally.faults)} faults, {time.monotonic() - began:.0f} s",
        flush=True,
    )
    return tally


def available() -> list[str]:
    """The commands whose packages are here; of others, it is told."""
    left_out = [] if importlib.util.find_spec("duckdb") else ["execute --engine"]
    for name in left_out:
        print(f"left out: {name} (DuckDB is not installed)")
    return [name for name in COMMANDS if name not in left_out]


def table(tally: Tally) -> str:
    """A line for each command: how often each disturbance was tried, and how often it struck."""
    kinds = list(dict.fromkeys(kind for _, kind in tally.tried))
    lines = [f"| command | {' | '.join(kinds)} |", f"|---{'|---' * len(kinds)}|"]
    for name in dict.fromkeys(name for name, _ in tally.tried):
        cells = [f"{tally.hit[name, kind]} of {tally.tried[name, kind]}" for kind in kinds]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
