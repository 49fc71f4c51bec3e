"""A gate, and what came of an input there."""

from __future__ import annotations

import random
import resource
import signal
import time
import traceback
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from algolens.errors import MOST_SAID, AlgoLensError

MOST_SECONDS = 2.0  # of CPU for one input
MOST_BYTES = 2 * 2**30  # that one input makes the process larger by
PATIENCE = 30  # seconds after which an input is given up
READ, REFUSED = "read", "refused"


class Wrong(Exception):
    """What came of an input is not what it means."""


class TooLong(BaseException):
    """An input is given up."""


class Gate(ABC):
    """Where something comes in: how inputs are drawn, and what is asked of each.

    An input is a value of JSON, so that it can be kept in a file and tried again.
    """

    name: str
    share: int  # of all inputs, in proportion to the other gates
    seconds = MOST_SECONDS  # of CPU that an input may take
    patience = PATIENCE

    def missing(self) -> str | None:
        """Why the gate cannot be tried here, in words."""
        return None

    def prepare(self) -> None:  # noqa: B027
        """Loads what takes long the first time, before processes are begun for the inputs."""

    @abstractmethod
    def draw(self, draw: random.Random) -> Any:
        """An input."""

    @abstractmethod
    def enter(self, given: Any, folder: Path) -> None:
        """Takes an input in.

        A refusal is an AlgoLensError, a silent mistake a Wrong; all else that is raised is a fault.
        """


@dataclass(frozen=True)
class Fault:
    """An input that was not taken as it should be."""

    gate: str
    kind: str
    said: str
    given: Any

    def to_json(self) -> dict[str, Any]:
        """Itself, to be kept in a file."""
        return asdict(self)


def tried(gate: Gate, given: Any, folder: Path) -> str | Fault:
    """Whether an input was read or refused; or what is wrong with the way it was taken."""
    began, before = time.process_time(), peak_bytes()
    signal.signal(signal.SIGALRM, _give_up)
    signal.alarm(gate.patience)
    try:
        gate.enter(given, folder)
        outcome = READ
    except AlgoLensError as problem:
        said = str(problem)
        if not said.isprintable() or len(said) > MOST_SAID or not said.strip():
            return Fault(gate.name, "bad line", said[:3000], given)
        outcome = REFUSED
    except Wrong as problem:
        return Fault(gate.name, "wrong", str(problem)[:3000], given)
    except TooLong:
        return Fault(gate.name, "hang", _where(), given)
    except Exception as problem:
        return Fault(gate.name, f"crash {type(problem).__name__}", _where(), given)
    finally:
        signal.alarm(0)
    seconds = time.process_time() - began
    if seconds > gate.seconds:
        return Fault(gate.name, "slow", f"{seconds:.1f} CPU s", given)
    if peak_bytes() - before > MOST_BYTES:
        return Fault(gate.name, "large", f"{(peak_bytes() - before) / 2**30:.1f} GiB", given)
    return outcome


def peak_bytes() -> int:
    """The most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _give_up(*_: object) -> None:
    raise TooLong


def _where() -> str:
    return traceback.format_exc(limit=-6)[-2500:]
