"""Scores and studies are records: what contradicts itself is refused, what is read comes back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins

from algolens.errors import ReadingError
from algolens.evaluation.metrics import ScoresRecord
from algolens.extraction.observations import Tree
from algolens.reading import as_record, read_record
from algolens.records import StudyRecord

ROOT = Path(__file__).parents[2]
STUDIES = sorted(ROOT.glob("results/runs/*/study.json"))
SCORES = sorted([*ROOT.glob("results/runs/*/scores*.json"), *ROOT.glob("src/**/scores.json")])


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.parent.name)
def test_a_study_comes_back_as_it_was_written(path):
    record = read_record(path, StudyRecord)
    assert as_record(to_builtins(record), StudyRecord, "") == record
    assert json.loads(json.dumps(to_builtins(record))) == json.loads(path.read_text())


def test_every_figure_of_scores_is_read():
    assert SCORES
    for path in SCORES:
        record, written = read_record(path, ScoresRecord), json.loads(path.read_text())
        assert list(record.sizes) == list(written["sizes"])
        for size, figures in written["sizes"].items():
            for metric, value in figures.items():
                found: Any = getattr(record.sizes[size], metric)
                assert to_builtins(found) == value
                if not metric.startswith(("per_", "spread", "graphs_of", "graphs")):
                    mean = value["mean"] if isinstance(value, dict) else value
                    shown = record.sizes[size].figure(metric)
                    assert shown is not None
                    assert shown.mean == mean


@pytest.mark.parametrize(
    ("pattern", "concepts"), [("2", 1), ("18446744073709551616", 64), ("9" * 20, 2)]
)
def test_a_pattern_of_more_concepts_than_there_are_is_refused(pattern, concepts):
    names = [f"c{number}" for number in range(concepts)]
    decisions = {"output": "out", "concepts": names, "decided": {"true": {pattern: 1}}}
    with pytest.raises(ReadingError, match=r"a pattern is \d+, and there are"):
        as_record(decisions, Tree, "study.json")
