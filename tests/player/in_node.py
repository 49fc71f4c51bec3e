"""The page's scripts, run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from algolens.player.page import SCRIPTS

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="no `node` is installed, which runs the page's scripts"
)
OPEN = """
function opened(each) {
  if (each.page !== undefined) return { ...each, page: opened(each.page) };
  return each.algorithm === undefined ? each : unpacked(each);
}
"""
ONE_BY_ONE = """
const replacer = (_, value) => (typeof value === "bigint" ? String(value) : value);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  process.stdout.write(`${JSON.stringify(answer(opened(JSON.parse(line))), replacer)}\\n`);
});
"""
HARNESS = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const replacer = (_, value) => (typeof value === "bigint" ? String(value) : value);
process.stdout.write(JSON.stringify(given.map((each) => answer(opened(each))), replacer));
"""


def page_script(*more: str) -> str:
    """The page's scripts but for the one that shows a page, and more."""
    parts = [files("algolens.player") / name for name in SCRIPTS if name != "begin.js"]
    return "\n".join([*(part.read_text(encoding="utf-8") for part in parts), OPEN, *more])


def in_node(answer: str, given: list[Any]) -> list[Any]:
    """What a function ``answer`` in JavaScript, beside the page's scripts, gives for each of some
    values.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as script:
        script.write(page_script(answer, HARNESS))
        script.flush()
        done = subprocess.run(
            [str(NODE), script.name],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


class OneByOne:
    """Asks one process of Node for one answer after the other."""

    def __init__(self, answer: str) -> None:
        # a file: a command line holds no such long script
        with tempfile.NamedTemporaryFile("w", suffix=".js", delete=False, encoding="utf-8") as file:
            file.write(page_script(answer, ONE_BY_ONE))
        self._process = subprocess.Popen(
            [str(NODE), file.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._path = Path(file.name)

    def __call__(self, given: Any) -> Any:
        """The answer for a value."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(given) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        self._process.communicate(timeout=20)
        self._path.unlink()
