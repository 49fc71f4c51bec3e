"""The one way in: what is no file, too large, too deep or no such record ends in one line."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Meta, Struct

from algolens.algorithms import algorithm
from algolens.errors import AlgoLensError, ReadingError, brief
from algolens.evaluation.metrics import ScoresRecord
from algolens.experiment.config import preset
from algolens.extraction.extraction import RuleSetsRecord
from algolens.proofs.certificate import CertificatesRecord
from algolens.reading import MOST_NESTED, check_nesting, read_bytes, read_columns, read_record
from algolens.records import DeclarationRecord, Experiment, ExperimentRecord, StudyRecord
from tests.refusals import complaint

ROOT = Path(__file__).parents[1]
FILES: dict[str, type[Any]] = {
    "experiment.json": ExperimentRecord,
    "scores.json": ScoresRecord,
    "study.json": StudyRecord,
    "certificate.json": CertificatesRecord,
    "declaration.json": DeclarationRecord,
    "rule_sets.json": RuleSetsRecord,
}
RUN = ROOT / "results" / "runs" / "bfs-exact"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


class Small(Struct, forbid_unknown_fields=True):
    count: Annotated[int, Meta(ge=0, le=9)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"count": 10}', "f.json, count: expected 'int' <= 9."),
        ('{"count": "1"}', "f.json, count: expected 'int', got 'str'."),
        ('{"count": 1, "more": 2}', "f.json: Object contains unknown field `more`."),
        ("{}", "f.json: Object missing required field `count`."),
        ("{", "f.json is no JSON (Input data was truncated)."),
        ('{"count": NaN}', "f.json is no JSON"),
        ('{"count": 1e400}', "f.json, count: number out of range."),
        ('{"count": ' + "9" * 6000 + "}", "f.json, count: integer value out of range."),
        ("[" * 100_000, "f.json has brackets 100,000 deep, and 200 are the most that is read."),
        ("\xff", "f.json is no JSON"),
    ],
)
def test_an_error_names_the_file_and_the_field(text, said, tmp_path):
    (tmp_path / "f.json").write_text(text, encoding="latin-1")
    with pytest.raises(ReadingError) as problem:
        read_record(tmp_path / "f.json", Small)
    assert str(problem.value).removeprefix(f"{tmp_path}/").startswith(said)


def test_what_is_no_regular_file_is_refused_and_keeps_nobody_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(ReadingError, match="is no regular file"):
            read_bytes(path)
    (tmp_path / "large").write_bytes(b"x" * 11)
    with pytest.raises(ReadingError, match="larger than 10 bytes"):
        read_bytes(tmp_path / "large", 10)


@given(JSON)
@settings(max_examples=30)
def test_nesting_is_counted_outside_of_texts(value):
    def depth(part: Any) -> int:
        inner = part.values() if isinstance(part, dict) else part
        return 1 + max(map(depth, inner), default=0) if isinstance(part, list | dict) else 0

    check_nesting(json.dumps([value, '[[[["\\']).encode(), "x")
    deep: Any = value
    for _ in range(MOST_NESTED - depth(value)):
        deep = [deep]
    check_nesting(json.dumps(deep).encode(), "x")
    with pytest.raises(ReadingError, match="201 deep"):
        check_nesting(json.dumps([deep]).encode(), "x")


@given(data=st.data())
@settings(max_examples=60)
def test_any_damage_of_a_file_of_a_run_is_refused_in_one_line_or_read(data, tmp_path_factory):
    name = data.draw(st.sampled_from(sorted(FILES)))
    value: Any = json.loads((RUN / name).read_text())
    holder = value
    while True:  # down to any depth
        key = data.draw(
            st.sampled_from(sorted(holder) if isinstance(holder, dict) else range(len(holder)))
        )
        if not holder[key] or not isinstance(holder[key], dict | list) or data.draw(st.booleans()):
            break
        holder = holder[key]
    holder[key] = data.draw(JSON)
    path = tmp_path_factory.mktemp("run") / name
    path.write_text(json.dumps(value))
    if complaint(lambda: read_record(path, FILES[name])) is None and name == "experiment.json":
        complaint(lambda: Experiment.from_json(read_record(path, ExperimentRecord)))


def test_numbers_of_a_history_come_back_and_words_are_refused(tmp_path):
    path, needed = tmp_path / "history.csv", ("epoch", "seed")
    path.write_text("epoch,seed,loss\n1,0,0.5\n2,0,\n")
    assert read_columns(path, needed)[1] == {"epoch": 2.0, "seed": 0.0, "loss": None}
    path.write_text("")
    assert read_columns(path, needed) == []
    for text, said in {
        "epoch,seed\n1,0,3\n": "line 2: zip",
        "epoch,seed\n1,many\n": "line 2: could not convert string to float: 'many'",
        "epoch,seed\n1,nan\n": "line 2: nan is no finite number",
        "epoch,loss\n1,2\n": "line 2: it has no epoch or no seed",
        "epoch,seed\n" + "9" * 200_000 + ",1\n": "line 2: field larger than field limit",
    }.items():
        path.write_text(text)
        with pytest.raises(ReadingError, match=re.escape(said)):
            read_columns(path, needed)


def test_an_experiment_takes_no_unknown_setting():
    made = preset("exact", algorithm("bfs")).to_json()
    with pytest.raises(AlgoLensError, match="the experiment, schedule"):
        Experiment.from_json({**made, "schedule": {**made["schedule"], "speed": 3}})
    with pytest.raises(AlgoLensError, match="is 99999: give a whole number from 1 to 4,096"):
        Experiment.from_json({**made, "architecture": {**made["architecture"], "width": 99999}})


@given(st.text(max_size=3000))
def test_what_others_wrote_is_one_short_line(text):
    assert brief(text).isprintable()
    assert len(brief(text)) <= 403
