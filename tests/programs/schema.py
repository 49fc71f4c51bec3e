"""The schema of a program's JSON: ``make schemas`` writes it anew where that has changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from algolens.disk import write_json
from algolens.engines import program
from algolens.engines.foreign import ENGINES
from algolens.engines.program import Program
from algolens.reading import schema_of

SCHEMA = Path(program.__file__).with_name("program.schema.json")


def write_schema(path: Path) -> None:
    """Writes the schema."""
    made = schema_of(
        Program,
        "An AlgoLens program that stands alone",
        "What an algorithm on graphs is given and sees, how its state begins and changes, its "
        "rules, and when it goes on. `algolens explain RUN --save FILE` writes it, `algolens "
        "execute FILE GRAPH` runs it.",
    )
    kinds, definitions = made["$defs"]["Not"]["properties"]["term"]["anyOf"], made["$defs"]
    named = {kind["$ref"].rpartition("/")[2] for kind in kinds}

    def once(value: Any) -> Any:
        """An expression stands in many places: its definition stands once."""
        if isinstance(value, dict) and value.get("anyOf") == kinds:
            return {"$ref": "#/$defs/Expr"}
        if isinstance(value, dict):
            return {key: once(part) for key, part in value.items()}
        return [once(part) for part in value] if isinstance(value, list) else value

    for name in named & {one.__name__ for one in ENGINES}:
        del definitions[name]
    for name, one in ((" ", made), *definitions.items()):  # what a reader knows without being told
        if name not in named:
            one["required"] = [
                key for key in one.get("required", ()) if key not in ("format", "type")
            ]
    hir = [kind for kind in kinds if kind["$ref"].rpartition("/")[2] in definitions]
    made = once(made)
    made["$defs"]["Expr"] = {"anyOf": hir}
    write_json(path, made)


if __name__ == "__main__":
    write_schema(SCHEMA)
