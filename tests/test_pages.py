"""What the pages say of the code is so: the picture of the layers, and the files and functions that
they name.

That their blocks of code run is tested in tests/docs.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from algolens.layers import LAYERS
from tests.test_layers import LATER, ROOT, imported

HERE = Path(__file__).parents[1]
BUILT, CONTRIBUTING, PAPER = (
    (HERE / name).read_text() for name in ("docs/built.md", "CONTRIBUTING.md", "docs/paper.md")
)


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def arrows() -> set[tuple[str, str]]:
    """The imports of rooms that do not follow from others: from a room to one that builds on it."""
    direct: dict[str, set[str]] = {layer: set() for layer in LAYERS}
    for path in ROOT.rglob("*.py"):
        layer = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if layer in LAYERS:
            file = path.relative_to(ROOT).as_posix()
            direct[layer] |= {
                each
                for node in ast.walk(ast.parse(path.read_text()))
                for each in imported(node)
                if (file, each) not in LATER
            } - {layer}
    whole: dict[str, set[str]] = {}
    for layer in LAYERS:  # those that it imports from stand before it
        whole[layer] = direct[layer].union(*(whole[each] for each in direct[layer]))
    return {
        (below, layer)
        for layer in LAYERS
        for below in direct[layer]
        if not any(below in whole[each] for each in direct[layer] - {below})
    }


def test_the_picture_of_the_layers_shows_the_imports_that_do_not_follow_from_others():
    (picture,) = blocks(BUILT, "mermaid")
    drawn = re.findall(r"(\w+) --> (\w+)", picture)
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == arrows(), "run `python -m tests.test_pages`, which draws it anew"


def test_the_layers_are_described_in_their_order():
    assert re.findall(r"^\| `(\w+)` \|", BUILT, re.MULTILINE)[: len(LAYERS)] == list(LAYERS)


def test_every_file_that_the_pages_name_is_there():
    folders = [
        ROOT,
        ROOT.parent,
        ROOT.parents[1],
        *(path for path in ROOT.rglob("*") if path.is_dir()),
    ]
    for page in (BUILT, CONTRIBUTING, PAPER):
        for name in set(re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.(?:py|js))`", page)):
            assert any((folder / name).exists() for folder in folders), name


def test_the_page_on_the_paper_names_functions_that_are_in_the_files_it_names():
    defined = {path: names_defined(ast.parse(path.read_text())) for path in ROOT.rglob("*.py")}
    rows = [
        row.split("|")[1:-1] for row in PAPER.splitlines() if re.search(r"\.py` \|[^|]*\|$", row)
    ]
    assert len(rows) > 25
    for row in rows:
        files = [ROOT / file for file in re.findall(r"`((?:[a-z_]+/)*[a-z_]+\.py)`", row[-2])]
        first = re.search(r"`([A-Za-z_.]+)`", row[-1])  # what follows it may stand elsewhere
        if first is not None:
            assert any(first[1] in defined.get(file, ()) for file in files), (
                f"{first[1]} is not in {', '.join(map(str, files))}"
            )


def test_every_equation_of_the_paper_is_on_its_page():
    said = {
        int(number)
        for row in re.findall(r"^\| ([\d, ]+) \|", PAPER, re.MULTILINE)
        for number in row.split(",")
    }
    assert said | {24} == set(range(1, 25))
    assert "eq. 24" in PAPER


def names_defined(tree: ast.Module) -> set[str]:
    """Classes, functions, and methods and attributes as Class.name."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            for each in node.body:
                match each:
                    case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                        found.add(f"{node.name}.{name}")
                    case ast.Assign(targets=[ast.Name(id=name)]):
                        found.add(f"{node.name}.{name}")
    return found


if __name__ == "__main__":
    lines = "".join(f"    {below} --> {layer}\n" for below, layer in sorted(arrows()))
    picture = f"```mermaid\nflowchart TD\n{lines}```"
    drawn = re.sub(r"```mermaid\n.*?```", picture, BUILT, flags=re.DOTALL)
    (HERE / "docs" / "built.md").write_text(drawn)
