"""Inputs at all gates, in several processes that may crash or hang without harm to the rest."""

from __future__ import annotations

import gc
import hashlib
import json
import multiprocessing
import os
import random
import resource
import signal
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from algolens.processes import end_with
from benchmarks.fuzz.gate import MOST_BYTES, Fault, Gate, peak_bytes, tried

TOLD_EVERY = 60.0  # seconds, at least
ROOM = 4 * MOST_BYTES  # that a process may take at most
Counts = Counter[tuple[str, str]]  # gate and outcome


def schedule(gates: Sequence[Gate]) -> list[Gate]:
    """The gates in turn, each as often as its share: the k-th input is for the k-th, and so on."""
    drawn = [gate for gate in gates for _ in range(gate.share)]
    random.Random(0).shuffle(drawn)
    return drawn


def input_of(gate: Gate, seed: int, number: int) -> Any:
    """The input of a number, whatever was tried before it."""
    return gate.draw(random.Random(f"{seed}/{gate.name}/{number}"))


def run(
    gates: Sequence[Gate],
    inputs: int,
    seed: int,
    jobs: int,
    seconds: float,
    told: Callable[[Counts, list[Fault]], None] = lambda *_: None,
) -> tuple[Counts, list[Fault]]:
    """Tries inputs at all gates, until so many are tried or the time is over.

    ``told`` hears of what there is so far: at every fault, and now and then.
    """
    turns, counts, faults = schedule(gates), Counts(), list[Fault]()
    for gate in gates:
        gate.prepare()
    ends, told_at = time.monotonic() + seconds, time.monotonic()
    context = multiprocessing.get_context("fork")  # the gates are ready once, for all
    progress = context.Array("q", 2 * jobs, lock=False)  # each one's input, and since when
    alive: dict[Connection, tuple[int, Any]] = {}

    def begin(job: int, first: int) -> None:
        receiver, sender = context.Pipe(duplex=False)
        progress[2 * job : 2 * job + 2] = [first, time.monotonic_ns()]
        work = context.Process(
            target=_work,
            args=(
                os.getpid(),
                turns,
                range(first, inputs, jobs),
                seed,
                job,
                ends,
                progress,
                sender,
            ),
        )
        work.start()
        sender.close()
        alive[receiver] = job, work

    for job in range(min(jobs, inputs)):
        begin(job, job)
    while alive:
        for receiver in wait(list(alive), timeout=1.0):
            assert isinstance(receiver, Connection)
            job, work = alive[receiver]
            try:
                name, outcome = receiver.recv()
                is_fault = isinstance(outcome, Fault)
                counts[name, outcome.kind if is_fault else outcome] += 1
                faults += [outcome] if is_fault else []
                if is_fault or time.monotonic() - told_at > TOLD_EVERY:
                    told_at = time.monotonic()
                    told(counts, faults)
                continue
            except EOFError:
                del alive[receiver]
                work.join()
            at = progress[2 * job]
            if work.exitcode != 0:  # killed by a signal, or by us
                gate = turns[at % len(turns)]
                kind = "hang" if work.exitcode == -signal.SIGKILL else f"dead {work.exitcode}"
                faults.append(Fault(gate.name, kind, "the process ended", input_of(gate, seed, at)))
                counts[gate.name, kind] += 1
                told(counts, faults)
            if at + jobs < inputs and time.monotonic() < ends:
                begin(job, at + jobs)
        for job, work in list(alive.values()):
            if time.monotonic_ns() - progress[2 * job + 1] > 2e9 * max(
                gate.patience for gate in gates
            ):
                work.kill()
    return counts, faults


def _work(
    parent: int,
    turns: Sequence[Gate],
    numbers: range,
    seed: int,
    job: int,
    ends: float,
    progress: Any,
    sender: Connection,
) -> None:
    end_with(parent)
    warnings.simplefilter("ignore")
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with open("/proc/self/statm") as sizes:
        size = int(sizes.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, most))
    began = peak_bytes()
    with tempfile.TemporaryDirectory() as folder:
        for number in numbers:
            progress[2 * job : 2 * job + 2] = [number, time.monotonic_ns()]
            gate = turns[number % len(turns)]
            sender.send((gate.name, tried(gate, input_of(gate, seed, number), Path(folder))))
            # one that has grown hides how much the next takes: another goes on in its place
            if time.monotonic() > ends or peak_bytes() - began > MOST_BYTES // 2:
                break
    sender.close()
    os._exit(0)  # what the parent had opened is the parent's to close


def keep(faults: Sequence[Fault], folder: Path) -> list[Path]:
    """Writes faults to files that ``kept`` reads, one for each kind of fault and gate's place."""
    folder.mkdir(parents=True, exist_ok=True)
    kept: dict[tuple[str, str, str], Path] = {}
    for fault in sorted(faults, key=lambda one: len(json.dumps(one.given))):
        text = json.dumps(fault.to_json(), indent=1) + "\n"
        lines = [
            line.strip() for line in fault.said.splitlines() if line.strip().startswith("File")
        ]
        key = fault.gate, fault.kind, lines[-1] if lines else ""
        if key not in kept:
            short = hashlib.sha256(text.encode()).hexdigest()[:8]
            kept[key] = folder / f"{fault.gate.replace(' ', '_')}-{short}.json"
            kept[key].write_text(text)
    return list(kept.values())


def kept(folder: Path) -> Iterator[tuple[str, Any]]:
    """The gate and the input of every file that ``keep`` wrote."""
    for path in sorted(folder.glob("*.json")):
        fault = json.loads(path.read_text())
        yield fault["gate"], fault["given"]
