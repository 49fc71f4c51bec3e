"""The lock with hashes is that of the constraints; a bill of materials names what is installed."""

from __future__ import annotations

import re
from importlib import metadata

from benchmarks.dependencies import ROOT, pins, sbom


def test_the_lock_has_every_version_of_the_constraints_with_its_hashes():
    wanted = dict(pins((ROOT / "constraints.txt").read_text()))
    written = (ROOT / "constraints-hashed.txt").read_text()
    assert dict(pins(written)) == {
        name: version
        for name, version in wanted.items()
        if name not in ("torch", "pyspark")  # its own index, and no wheel
    }, "make lock"
    packages = re.split(r"\n(?=\w)", written)[1:]
    assert all(re.search(r"--hash=sha256:[0-9a-f]{64}$", text.strip()) for text in packages)


def test_the_bill_of_materials_names_what_is_installed():
    made = sbom()
    names = {part["name"]: part["version"] for part in made["components"]}
    assert names["torch"] == metadata.version("torch")
    assert made["metadata"]["component"]["name"] == "algolens"
    assert made == sbom()
