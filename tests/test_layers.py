"""The layers import one way."""

from __future__ import annotations

import ast
from pathlib import Path

import algolens
from algolens.layers import LAYERS

ROOT = Path(algolens.__file__).parent
ALONE = ("checker", "layers", "reference")  # import nothing of the library
LATER = {
    # `start` and `perceive` may be written in Python; unless they are, an engine computes them
    ("language/algorithm.py", "engines"),
    ("language/inputs.py", "algorithms"),  # a refusal names the algorithms that take such input
}


def test_every_folder_is_a_layer():
    folders = {
        path.name
        for path in ROOT.iterdir()
        if path.is_dir() and path.name not in ("__pycache__", "shipped")
    }
    assert folders == set(LAYERS) - {
        *(
            "errors",
            "lazy",
            "arrays",
            "limits",
            "disk",
            "reading",
            "records",
            "memory",
            "processes",
            "protocol",
        )
    }


def test_layers_import_only_from_layers_before_them():
    for path in ROOT.rglob("*.py"):
        within = path.relative_to(ROOT)
        layer = within.parts[0].removesuffix(".py")
        if layer in ("__init__", "__main__", *ALONE):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            for target in imported(node):
                in_order = LAYERS.index(target) <= LAYERS.index(layer)
                assert in_order or (within.as_posix(), target) in LATER, (
                    f"{path} imports {target}, which comes later"
                )


def imported(node: ast.AST) -> list[str]:
    names: list[str] = []
    if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
        names = [node.module]
    elif isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    parts = [name.split(".") for name in names]
    return [
        part[1] for part in parts if part[0] == "algolens" and len(part) > 1 and part[1] != "layers"
    ]
