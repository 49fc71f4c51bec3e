"""The page's scripts, run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
from importlib.resources import files
from typing import Any

import pytest

from algolens.player.page import SCRIPTS

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="no `node` is installed, which runs the page's scripts"
)
HARNESS = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const replacer = (_, value) => (typeof value === "bigint" ? String(value) : value);
process.stdout.write(JSON.stringify(given.map((each) => answer(each)), replacer));
"""


def in_node(answer: str, given: list[Any]) -> list[Any]:
    """What a function ``answer`` in JavaScript, beside the page's scripts, gives for each of some
    values.
    """
    scripts = [name for name in SCRIPTS if name != "begin.js"]  # which would show a page
    parts = [(files("algolens.player") / name).read_text(encoding="utf-8") for name in scripts]
    with tempfile.NamedTemporaryFile("w", suffix=".js", encoding="utf-8") as script:
        script.write("\n".join([*parts, answer, HARNESS]))
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
