"""The blocks of code of README.md, CONTRIBUTING.md, docs/ and results/, and what runs them.

Of a page, in its order and in one folder and one namespace:

- ```` ```python ```` runs; ```` ```pycon ```` runs and gives what the page says;
- ```` ```sh ```` is a command a line, each of which ends with status 0;
- ```` ```console ```` is commands after ``$`` and what they print; a line ``...`` stands for any
  lines;
- a block with ``title="NAME"`` is a file, which is written;
- ``<!-- status 1 -->`` before a block: its commands end with that status;
- ``<!-- numbers vary -->`` before a block: numbers are those of one training, and another machine
  may give others.

``python -m tests.docs.blocks`` runs all of it and writes what commands print into the pages, with
as many lines before and after ``...`` as stand there now. Other languages (text, csv without a
title, mermaid) are to be read.
"""

from __future__ import annotations

import doctest
import io
import json
import os
import re
import runpy
import shlex
import sys
import tempfile
import tomllib
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from algolens.algorithms import algorithms
from algolens.algorithms._discovery import ADDED
from algolens.cli import main
from algolens.cli.output import results
from algolens.disk import write_inside
from algolens.experiment.model import Model, load_model
from algolens.models.own import NETWORKS
from algolens.models.recurrent import PROCESSORS
from algolens.models.weights import fingerprint

