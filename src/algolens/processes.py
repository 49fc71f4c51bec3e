"""Several pieces of work at once: each in a process of its own, here or on a Ray cluster."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import signal
import socket
import sys
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, final

from algolens import __version__
from algolens.errors import AlgoLensError, plain_warnings

Say = Callable[[Any], None]
Pieces = Mapping[str, tuple[Any, ...]]
Messages = Generator[tuple[str, Any], None, None]
KILLED = (
    "the process of {} was ended from outside (status {}), perhaps for want of memory: give "
    "the command again, with fewer --jobs, and it goes on."
)
LOST = (
    "{} was begun {} times on the cluster, and its worker died each time ({}), perhaps for want of "
    "memory: give the command again, and it goes on."
)
BYTES_OF_PROCESS = 4e8  # that one takes which trains networks, with the libraries it loads
TO_END = 0.8  # seconds that a process has to end in
RETRIES = 3  # of a piece of work whose worker died
LOOKS_PER_SECOND = 5  # at what workers of a cluster say
OWN_SETTINGS = "ALGOLENS_"  # begins the names of variables that workers are given, too


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ended:
    """The last message of a piece of work that is done."""


class Workers(ABC):
    """Where pieces of work are done."""

    @abstractmethod
    def starts_others(self, pieces: int) -> bool:
        """Whether so many pieces are worth other processes than this one."""

    @abstractmethod
    def all_messages(self, work: Pieces, do: Callable[..., None], folder: Path | None) -> Messages:
        """Yields (name, message) as they come; the last is an ``Ended``, or why it failed."""

    def messages(
        self, work: Pieces, do: Callable[..., None], folder: Path | None = None
    ) -> Messages:
        """Does all the work, and yields (name, message) as they come.

        The last message of a piece is an ``Ended``. work: by name, what ``do`` takes before the
        function to send messages with. folder: where it writes, which all machines must see. Where
        one fails the others go on, for hours may be in them; the first failure is raised at the
        end.
        """
        failures: list[Exception] = []
        with closing(self.all_messages(work, do, folder)) as messages:
            for name, message in messages:
                if isinstance(message, Exception):
                    failures.append(message)
                else:
                    yield name, message
        if failures:
            raise failures[0]


def find_workers(jobs: int | None, cluster: str | None, *, gpus: int = 0) -> Workers:
    """Where a user wants work to be done.

    jobs: processes at a time on this machine, one by default. cluster: ``ray``, or the address of a
    cluster. gpus: that each piece of work needs.
    """
    if cluster is None:
        return Processes(jobs or 1)
    if jobs is not None and jobs > 1:
        raise AlgoLensError(
            f"--jobs {jobs} counts processes on this machine, and --cluster {cluster} takes as "
            "many as the cluster has room for: leave one of them out."
        )
    if cluster != "ray" and not cluster.startswith("ray://"):
        raise AlgoLensError(
            f"--cluster {cluster}: give ray, for the cluster that RAY_ADDRESS names or that runs "
            "on this machine, or an address, as ray://head:10001."
        )
    return RayCluster(None if cluster == "ray" else cluster, gpus)


def _outcome(
    name: str, do: Callable[..., None], what: tuple[Any, ...], say: Say
) -> Ended | Exception:
    """Does a piece of work: what is the last to be said of it."""
    # the processes share the cores; work that needs no PyTorch does not wait for it
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    plain_warnings()
    try:
        do(*what, say)
    except AlgoLensError as problem:
        return AlgoLensError(str(problem))  # some kinds cannot be sent
    except Exception:  # a fault of ours: with the place where it happened
        return RuntimeError(f"{name}:\n{traceback.format_exc()}")
    return Ended()


# ---- on this machine


@final
@dataclass(frozen=True)
class Processes(Workers):
    """Processes on this machine."""

    jobs: int = 1  # at a time

    def starts_others(self, pieces: int) -> bool:
        return self.jobs > 1 and pieces > 1

    def all_messages(self, work: Pieces, do: Callable[..., None], folder: Path | None) -> Messages:
        context = multiprocessing.get_context("spawn")  # a forked process cannot use the GPU
        waiting = list(work)
        alive: dict[Connection, tuple[str, SpawnProcess]] = {}
        try:
            while waiting or alive:
                while waiting and len(alive) < self.jobs:
                    name = waiting.pop(0)
                    receiver, sender = context.Pipe(duplex=False)
                    process = context.Process(
                        target=_work, args=(_Watch(), name, do, work[name], sender), daemon=True
                    )
                    process.start()
                    # the process has its own now: when that ends, the receiver sees it
                    sender.close()
                    alive[receiver] = name, process
                wait(list(alive))
                for receiver in [receiver for receiver in alive if receiver.poll()]:
                    name, process = alive[receiver]
                    message = _received(receiver, name, process)
                    if isinstance(message, Ended | Exception):
                        del alive[receiver]
                        process.join()
                    yield name, message
        finally:
            for _, process in alive.values():
                process.terminate()
            ended_by = time.monotonic() + TO_END
            for _, process in alive.values():
                process.join(max(0.0, ended_by - time.monotonic()))
                process.kill()  # where it is deep in a computation
                process.join()


def _received(receiver: Connection, name: str, process: SpawnProcess) -> Any:
    try:
        return receiver.recv()
    except EOFError:  # it ended without a last message
        process.join()
        return AlgoLensError(KILLED.format(name, process.exitcode))


class _Watch:
    """Ends a process with the one that began it, from the moment that this is unpickled there.

    It comes before the work itself, whose modules take seconds to import.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        return end_with, (os.getpid(),)


