"""Files come in and go out through the gates alone: what is new and goes around them fails here."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from typing import TypedDict

from msgspec import Struct

import algolens
from algolens.records import ExperimentRecord

ROOT = Path(algolens.__file__).parent
# what reads, writes or takes apart a file
DOORS = {
    *("open", "os.open", "Path.open", "mmap.mmap", "shutil.copy", "shutil.move", "shutil.rmtree"),
    *("read_text", "read_bytes", "write_text", "write_bytes", "touch", "tofile", "savefig"),
    *("json.load", "json.loads", "json.dump", "pickle.load", "pickle.loads", "safe_open"),
    *("torch.load", "torch.save", "np.load", "np.save", "np.savez", "load_file", "save_file"),
    *("ElementTree.parse", "ElementTree.fromstring", "yaml.load", "csv.reader"),
}
# the gates, and what goes through none of them, with the reason
ALLOWED = {
    "reading.py": "the gate for what comes in",
    "disk.py": "the gate for what goes out",
    "models/weight_files.py": "the gate for tensors",
    "training/checkpoint.py": "the header of a file whose SHA-256 is checked",
    "graphs/text_tables.py": "maps a regular file of any size into memory",
    "data/cache.py": "files whose SHA-256 is checked first",
    "checker.py": "imports nothing of the library, and is one file to be read by itself",
    "reference.py": "imports nothing of the library, and is one file to be read by itself",
    "proofs/certificate.py": "the package's own sources",
    "cli/algorithms.py": "a template of the package",
    "player/page.py": "parts of the page that come with the package",
    "cli/output.py": "standard output that is gone",
    "clrs/traces.py": "arrays without objects, from bytes that the gate has read",
    "reports/figures.py": "draws into memory",
    "processes.py": "messages of our own workers, and a mark that machines look for",
    "engines/sql/databases.py": "a folder for the engine's own files, which it made",
}


def called(node: ast.Call) -> set[str]:
    """The names by which a function is called: with and without the module that it is in."""
    match node.func:
        case ast.Name(id=name):
            return {name}
        case ast.Attribute(value=value, attr="open") if "os" not in ast.unparse(value):
            return {"Path.open"} if ast.unparse(value) != "webbrowser" else set()
        case ast.Attribute(value=value, attr=name):
            return {name, f"{ast.unparse(value)}.{name}"} - {"open", "load", "loads"}
    return set()


def doors() -> dict[str, list[str]]:
    """By file, where it goes through a door itself."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(ROOT.rglob("*.py")):
        tree = ast.parse(path.read_text())
        imported = {
            alias.asname or alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("algolens")
            for alias in node.names
        }
        own = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (called(node) - imported - own) & DOORS:
                found[path.relative_to(ROOT).as_posix()].append(
                    f"{node.lineno}: {ast.unparse(node)}"
                )
    return found


def test_nothing_goes_around_the_gates():
    around = {file: lines for file, lines in doors().items() if file not in ALLOWED}
    around.pop("engines/sql/parquet.py", None)  # opens tables of a database
    assert around == {}, "read by algolens.reading, write by algolens.disk"


def test_no_exception_is_left_of_what_is_gone():
    assert set(ALLOWED) - set(doors()) == set()


def test_every_door_is_seen():
    for line in ("open('x', 'w')", "Path('x').write_text('')", "json.loads(x)", "torch.load(x)"):
        (statement,) = ast.parse(line).body
        assert isinstance(statement, ast.Expr)
        assert isinstance(statement.value, ast.Call)
        assert called(statement.value) & DOORS


# ---- what comes in is a record

# by a reader of the gate: which of its arguments is the kind of record
READERS = {
    **dict.fromkeys(("read_record", "record_from", "as_record"), 1),
    "measured_record": 2,
}
FREE_READERS = {"own_json", "read_free_json"}
# what is read as something else than a frozen record, by file and kind, with the reason
FREE = {
    ("engines/program.py", "cls"): "the program itself, a frozen record",
    ("engines/program.py", "dict"): "a state as it was saved, from which that takes its fields",
    ("experiment/model.py", "dict[str, Any]"): "whether the names are there, and nothing else",
    ("experiment/shipped.py", "dict[str, Any]"): "its hash, and nothing else",
    ("discovery/recorded.py", "Document"): "an object or a list of runs, each then a record",
    ("discovery/recorded.py", "list[RunRecord]"): "those records",
    ("cli/options.py", "Setting"): "one number, word or truth value",
    ("records.py", "cls"): "an experiment, of the frozen record of its file",
    ("reproduction/gathering.py", "kind"): "the record that its caller names",
    ("records.py", "kind"): "the record that its caller names",
    ("training/checkpoint.py", "own_json"): "the header of a file whose SHA-256 is checked",
    ("graphs/files.py", "read_free_json"): "a graph of others, whose attributes have any names",
}


def is_frozen_record(kind: object) -> bool:
    """Whether it is a record that is used by attribute and cannot be changed."""
    if isinstance(kind, type) and issubclass(kind, Struct):
        return kind.__struct_config__.frozen
    return is_dataclass(kind) and getattr(kind, "__dataclass_params__").frozen is True  # noqa: B009


def read_freely() -> set[tuple[str, str]]:
    """By file, each kind that is read outside of the gate and is no frozen record."""
    found = set()
    for path in sorted(ROOT.rglob("*.py")):
        file, text = path.relative_to(ROOT).as_posix(), path.read_text()
        if file == "reading.py" or not any(name in text for name in {*READERS, *FREE_READERS}):
            continue
        name = f"algolens.{file.removesuffix('.py').replace('/', '.')}".removesuffix(".__init__")
        for node in ast.walk(ast.parse(text)):
            match node:
                case ast.Call(func=ast.Name(id=reader), args=given) if reader in READERS:
                    kind = ast.unparse(given[READERS[reader]])
                    if not is_frozen_record(getattr(import_module(name), kind, None)):
                        found.add((file, kind))
                case ast.Call(func=ast.Name(id=reader)) if reader in FREE_READERS:
                    found.add((file, reader))
    return found


def test_what_a_file_holds_is_a_record_beyond_the_gate():
    assert read_freely() - set(FREE) == set(), "give the record of the file, a frozen Struct"


def test_no_free_reading_is_excused_that_is_gone():
    assert set(FREE) - read_freely() == set()


class Typed(TypedDict):
    """No record: a dictionary whose keys alone are typed."""


def test_a_record_is_told_from_a_dictionary():
    assert is_frozen_record(ExperimentRecord)
    assert not any(map(is_frozen_record, (dict, dict[str, int], Typed, None)))
