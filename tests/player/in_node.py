"""The page's scripts, run by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.resources import files
from typing import Any

import pytest

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="no `node` is installed, which runs the page's scripts"
)
HARNESS = """
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
const replacer = (_, value) => (typeof value === "bigint" ? String(value) : value);
process.stdout.write(JSON.stringify(given.map((each) => answer(each)), replacer));
"""


def in_node(scripts: list[str], answer: str, given: list[Any]) -> list[Any]:
    """What a function ``answer`` in JavaScript, beside some of the page's scripts, gives for each
    of some values.
    """
    parts = [(files("algolens.player") / name).read_text(encoding="utf-8") for name in scripts]
    done = subprocess.run(
        [str(NODE), "-e", "\n".join([*parts, answer, HARNESS])],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)
