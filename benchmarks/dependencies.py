"""What AlgoLens rests on: a lock with hashes, and a bill of materials.

    python -m benchmarks.dependencies lock --out constraints-hashed.txt
    python -m benchmarks.dependencies sbom --out sbom.json

The lock names, for every version in constraints.txt, the SHA-256 of each wheel that pip may take on
Linux with Python 3.11 and 3.12, as the package index has it. What has no wheel (PySpark) is left
out: to install it runs a script of its own. The bill of materials lists what is
installed beside this module, from its own metadata, in CycloneDX 1.6.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import urllib.request
import uuid
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
INDEX = "https://pypi.org/simple"
# a file as an index lists it: its hash, and its name
LISTED = re.compile(r"#sha256=([0-9a-f]{64})[^>]*>\s*([^<\s]+)\s*<")
# wheels for Linux and these Pythons, on x86-64
WHEEL = re.compile(
    r"-(?:py2\.py3|py3|py311|py312|cp3\d+|cp311|cp312)-(?:none|abi3|cp311|cp312)-"
    r"(?:any|(?:manylinux|linux)[\w.]*x86_64[\w.]*)\.whl$"
)
OTHER_PYTHON = re.compile(r"-cp(?:3[0-9]|310|313|314|315)t?-cp\d+t?-")


def main() -> int:
    """Writes the one or the other."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["lock", "sbom"])
    parser.add_argument("--out", type=Path, required=True)
    given = parser.parse_args()
    text = lock() if given.what == "lock" else json.dumps(sbom(), indent=1) + "\n"
    given.out.write_text(text)
    print(f"{given.out}: {len(text):,} bytes")
    return 0


def lock() -> str:
    """The lines of the lock."""
    lines = [
        "# Made by `make lock` from constraints.txt: the SHA-256 of each file for Linux on x86-64",
        "# with Python 3.11 and 3.12. Not in it: PyTorch, which has packages of its own, and what",
        "# has no wheel (PySpark, of the extra spark). So: install PyTorch, then",
        "# pip install --no-deps --require-hashes -r constraints-hashed.txt, then",
        "# pip install --no-deps --no-build-isolation .",
    ]
    for name, version in pins((ROOT / "constraints.txt").read_text()):
        if name == "torch":
            continue
        request = urllib.request.Request(f"{INDEX}/{name}/", headers={"Accept": "text/html"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            files = {name: sha256 for sha256, name in LISTED.findall(answer.read().decode())}
        hashes = sorted(chosen_hashes(files, name, version))
        if not hashes:
            print(f"{name} {version}: the index has no wheel for Linux, left out", file=sys.stderr)
            continue
        marks = " \\\n".join(f"    --hash=sha256:{one}" for one in hashes)
        lines.append(f"{name}=={version} \\\n{marks}")
    return "\n".join(lines) + "\n"


def pins(text: str) -> Iterator[tuple[str, str]]:
    """Names and versions of a file of constraints.

    >>> list(pins("# exact\\nJinja2==3.1.6\\ntorch==2.13.0+cpu ; x"))
    [('jinja2', '3.1.6'), ('torch', '2.13.0')]
    """
    for match in re.finditer(r"^([\w.-]+)==([\w.!]+)", text, re.MULTILINE):
        yield re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]


def chosen_hashes(files: Mapping[str, str], name: str, version: str) -> set[str]:
    """Of the files of a package, by name, the hashes of the wheels that pip may take.

    >>> wheel, source = "A_b-1.0-cp311-cp311-manylinux_2_28_x86_64.whl", "a_b-1.0.tar.gz"
    >>> listed = {wheel: "11", wheel.replace("311", "310"): "10", source: "5", "a_b-1.0.1.zip": "6"}
    >>> chosen_hashes(listed, "a-b", "1.0"), chosen_hashes({source: "5"}, "a-b", "1.0")
    ({'11'}, set())
    >>> chosen_hashes({"a-1-py311-none-any.whl": "11", "a-1.tar.gz": "5"}, "a", "1")
    {'11'}
    """
    written = name.replace("-", "[-_.]")
    of_version = re.compile(rf"{written}-{re.escape(version)}-", re.IGNORECASE)
    return {
        sha256
        for file, sha256 in files.items()
        if of_version.match(file) and WHEEL.search(file) and not OTHER_PYTHON.search(file)
    }


def sbom() -> dict[str, Any]:
    """What is installed, in CycloneDX; the same whenever the same is installed."""
    components = []
    for one in sorted(metadata.distributions(), key=lambda one: one.name.lower()):
        name, version = re.sub(r"[-_.]+", "-", one.name).lower(), one.version
        component: dict[str, Any] = {
            "type": "library",
            "name": name,
            "version": version,
            "purl": f"pkg:pypi/{name}@{version}",
        }
        said: Any = one.metadata
        licence = said.get("License-Expression") or said.get("License") or ""
        if licence and len(licence) < 100 and "\n" not in licence:
            component["licenses"] = [{"license": {"name": licence}}]
        components.append(component)
    ours = [one for one in components if one["name"] == "algolens"]
    others = [one for one in components if one["name"] != "algolens"]
    digest = hashlib.sha256(json.dumps(components).encode()).digest()
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.UUID(bytes=digest[:16], version=4)}",
        "version": 1,
        "metadata": {"component": {**ours[0], "type": "application"}} if ours else {},
        "components": others,
    }


if __name__ == "__main__":
    sys.exit(main())
