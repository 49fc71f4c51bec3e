"""What is kept is what was made, or is made anew: whatever happens to the disk, and whoever else
writes there.
"""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algolens.algorithms import algorithm
from algolens.data import cache_folder, datasets, fixed
from algolens.errors import AlgoLensWarning
from algolens.graphs import Recipe
from algolens.layers import layer_files
from tests.children import ended, forked
from tests.test_layers import ROOT, imported

SMALL = Recipe(families=("ladder", "tree"), size=6, train=5, held_out=2, test_sizes=())
KRUSKAL = algorithm("kruskal")


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ALGOLENS_CACHE", str(tmp_path / "cache"))


def entry() -> Path:
    return next(cache_folder().glob("kruskal-train-*"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_changed_bit_is_noticed_and_what_was_kept_is_made_anew(data):
    made = fixed(KRUSKAL, 0, SMALL)
    whole = entry().read_bytes()
    # the digest, the header, the tensors: each as often
    place = data.draw(st.integers(0, 31) | st.integers(32, 1000) | st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[place] ^= 1 << data.draw(st.integers(0, 7))
    entry().write_bytes(damaged)
    with pytest.warns(
        AlgoLensWarning, match=r"is not as it was written .*: what it held is made anew"
    ):
        assert fixed(KRUSKAL, 0, SMALL).train.equals(made.train)
    assert entry().read_bytes() == whole
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fixed(KRUSKAL, 0, SMALL)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 5000), st.binary(max_size=50))
def test_a_file_cut_short_or_lengthened_is_noticed(length, more):
    made = fixed(KRUSKAL, 0, SMALL)
    whole = entry().read_bytes()
    damaged = whole[:length] + more
    if damaged == whole:
        return
    entry().write_bytes(damaged)
    with pytest.warns(AlgoLensWarning):
        assert fixed(KRUSKAL, 0, SMALL).train.equals(made.train)


def test_what_is_kept_is_not_made_again(monkeypatch):
    fixed(KRUSKAL, 0, SMALL)
    monkeypatch.setattr(datasets, "run_algorithm", lambda *_: pytest.fail("it is made again"))
    fixed(KRUSKAL, 0, SMALL)


def test_several_processes_may_make_the_same_entry_at_once():
    def make_and_read() -> None:
        warnings.simplefilter("error")
        expected = fixed(KRUSKAL, 0, SMALL).train
        for _ in range(10):
            for path in cache_folder().glob("*.kept"):
                path.unlink(missing_ok=True)
            assert fixed(KRUSKAL, 0, SMALL).train.equals(expected)

    children = [forked(make_and_read) for _ in range(3)]
    assert [ended(child) for child in children] == [0] * 3
    assert len(list(cache_folder().iterdir())) == 2


def test_data_is_made_anew_after_a_change_of_any_code_that_makes_it():
    counted = set(layer_files("data"))
    for path in counted:
        for node in ast.walk(ast.parse(path.read_text())):
            for layer in imported(node):
                files = list((ROOT / layer).rglob("*.py")) or [ROOT / f"{layer}.py"]
                assert counted.issuperset(files), f"{path} imports {layer}, which does not count"