def end_with(parent: int) -> None:
    """Ends this process soon after its parent has ended, whatever it is at."""
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(TO_END / 8)
    os.kill(os.getpid(), signal.SIGTERM)  # for the main thread, which puts away what it wrote
    time.sleep(TO_END / 2)
    os._exit(1)


def _work(
    _watched: None, name: str, do: Callable[..., None], what: tuple[Any, ...], sender: Connection
) -> None:
    # Ctrl-C reaches all: the first process ends the others
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # an exception, so that nothing half-written stays
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with suppress(BrokenPipeError):  # the first process has ended, and nobody waits for it
        sender.send(_outcome(name, do, what, sender.send))


# ---- on a cluster


@final
@dataclass(frozen=True)
class RayCluster(Workers):
    """Workers of a Ray cluster, one piece of work on a core; a dead worker's is begun elsewhere."""

    address: str | None = None  # None: of RAY_ADDRESS, or of this machine, or begun here
    gpus: int = 0  # that a piece of work needs

    def starts_others(self, pieces: int) -> bool:
        return pieces > 0

    def all_messages(self, work: Pieces, do: Callable[..., None], folder: Path | None) -> Messages:
        with _connected(self.address) as ray:
            from ray.util.queue import Queue

            _check_machines(ray, folder)
            task = ray.remote(num_cpus=1, num_gpus=self.gpus, max_retries=RETRIES)(_on_worker)
            said = Queue(actor_options={"num_cpus": 0})
            settings = {
                name: value for name, value in os.environ.items() if name.startswith(OWN_SETTINGS)
            }
            alive = {
                task.remote(name, do, what, said, os.getcwd(), settings): name
                for name, what in work.items()
            }
            heard = dict.fromkeys(work, 0)
            try:
                while alive:
                    ended, _ = ray.wait(list(alive), timeout=1 / LOOKS_PER_SECOND)
                    # what a piece of work said is here before its end is told
                    for name, number, message in said.get_nowait_batch(said.size()):
                        # one that is begun again says again what it had said
                        if number == heard[name]:
                            heard[name] += 1
                            yield name, pickle.loads(message)
                    for piece in ended:
                        name = alive.pop(piece)
                        yield name, _last_word(ray, piece, name)
            finally:
                for piece in alive:
                    ray.cancel(piece, force=True)
                said.shutdown(force=True)


def _on_worker(
    name: str,
    do: Callable[..., None],
    what: tuple[Any, ...],
    said: Any,
    folder: str,
    settings: Mapping[str, str],
) -> Ended | Exception:
    """A piece of work in a process of the cluster; its messages are numbered."""
    os.environ.update(settings)
    with suppress(OSError):  # where paths that a user gave are looked for; it need not be there
        os.chdir(folder)
    from ray import cloudpickle

    count = 0

    def say(message: Any) -> None:
        nonlocal count
        # as bytes: the queue's own process knows no algorithm of a user's
        said.put((name, count, cloudpickle.dumps(message)))
        count += 1

    return _outcome(name, do, what, say)


def _last_word(ray: Any, piece: Any, name: str) -> Ended | Exception:
    try:
        word: Ended | Exception = ray.get(piece)
    except ray.exceptions.RayError as problem:  # the cluster's, for ours are sent as they are
        return AlgoLensError(LOST.format(name, RETRIES + 1, type(problem).__name__))
    return word


@contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster; one that is begun here ends with the work."""
    try:
        import ray
    except ImportError as problem:
        raise AlgoLensError(
            "--cluster ray: Ray is not installed. Install it with `pip install 'algolens[ray]'`, "
            "or leave the option out."
        ) from problem
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    try:
        try:
            ray.init(address=address or "auto", **quiet)
        except ConnectionError:
            if address is not None or os.environ.get("RAY_ADDRESS"):
                raise
            ray.init("local", include_dashboard=False, num_cpus=cores(), **quiet)
    except (ConnectionError, RuntimeError, ray.exceptions.RayError) as problem:
        where = address or os.environ.get("RAY_ADDRESS") or "this machine"
        raise AlgoLensError(
            f"no Ray cluster answers at {where} ({type(problem).__name__}): begin one with `ray "
            "start --head`, or give its address, as --cluster ray://head:10001, and its token, as "
            "RAY_AUTH_TOKEN, where it asks for one."
        ) from problem
    try:
        yield ray
    finally:
        ray.shutdown()


def _check_machines(ray: Any, folder: Path | None) -> None:
    """Refuses a cluster with a machine that has another AlgoLens, or does not see the folder."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    mark = None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        mark = folder.resolve() / f".seen-{secrets.token_hex(4)}"
        mark.touch()
    try:
        looks = [
            ray.remote(num_cpus=0)(_look)
            .options(scheduling_strategy=NodeAffinitySchedulingStrategy(node["NodeID"], soft=False))
            .remote(mark)
            for node in ray.nodes()
            if node["Alive"]
        ]
        machines = ray.get(looks)
    except (ImportError, ray.exceptions.RayError) as problem:
        raise AlgoLensError(
            f"a machine of the cluster cannot import AlgoLens ({type(problem).__name__}): install "
            f"algolens {__version__} on every one."
        ) from problem
    finally:
        if mark is not None:
            mark.unlink()
    for machine, version, sees in machines:
        if version != __version__:
            raise AlgoLensError(
                f"machine {machine} of the cluster has algolens {version}, and this one "
                f"{__version__}: install the same on every one."
            )
        if not sees:
            raise AlgoLensError(
                f"machine {machine} of the cluster does not see {folder}: give a folder that all "
                "machines share, with --out."
            )


def _look(mark: Path | None) -> tuple[str, str, bool]:
    """A machine's name, its AlgoLens, and whether it sees a file."""
    return socket.gethostname(), __version__, mark is None or mark.exists()
