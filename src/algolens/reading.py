"""The one way in: a file is read whole, of bounded size and depth, as the record it should be."""

from __future__ import annotations

import csv
import functools
import io
import json
import math
import os
import re
import stat
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, get_type_hints

import msgspec
import msgspec.structs
from msgspec import Meta

from algolens.errors import ReadingError, brief

MADE_UP = 2**14  # bytes, in which what the system says of itself has room
MOST_BYTES = 64 * 2**20  # of a file of text
MOST_NESTED = 200  # brackets within brackets: what reads them calls itself, and Python's stack ends
STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # of a pair of numbers that write one character
T = TypeVar("T")
Row = Mapping[str, float | None]  # of a table of numbers, by column
# as in Python; of marks that belong to letters of other scripts, what reads a name decides
Name = Annotated[str, Meta(pattern=r"^[^\W\d](\w|[^\x00-\x9f\s])*$", max_length=200)]
Word = Annotated[str, Meta(max_length=500)]
OneLine = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029]*$", max_length=200)]
Text = Annotated[str, Meta(max_length=100_000)]
Sha256 = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
# which network a file was measured of: ``algolens.models.fingerprint``
Subject = dict[Word, Sha256 | None]
Count = Annotated[int, Meta(ge=0, le=2**53)]
Share = Annotated[float, Meta(ge=0, le=1)]
# in percent; the mean of several 100s may exceed 100 by a rounding
Percent = Annotated[float, Meta(ge=0, le=100.001)]


def check_regular(path: Path) -> None:
    """Refuses what is no file: a folder, a device, or a pipe, which would keep a reader waiting."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as problem:  # no name of a file has a null character
        reason = problem.strerror if isinstance(problem, OSError) else problem
        raise ReadingError(f"{path} cannot be read ({brief(reason)}).") from problem
    if not stat.S_ISREG(mode):
        raise ReadingError(f"{path} is no regular file: give one.")


def read_bytes(path: Path, most: int = MOST_BYTES) -> bytes:
    """What a regular file holds; refused where it is larger than ``most``."""
    check_regular(path)
    try:
        # a pipe that has taken its place since then does not keep the reader waiting
        number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        with open(number, "rb") as file:
            # room is made for what is asked for: no more than the file has, which may be growing;
            # files that the system makes up, as in /proc, say that they are empty
            size = max(os.fstat(number).st_size, MADE_UP)
            content = file.read(min(size, most) + 1)
    except OSError as problem:
        raise ReadingError(f"{path} cannot be read ({problem.strerror}).") from problem
    if len(content) > most:
        raise ReadingError(f"{path} is larger than {most:,} bytes, the most that is read of it.")
    return content


def read_text(path: Path) -> str:
    """The text of a regular file, which is UTF-8."""
    return _text(read_bytes(path), str(path))


def read_record(path: Path, kind: type[T]) -> T:
    """The record that a file of JSON holds; the error names the file and the field."""
    return record_from(read_bytes(path), kind, str(path))


def own_json(content: bytes, where: str) -> dict[str, Any]:
    """An object that we wrote with infinite numbers in it, which JSON has none of."""
    check_nesting(content, where)
    value = json.loads(content)
    if not isinstance(value, dict):
        raise ReadingError(f"{where} holds no object of JSON.")
    return value


def package_json(package: str, name: str) -> Any:
    """What a file of JSON that comes with the package holds, which is trusted."""
    return json.loads((resources.files(package) / name).read_text(encoding="utf-8"))


def through_json(value: Any, default: Callable[[Any], Any] | None = None) -> Any:
    """A value as it would come back from a file of JSON; default: for what is no JSON."""
    return json.loads(json.dumps(value, default=default))


def without_blanks(value: Any) -> str:
    """A value as JSON on one line, its keys in their order."""
    return json.dumps(value, separators=(",", ":"))


def record_from(content: bytes, kind: type[T], where: str) -> T:
    """The same of what was read already; where: a file's name, for messages."""
    check_nesting(content, where)
    try:
        return msgspec.json.decode(content, type=kind, dec_hook=_object)
    except msgspec.ValidationError as problem:
        raise _refusal(problem, where) from problem
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise ReadingError(f"{where} is no JSON ({brief(problem)}).") from problem


def as_record(value: Any, kind: type[T], where: str) -> T:
    """The record that a value of JSON is, which is in memory already, or another record."""
    try:
        return msgspec.convert(value, kind, dec_hook=_object, from_attributes=True)
    except msgspec.ValidationError as problem:
        raise _refusal(problem, where) from problem


