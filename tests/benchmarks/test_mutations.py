"""A short campaign of spoilt networks: what is called proven runs right, and both judges agree."""

from __future__ import annotations

from benchmarks.mutations import PROVEN, REFUSED, WAYS, WRONG, campaign


def test_no_verdict_is_contradicted_by_a_run() -> None:
    found = list(campaign(["bfs", "bfs_tree", "k_core", "matching"], 4 * len(WAYS), seed=3))
    assert {each.way for each in found} == {way.__name__ for way in WAYS}
    for each in found:
        assert not each.is_contradicted, each
        assert each.by_prover == each.by_checker, each
    assert {each.by_prover for each in found} == {PROVEN, WRONG, REFUSED}
    assert any(each.is_wrong and each.by_prover == WRONG for each in found)  # a run can tell
