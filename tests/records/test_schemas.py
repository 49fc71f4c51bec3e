"""The published schemas and the readers agree."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from algolens.errors import AlgoLensError
from algolens.experiment.model import certificates_json
from algolens.extraction.extraction import RuleSetsRecord
from algolens.proofs.certificate import CertificatesRecord
from algolens.reading import read_record, record_from
from algolens.records import FILES, DeclarationRecord, schemas, write_schemas

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"
SHIPPED = Path(str(files("algolens"))) / "shipped" / "coloring"
RESULTS = PUBLISHED.parents[1] / "results" / "runs"
RUNS = sorted(
    path.parent for at in (SHIPPED.parent, RESULTS) for path in at.glob("*/rule_sets.json")
)
WRITTEN = [name for name in FILES if (SHIPPED / f"{name}.json").is_file()]
# of other types, out of range, or more than there should be
ODD: list[object] = [None, True, -1, 2**60, 1.5, "", "x" * 600, [], {}, [[]], {"more": 1}]


def test_what_is_published_is_what_the_records_make(tmp_path):
    write_schemas(tmp_path)
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (PUBLISHED / path.name).read_bytes(), "run `make schemas`"
    assert {path.name for path in PUBLISHED.iterdir()} == {path.name for path in tmp_path.iterdir()}


@pytest.mark.parametrize("path", sorted(SHIPPED.parent.glob("*/declaration.json")), ids=str)
def test_what_is_declared_is_read_as_it_was_written(path):
    record = read_record(path, DeclarationRecord)
    assert record.algorithm == json.loads(path.read_text())["algorithm"]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_what_is_made_of_rules_and_certificates_is_written_as_it_was(folder):
    path = folder / "rule_sets.json"
    for entry, written in zip(
        read_record(path, RuleSetsRecord).seeds, json.loads(path.read_text())["seeds"], strict=True
    ):
        made = entry.extraction(str(path)).to_json()
        for described in (made, written):
            described["rule_set"].pop("remarks", None)  # they are told anew
        for output in written["outputs"].values():
            for rule in output["classes"].values():
                rule.setdefault("mostly", None)
        assert {"seed": entry.seed, **made} == written
    path = folder / "certificate.json"
    if path.is_file():
        certificates = read_record(path, CertificatesRecord).certificates
        assert json.loads(json.dumps(certificates_json(certificates))) == json.loads(
            path.read_text()
        )


@pytest.mark.parametrize("name", WRITTEN)
def test_schema_and_reader_take_and_refuse_the_same(name):
    document = json.loads((SHIPPED / f"{name}.json").read_text())
    judge = Draft202012Validator(schemas()[name])
    judge.validate(document)
    for key in document:
        kept = {other: value for other, value in document.items() if other != key}
        for changed in (kept, *({**document, key: value} for value in ODD)):
            assert judge.is_valid(changed) == is_read(name, changed), (key, changed.get(key))


def is_read(name: str, document: object) -> bool:
    """Whether the reader takes a document."""
    try:
        record_from(json.dumps(document).encode(), FILES[name][0], name)
    except AlgoLensError:
        return False
    return True