def read_free_json(
    path: Path, most: int, parse_int: Callable[[str], Any], parse_float: Callable[[str], Any]
) -> Any:
    """JSON of others, its numbers read as they are written: for graphs alone."""
    content = read_bytes(path, most)
    check_nesting(content, str(path))
    try:
        value = json.loads(_text(content, str(path)), parse_int=parse_int, parse_float=parse_float)
        if HALF.search(content):
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except ValueError as problem:
        raise ReadingError(f"{path}: not JSON ({brief(problem)}). Correct the file.") from problem
    return value


def read_columns(path: Path, needed: tuple[str, ...]) -> list[Row]:
    """The rows of a table of finite numbers with a header; an empty cell is None.

    needed: columns that are there, and have a number in every row.
    """
    lines = csv.reader(io.StringIO(read_text(path)))
    rows: list[Row] = []
    try:
        names = next(lines, list(needed))
        for cells in lines:
            row = {name: _number(cell) for name, cell in zip(names, cells, strict=True)}
            if any(row.get(name) is None for name in needed):
                raise ValueError(f"it has no {' or no '.join(needed)}")
            rows.append(row)
    except (ValueError, csv.Error) as problem:
        raise ReadingError(f"{path}, line {lines.line_num}: {brief(problem)}.") from problem
    return rows


def _number(cell: str) -> float | None:
    value = float(cell) if cell else None
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{cell} is no finite number")
    return value


def check_nesting(content: bytes, where: str) -> None:
    """Refuses brackets within brackets too deep, before anything reads them."""
    import numpy as np

    marks = np.frombuffer(STRING.sub(b"", content), np.uint8)
    steps = np.isin(marks, list(b"[{")).astype(np.int8) - np.isin(marks, list(b"]}"))
    depth = int(np.cumsum(steps, dtype=np.int64).max(initial=0))
    if depth > MOST_NESTED:
        raise ReadingError(
            f"{where} has brackets {depth:,} deep, and {MOST_NESTED} are the most that is read."
        )


@functools.cache
def strict(kind: type) -> type[msgspec.Struct]:
    """A record of a dataclass's fields that takes no others, nor do the dataclasses in it.

    A field whose metadata say that it is ``unwritten`` is in no file.
    """
    hints = get_type_hints(kind, include_extras=True)
    declared: list[Any] = []
    for part in fields(kind):
        hint = hints[part.name]
        default: Any = () if part.default is MISSING else (part.default,)
        if part.default_factory is not MISSING:
            default = (msgspec.field(default_factory=part.default_factory),)
        if not part.metadata.get("unwritten"):
            inner = strict(hint) if isinstance(hint, type) and is_dataclass(hint) else hint
            declared.append((part.name, inner, *default))
    return msgspec.defstruct(kind.__name__, declared, forbid_unknown_fields=True, frozen=True)


def schema_of(kind: type, title: str, described: str) -> dict[str, Any]:
    """The JSON schema of a record, as it is published."""
    (made,), definitions = msgspec.json.schema_components(
        [kind], schema_hook=_schema, ref_template="#/$defs/{name}"
    )
    top = definitions.pop(made["$ref"].rpartition("/")[2])
    said = ""
    while said != (said := json.dumps([top, definitions])):  # those that others refer to, too
        definitions |= {name: made for name, made in TREES.items() if f'/{name}"' in said}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **top,
        "title": title,
        "description": described,
        "$defs": definitions,
    }


class Tree(Protocol):
    """In a record, an object that is written as lists within lists."""

    # its definition in a schema, by name, and those that it refers to
    definitions: ClassVar[Mapping[str, Any]]

    @classmethod
    def from_json(cls, value: Any) -> Tree:
        """The object; what is none is refused."""


TREES: dict[str, Any] = {}  # definitions of those in a schema


def _object(kind: type[Tree], value: Any) -> Tree:
    return kind.from_json(value)


def _schema(kind: type[Tree]) -> dict[str, Any]:
    TREES.update(kind.definitions)
    return {"$ref": f"#/$defs/{next(iter(kind.definitions))}"}


def _refusal(problem: msgspec.ValidationError, where: str) -> ReadingError:
    """'FILE, field: what is expected there.'"""
    said, at, field = str(problem).rpartition(" - at `")
    if not at:
        return ReadingError(f"{where}: {brief(problem)}.")
    field = field.rstrip("`").replace("` in `", " of ").removeprefix("$.").replace("$", "it")
    said = brief(said.replace("`", "'"))
    return ReadingError(f"{where}, {field}: {said[:1].lower()}{said[1:]}.")


def _text(content: bytes, where: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ReadingError(f"{where} is no text in UTF-8 (byte {problem.start:,}).") from problem
