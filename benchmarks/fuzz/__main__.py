"""Tries odd and damaged input at every gate, and prints what came of it.

    python -m benchmarks.fuzz --inputs 50000 --seed 1 --jobs 2 --keep found
    python -m benchmarks.fuzz --folders 100 --seed 1 --jobs 2 --keep found

Every input is read or refused in one short line, within 2 s of CPU and 2 GiB; anything else is a
fault: it is printed, kept where --keep says, and the status is 1. The same seed gives the same
inputs.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import resource
import sys
import time
import warnings
from collections import Counter
from pathlib import Path

import torch

from benchmarks.fuzz.folders import DamagedFolders
from benchmarks.fuzz.gate import READ, REFUSED, Fault
from benchmarks.fuzz.gates import all_gates
from benchmarks.fuzz.running import Counts, keep, run

OPTIONAL = ("duckdb", "igraph", "pyarrow", "z3")
SHOWN = 20  # faults that are printed whole


def main() -> int:
    """Tries, prints, and says by its status whether there was a fault."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--inputs", type=int, default=20_000, help="how many inputs, over all gates"
    )
    parser.add_argument(
        "--folders", type=int, default=0, help="damaged folders, in place of inputs"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=3600.0, help="after which it ends")
    parser.add_argument("--gate", action="append", help="only this gate; may be repeated")
    parser.add_argument("--keep", type=Path, help="a folder for the inputs that were not taken")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    began = time.monotonic()
    gates, left_out = all_gates()
    gates = [gate for gate in gates if not given.gate or gate.name in given.gate]
    if given.folders:
        gates = [DamagedFolders()]
    inputs = given.folders or given.inputs

    def told(counts: Counts, faults: list[Fault]) -> None:
        passed = time.monotonic() - began
        print(f"{counts.total():,} inputs, {len(faults):,} faults, {passed:,.0f} s", flush=True)
        if given.keep is not None:
            keep(faults, given.keep)

    counts, faults = run(gates, inputs, given.seed, given.jobs, given.seconds, told)
    print(table(counts))
    for name, why in left_out.items():
        print(f"left out: {name} ({why})")
    absent = [name for name in OPTIONAL if importlib.util.find_spec(name) is None]
    if absent:
        print(f"not installed here: {', '.join(absent)}; what needs them was not tried")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{counts.total():,} inputs, seed {given.seed}: {len(faults):,} faults; "
        f"{used.ru_utime + used.ru_stime:,.0f} CPU s, {time.monotonic() - began:,.0f} s; "
        f"largest process {used.ru_maxrss / 2**20:.1f} GiB"
    )
    show(faults)
    if given.keep is not None and faults:
        print(f"{len(keep(faults, given.keep))} kept in {given.keep}")
    return int(bool(faults))


def table(counts: Counts) -> str:
    """What came of all inputs, a line for each gate."""
    lines = ["| gate | inputs | read | refused | faults |", "|---|---|---|---|---|"]
    for name in sorted({name for name, _ in counts}):
        here = Counter({kind: count for (gate, kind), count in counts.items() if gate == name})
        wrong = {kind: here[kind] for kind in here if kind not in (READ, REFUSED)}
        told = ", ".join(f"{count} {kind}" for kind, count in wrong.items()) or "0"
        lines.append(f"| {name} | {here.total():,} | {here[READ]:,} | {here[REFUSED]:,} | {told} |")
    return "\n".join(lines)


def show(faults: list[Fault]) -> None:
    """The first fault of each kind and place."""
    seen: set[tuple[str, str, str]] = set()
    for fault in faults:
        lines = [line.strip() for line in fault.said.splitlines() if "File" in line]
        key = fault.gate, fault.kind, lines[-1] if lines else ""
        if key in seen or len(seen) >= SHOWN:
            continue
        seen.add(key)
        print(
            f"\n{fault.gate}: {fault.kind}\n{fault.said[-1200:]}\ngiven: {str(fault.given)[:600]}"
        )


if __name__ == "__main__":
    sys.exit(main())