ROOT = Path(__file__).parents[2]
RUN_ELSEWHERE = {"python.md": "tests/api/test_page.py"}
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.name not in RUN_ELSEWHERE),
    *sorted((ROOT / "results").glob("*/*.md")),
]
FENCE = re.compile(
    r"(?:<!-- (?:status (?P<status>\d+)|(?P<vary>numbers vary)) -->\n)?"
    r"^(?P<fence>```+)(?P<language>\w+)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
WIDTH = 88  # columns of what commands print
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

# Commands that take too long for a test, need another machine, or read what only a user has. Their
# words are read all the same.
LONG = {
    "algolens train": "trains a network after the paper's: minutes",
    "algolens reproduce": "trains every network of the paper: minutes to hours",
    "algolens explain results/runs": "explains five seeds, on samples: half a minute",
    "algolens explain runs/bfs-paper --redraw": (
        "extracts rules anew, and finds meanings on samples: seconds"
    ),
    "algolens explain runs/bfs-paper --format": "finds meanings on samples: seconds",
    "algolens distil": (
        "finds a network's program on samples, and teaches another network: half a minute"
    ),
    "algolens discover results/runs": "describes what a network does on samples: a minute",
    "algolens evaluate results/runs": "scores five seeds at three sizes: half a minute",
    "algolens certify coloring --check-with": (
        "asks a solver about 80 obligations: seconds to a minute"
    ),
    "algolens execute bfs edges.parquet --source 0 --engine spark": "needs a cluster",
    "algolens clrs --judge traces": "reads traces that only CLRS makes: minutes to hours",
    "python -m benchmarks": "a benchmark: minutes to hours",
    "nvidia-cuda-mps-control": "needs an NVIDIA GPU",
    "pip install": "needs the network",
}
# seconds: these are run
QUICK = (
    "algolens train adoption --preset exact",
    "algolens train discovered_quorum --preset exact",
    "algolens train bfs --preset paper --epochs 2 --gr",
)


@dataclass(frozen=True)
class Block:
    """A block of code of a page."""

    page: Path
    line: int  # of the page, where its text begins
    language: str
    title: str | None
    status: int
    vary: bool
    text: str
    start: int  # of its text, in characters


def blocks(page: Path) -> list[Block]:
    """The blocks of a page, in order."""
    said = page.read_text()
    return [
        Block(
            page,
            said.count("\n", 0, found.start("text")) + 1,
            found["language"],
            found["title"],
            int(found["status"] or 0),
            bool(found["vary"]),
            found["text"],
            found.start("text"),
        )
        for found in FENCE.finditer(said)
    ]


@dataclass
class Session:
    """A page being run: its folder is the current one, and what Python blocks define stays."""

    known: dict[str, Any] = field(default_factory=lambda: {"__name__": "page"})
    # what a console block's commands gave, by its line
    printed: dict[int, list[str]] = field(default_factory=dict)

    def run(self, block: Block) -> None:
        """Runs a block, and raises an AssertionError where it fails or gives something else."""
        place = f"{block.page.relative_to(ROOT)}:{block.line}"
        if block.title:
            Path(block.title).parent.mkdir(parents=True, exist_ok=True)
            Path(block.title).write_text(block.text)
        elif block.language == "python":
            with redirect_stdout(io.StringIO()):
                exec(compile(block.text, place, "exec", dont_inherit=True), self.known)
        elif block.language == "pycon":
            self._doctest(block, place)
        elif block.language in ("sh", "bash"):
            for line in block.text.replace("\\\n", " ").splitlines():
                if words := shlex.split(line, comments=True):
                    self.command(words, block.status, place)
        elif block.language == "console":
            self._console(block, place)

    def command(self, words: list[str], status: int, place: str) -> str:
        """Runs one command, or where it is long reads its words; what it prints."""
        said = " ".join(words)
        if ">" in words:
            *words, _, file = words
            Path(file).write_text(self.command(words, status, place))
            return ""
        if words[0] == "taskset":  # -c CORES: where a command runs, not what it does
            words = words[3:]
            said = " ".join(words)
        words = ["algolens" if word == ".venv/bin/algolens" else word for word in words]
        if words[0] == "export":
            name, value = words[1].split("=", 1)
            os.environ[name] = value
            return ""
        if words[0] == "make":
            assert words[1].split("=")[0] in TARGETS, f"{place}: the Makefile has no {words[1]}"
            return ""
        if words[:2] == ["pip", "install"]:
            extras = [each for word in words for each in re.findall(r"\[(.*)\]", word)]
            assert all(each in EXTRAS for names in extras for each in names.split(",")), (
                f"{place}: {said}"
            )
            return ""
        if not said.startswith(QUICK) and said.startswith(tuple(LONG)):
            if words[0] == "algolens" or words[:2] == ["python", "-m"]:
                self._read_words(words, place)
            return ""
        out, left = called(words)
        assert left == status, f"{place}: {said} ended with status {left}:\n{out}"
        return out

    def _read_words(self, words: list[str], place: str) -> None:
        """A command with ``--help`` at its end runs nothing, and refuses an option that there is
        not.
        """
        if words[0] == "python":
            assert (ROOT / (words[2].replace(".", "/") + ".py")).exists() or words[
                2
            ] == "benchmarks", f"{place}: no {words[2]}"
            if (
                words[2] == "benchmarks"
                or "typer" not in (ROOT / (words[2].replace(".", "/") + ".py")).read_text()
            ):
                return
        out, left = called([*words, "--help"])
        assert left == 0, f"{place}: {' '.join(words)}:\n{out}"

    def _doctest(self, block: Block, place: str) -> None:
        example = doctest.DocTestParser().get_doctest(
            block.text, self.known, place, str(block.page), block.line
        )
        output: list[str] = []
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        assert runner.run(example, out=output.append, clear_globs=False).failed == 0, "".join(
            output
        )
        self.known.update(example.globs)

    def _console(self, block: Block, place: str) -> None:
        parts = [
            part.split("\n", 1) for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]
        ]
        shown: list[str] = []
        for command, *rest in parts:
            wanted = rest[0].rstrip("\n").splitlines() if rest else []
            given = tidied(self.command(shlex.split(command, comments=True), block.status, place))
            shown += [f"$ {command}", *shortened(given, wanted)]
            self.printed[block.line] = shown
            if not rewriting():
                seen, said = (
                    map(without_numbers, lines) if block.vary else lines
                    for lines in (given, wanted)
                )
                assert matches([*seen], [*said]), f"{place}: $ {command}\n\n" + "\n".join(given)


def called(words: list[str]) -> tuple[str, int]:
    """Runs a command in this process: what it prints, and its status. `algolens`, or `python` with
    a module or a file.
    """
    out = io.StringIO()
    kept, sys.argv = sys.argv, words
    try:
        with (
            redirect_stdout(out),
            redirect_stderr(out if words[-1] == "--help" else io.StringIO()) as told,
        ):
            try:
                if words[0] == "algolens":
                    main()
                elif words[:2] == ["python", "-m"]:
                    sys.argv = words[2:]
                    runpy.run_module(words[2], run_name="__main__", alter_sys=True)
                elif words[0] == "python":
                    sys.argv = words[1:]
                    runpy.run_path(words[1], run_name="__main__")
                else:
                    raise AssertionError(f"what to do with {words[0]!r} is not known")
            except SystemExit as left:
                status = left.code if isinstance(left.code, int) else int(left.code is not None)
                return out.getvalue() + (told.getvalue() if status else ""), status
    finally:
        sys.argv = kept
    return out.getvalue(), 0


