"""What is decided wrongly now and then is described by few observations, and exceptions."""

import numpy as np
import pytest
from benchmarks.noisy_oracle import NoisyOracle
from hypothesis import given, settings
from hypothesis import strategies as st

import algolens as al
from algolens.algorithms import algorithm
from algolens.discovery import AlgorithmOracle, Limits, discover
from algolens.discovery.differences import BlackBoxCheck, contradictions, fidelity
from algolens.discovery.fit import BitTable, pack_columns, shortest_description
from algolens.discovery.sampling import random_runs
from algolens.errors import AlgoLensError


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 9), st.integers(0, 9), st.floats(0, 0.1))
def test_the_function_behind_wrong_labels_is_described(seed, one, other, share):
    rng = np.random.default_rng(seed)
    table = rng.random((600, 10)) < 0.5
    truth = table[:, one] & ~table[:, other] if one != other else table[:, one]
    wrong = rng.random(600) < share
    labels = (truth ^ wrong).astype(np.int64)
    described = shortest_description(pack_columns(table), labels, np.ones(10), Limits())
    assert set(described.chosen) == {one, other}
    assert (described.is_exception == wrong).all()
    assert described.share == pytest.approx(wrong.mean())


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_chance_is_not_explained(seed):
    rng = np.random.default_rng(seed)
    table, labels = rng.random((300, 200)) < 0.5, (rng.random(300) < 0.1).astype(np.int64)
    described = shortest_description(pack_columns(table), labels, np.ones(200), Limits())
    assert described.chosen == ()
    assert described.is_exception.sum() == min(labels.sum(), 300 - labels.sum())


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.lists(st.integers(0, 90), max_size=3))
def test_columns_are_packed_as_they_are(seed, count, widths):
    rng = np.random.default_rng(seed)
    tables = [rng.random((count, width)) < 0.5 for width in widths]
    bits = BitTable(np.zeros((count, 0), bool))
    for table in tables:
        bits.add(table)
    which = np.flatnonzero(rng.random(count) < 0.7)
    whole = np.concatenate([np.zeros((count, 0), bool), *tables], 1)[which]
    assert np.array_equal(bits.columns(which), pack_columns(whole))
    unpacked = np.unpackbits(pack_columns(whole).view(np.uint8), axis=1, bitorder="little")
    assert np.array_equal(unpacked[:, : len(which)], whole.T)


@pytest.mark.parametrize("name", ["k_core", "independent_set"])
def test_of_runs_with_wrong_outputs(name):
    """What comes back takes the steps of the algorithm that does not err."""
    found = discover(NoisyOracle(algorithm(name), 0.05), limits=Limits(seconds=30), exceptions=True)
    clean = AlgorithmOracle(algorithm(name))
    check = BlackBoxCheck(clean, found.algorithm(), Limits(nodes=3))
    assert check.counterexample(np.random.default_rng(1)) is None
    assert found.known.fresh is not None
    assert found.known.fresh.share == pytest.approx(0.05, abs=0.02)
    assert "are exceptions" in found.known.words()


class FromTheStart(NoisyOracle):
    """It cannot be asked for a step from any other state."""

    can_step = False


def test_exceptions_are_allowed_where_runs_contradict_one_another():
    oracle = FromTheStart(algorithm("bfs"), 0.05)
    found = al.discover(oracle)
    assert "some predecessor (visited)" in {
        entry.text for entry in found.declaration.statements.values()
    }
    assert found.discovery.known.seen is not None
    assert found.to_json()["fidelity"]["shown"]
    with pytest.raises(AlgoLensError, match="not settled"):
        al.discover(oracle, exceptions=False, seconds=2)


def test_contradictions_are_counted():
    rng = np.random.default_rng(0)
    clean, noisy = AlgorithmOracle(algorithm("k_core")), NoisyOracle(algorithm("k_core"), 0.2)
    runs = list(random_runs(clean, 20, (3, 8), rng))
    schema = clean.schema
    assert contradictions(schema, runs * 2) == 0
    wrong = [noisy.run(some.graph, some.inputs) for some in runs]
    assert contradictions(schema, [*runs, *wrong]) > 0


def test_fidelity_counts_what_is_decided_otherwise():
    noisy, ours = NoisyOracle(algorithm("k_core"), 0.1), algorithm("k_core")
    runs = list(random_runs(noisy, 60, (4, 10), np.random.default_rng(3)))
    counted = fidelity(ours, noisy.schema, runs)
    assert counted.exceptions["in_core"] / counted.decisions["in_core"] == pytest.approx(
        0.1, abs=0.03
    )
    assert counted.exceptions["goes_on"] == 0
    assert counted.shown[0].graph.nodes <= counted.shown[-1].graph.nodes
    clean = list(random_runs(AlgorithmOracle(ours), 20, (4, 10), np.random.default_rng(4)))
    assert fidelity(ours, noisy.schema, clean).share == 0
