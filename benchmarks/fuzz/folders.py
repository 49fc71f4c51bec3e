"""Whole folders of runs, damaged, through every command that reads one."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.fuzz.command_line import in_process
from benchmarks.fuzz.damage import damaged_bytes, damaged_value
from benchmarks.fuzz.gate import Gate, Wrong

ROOT = Path(__file__).parents[2]
SOURCES = {
    "bfs": ROOT / "src" / "algolens" / "shipped" / "bfs",
    "coloring": ROOT / "src" / "algolens" / "shipped" / "coloring",
    "paper": ROOT / "results" / "runs" / "bfs-paper",
}
OTHERS = {  # whose files are put in the place of a run's own
    "bfs": ROOT / "results" / "runs" / "bfs-exact",
    "coloring": SOURCES["bfs"],
    "paper": ROOT / "results" / "runs" / "bfs-paper-literal",
}
GRAPH = "source,target,weight,priority\na,b,1,1\nb,c,2,2\na,d,3,3\n"
# the run is in the folder `run`, and what a command writes is compared, too
COMMANDS: dict[str, list[str]] = {
    "execute": ["execute", "run", "grid:6", "--by", "network", "--json"],
    "execute by rules": ["execute", "run", "grid:6", "--by", "rules", "--json"],
    "play": ["execute", "run", "grid:6", "--html", "page.html"],
    "explain": ["explain", "run"],
    "explain --json": ["explain", "run", "--json"],
    "explain --format": ["explain", "run", "--format", "markdown"],
    "evaluate": ["evaluate", "run", "--sizes", "6", "--graphs", "2", "--json"],
    "compare": ["compare", "run", "bfs", "--json"],
    "report": ["report", "run", "--out", "report", "--json"],
    "explain --redraw": ["explain", "run", "--redraw"],
    "certify": ["certify", "run", "--json"],
}
DRAWN = ("learning_pictures", "tree_pictures", "comparison_pictures")


@dataclass(frozen=True)
class Outcome:
    """What came of a command."""

    status: int
    printed: str
    said: tuple[str, ...]  # lines beside what it printed
    written: str  # what it wrote outside the run


class DamagedFolders(Gate):
    """A command refuses a damaged run in a line, or does what it does of the whole one, or says
    what it leaves out.
    """

    name, share = "damaged folders", 1
    # eleven commands, which do all their work
    seconds, patience = 60.0, 300

    def __init__(self) -> None:
        # certified by the code that is here, so that their certificates are shown
        self.made = tempfile.TemporaryDirectory()
        self.whole: dict[str, dict[str, Outcome]] = {}
        for name, folder in SOURCES.items():
            shutil.copytree(folder, Path(self.made.name) / name)
            if (folder / "certificate.json").is_file():
                in_process(["certify", str(Path(self.made.name) / name)], work=())
            self.whole[name] = {
                command: self._outcome(Path(self.made.name) / "here", name, [], words)
                for command, words in COMMANDS.items()
            }

    def draw(self, draw: random.Random) -> Any:
        run = draw.choice([*SOURCES, "bfs"])
        names = sorted(path.name for path in SOURCES[run].iterdir())
        count = draw.choice([1, 1, 1, 2])
        return {"run": run, "damages": [_damage(run, names, draw) for _ in range(count)]}

    def enter(self, given: Any, folder: Path) -> None:
        for name, words in COMMANDS.items():
            ours = self._outcome(folder / "folders", given["run"], given["damages"], words)
            _judge(name, ours, self.whole[given["run"]][name])

    def _outcome(self, place: Path, run: str, damages: list[Any], words: list[str]) -> Outcome:
        """What comes of a command for a run with some damages, in a folder that is made anew."""
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        shutil.copytree(Path(self.made.name) / run, place / "run")
        for damage in damages:
            with contextlib.suppress(
                OSError, IndexError
            ):  # where another damage took the file away
                _apply(damage, run, place / "run")
        with contextlib.ExitStack() as stack:
            stack.enter_context(contextlib.chdir(place))
            stack.enter_context(
                mock.patch.dict(os.environ, {"ALGOLENS_CACHE": str(place / "cache")})
            )
            for drawn in DRAWN:  # pictures take seconds each
                place_of = f"algolens.reproduction.report.{drawn}"
                stack.enter_context(mock.patch(place_of, return_value=()))
            status, printed, said = in_process(words, work=())
        written = [
            f"{path.name}\n{path.read_text(errors='replace')}"
            for path in sorted((place / "report").rglob("*"))
            if path.is_file()
        ]
        if (place / "page.html").is_file():
            written.append((place / "page.html").read_text())
        lines = tuple(line for line in said.splitlines() if line.strip())
        return Outcome(status, printed, lines, "\n".join(written))


def _judge(name: str, ours: Outcome, whole: Outcome) -> None:
    said = "\n".join(ours.said)
    if "Traceback" in said or ours.status not in (0, 1, 2):
        raise Wrong(f"{name}: status {ours.status}: {said[-1800:]}")
    errors = [line for line in ours.said if line.startswith("error: ")]
    if ours.status == 2:
        if len(errors) != 1 or len(errors[0]) > 2100:
            raise Wrong(f"{name} is refused without one line: {said[-1000:]!r}")
        return
    same = (ours.status, ours.printed, ours.written) == (whole.status, whole.printed, whole.written)
    is_told = ours.status > whole.status or bool(_notes(ours) - _notes(whole))
    if not same and not is_told:
        raise Wrong(f"{name} gives something else without a word: {_difference(ours, whole)}")


def _notes(outcome: Outcome) -> set[str]:
    """What it tells beside its result; a report does so on its page."""
    lines = [line for line in outcome.said if line.startswith("note: ")]
    page = [line for line in outcome.written.splitlines() if '<p class="note"><b>' in line]
    return {*lines, *page}


def _difference(ours: Outcome, whole: Outcome) -> str:
    for one, other in ((ours.printed, whole.printed), (ours.written, whole.written)):
        lines, others = one.splitlines(), other.splitlines()
        new = [line for line in lines if line not in others][:3]
        gone = [line for line in others if line not in lines][:3]
        if new or gone:
            return f"new {str(new)[:700]}, gone {str(gone)[:700]}"
    return f"status {ours.status}, not {whole.status}"


def _damage(run: str, names: list[str], draw: random.Random) -> list[Any]:
    name = draw.choice(names)
    content = (SOURCES[run] / name).read_bytes()
    other = draw.choice(names)
    kind = draw.choice(
        [
            *("truncated", "bit", "bit", "bytes", "value", "value", "swapped", "link", "missing"),
            *("other run's", "other run's", "version", "folder", "pipe", "empty", "zeros", "more"),
        ]
    )
    match kind:
        case "truncated":
            return [kind, name, draw.randrange(len(content) + 1)]
        case "bit":
            return [kind, name, draw.randrange(8 * len(content))]
        case "bytes":
            return ["content", name, damaged_bytes(content, draw).decode("latin-1")]
        case "value" if name.endswith(".json"):
            return ["content", name, json.dumps(damaged_value(json.loads(content), draw))]
        case "version" if name.endswith(".json"):
            made = json.loads(content)
            made = {**made, "version": draw.choice([0, 2, 99, "1", None])}
            return ["content", name, json.dumps(made)]
        case "link":
            return [kind, name, draw.choice([other, "nothing", "/dev/zero", "..", name])]
        case "swapped":
            return [kind, name, other]
    return [kind, name]


def _apply(damage: list[Any], run: str, folder: Path) -> None:
    kind, name, *rest = damage
    path = folder / name
    other = folder / rest[0] if kind == "swapped" else path
    # an earlier damage made it a pipe, a folder or a link to a device, which has no end
    if any(some.exists() and not some.is_file() for some in (path, other)):
        return
    content = path.read_bytes() if path.is_file() else b""
    match kind:
        case "truncated":
            path.write_bytes(content[: rest[0]])
        case "bit":
            at, bit = divmod(rest[0], 8)
            changed = bytearray(content)
            changed[at] ^= 1 << bit
            path.write_bytes(changed)
        case "content":
            path.write_bytes(rest[0].encode("latin-1"))
        case "swapped":
            theirs = other.read_bytes()
            other.write_bytes(content)
            path.write_bytes(theirs)
        case "link":
            path.unlink()
            path.symlink_to(rest[0])
        case "missing":
            path.unlink()
        case "other run's":
            theirs_at = OTHERS[run] / name
            if theirs_at.is_file():
                shutil.copyfile(theirs_at, path)
        case "folder":
            path.unlink()
            path.mkdir()
        case "pipe":
            path.unlink()
            os.mkfifo(path)
        case "empty":
            path.write_bytes(b"")
        case "zeros" if name.endswith(".safetensors"):
            length = 8 + int.from_bytes(content[:8], "little")
            path.write_bytes(content[:length] + bytes(len(content) - length))
        case "more":
            (folder / f"more-{name}").write_bytes(content)