def tidied(printed: str) -> list[str]:
    """The lines of a command's output without blanks at their ends, and without empty lines at the
    start and the end.
    """
    return "\n".join(line.rstrip() for line in printed.splitlines()).strip("\n").splitlines()


def without_numbers(line: str) -> str:
    """A line with # for every number and fingerprint, and one blank for blanks and rules of
    tables.
    """
    return re.sub(r"[\s─━]+", " ", re.sub(r"\b[0-9a-f]{64}\b|\d[\d,.]*", "#", line)).strip()


def matches(given: list[str], wanted: list[str]) -> bool:
    """Whether these lines are those, where a line ``...`` of those stands for any lines."""
    pattern = "\n".join(
        ".*" if line.strip() == "..." else re.escape(line) for line in wanted
    ).replace("\n.*\n", "\n(?:.*\n)?")
    return re.fullmatch(pattern, "\n".join(given), re.DOTALL) is not None


def shortened(given: list[str], wanted: list[str]) -> list[str]:
    """These lines, cut as those are by ``...``."""
    cut = [index for index, line in enumerate(wanted) if line.strip() == "..."]
    if matches(given, wanted) and cut:
        return wanted
    if not cut:
        return given
    after = len(wanted) - cut[-1] - 1
    return [*given[: cut[0]], wanted[cut[0]], *(given[-after:] if after else [])]


@contextmanager
def page_folder(folder: Path, page: Path) -> Iterator[Session]:
    """A session in a folder that has what a page speaks of: examples/, results/, src/, and a run
    after the paper's.
    """
    before, environment, processors, opened = (
        Path.cwd(),
        dict(os.environ),
        dict(PROCESSORS),
        webbrowser.open,
    )
    added, networks = dict(ADDED), dict(NETWORKS)
    for name in ("examples", "results", "src"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "roads.csv").write_text((ROOT / "examples" / "roads.csv").read_text())
    if " runs/bfs-paper" in page.read_text():
        one_seed(ROOT / "results" / "runs" / "bfs-paper", folder / "runs" / "bfs-paper")
    algorithms.cache_clear()
    os.chdir(folder)
    sys.path[:0] = [str(folder), str(ROOT)]
    # a worker of pytest-xdist has a width of its own in its environment
    width, results.width = results._width, WIDTH
    os.environ.update(COLUMNS=str(WIDTH), ALGOLENS_CACHE=str(folder / "cache"))
    webbrowser.open = lambda *_, **__: True  # a test opens no window
    try:
        yield Session()
    finally:
        webbrowser.open = opened
        results._width = width
        del sys.path[:2]
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)
        PROCESSORS.clear()
        PROCESSORS.update(processors)
        NETWORKS.clear()
        NETWORKS.update(networks)
        ADDED.clear()
        ADDED.update(added)
        algorithms.cache_clear()


def one_seed(source: Path, folder: Path) -> None:
    """The first seed of a run, as a run: what five seeds would show, in a fifth of the time."""
    run = load_model(source)
    network = run.network.only(0)
    Model(replace(run.experiment, seeds=network.seeds), network, run.about).save(folder)
    rules = json.loads((source / "rule_sets.json").read_text())
    rules |= {"about": fingerprint(network), "seeds": rules["seeds"][:1]}
    write_inside(folder, "rule_sets.json", json.dumps(rules))


def rewriting() -> bool:
    return __name__ == "__main__"


def rewrite(page: Path) -> None:
    """Writes what the commands of a page print into it."""
    with tempfile.TemporaryDirectory() as folder, page_folder(Path(folder), page) as session:
        for block in blocks(page):
            session.run(block)
    said = page.read_text()
    for block in reversed(blocks(page)):
        if block.line in session.printed:
            shown = "\n".join(session.printed[block.line]) + "\n"
            said = said[: block.start] + shown + said[block.start + len(block.text) :]
    page.write_text(said)


if __name__ == "__main__":
    for each in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        print(each.relative_to(ROOT))
        rewrite(each)
