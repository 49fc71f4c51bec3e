"""Laws of fields over time: kept as frames or as changes, they read alike."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from algolens.algorithms import algorithm
from algolens.engines import Run, Timeline, run_algorithm
from algolens.engines import timeline as timelines
from algolens.engines.run import OVER_TIME
from algolens.engines.timeline import Frames
from algolens.graphs import Graph
from tests.engines.test_loop import any_algorithm
from tests.other_runs import as_changes, by_changes
from tests.strategies import batches, streams


@st.composite
def drawn_rows(draw: st.DrawFn, least: int = 0, count: int | None = None) -> Tensor:
    """[T, N] values of which few or many change in a step, in any type that a field has."""
    steps = draw(st.integers(least, 9))
    count = draw(st.integers(0, 6)) if count is None else count
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    changes = rng.random((steps, count)) < draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    values = rng.integers(-3, 4, (steps, count))
    for step in range(1, steps):
        values[step] = np.where(changes[step], values[step], values[step - 1])
    return torch.from_numpy(values).to(draw(st.sampled_from([torch.int64, torch.bool])))


@given(drawn_rows(), st.integers(1, 8), st.data())
def test_kept_as_changes_it_reads_as_its_frames(rows, spacing, data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timelines, "LEAST_SPACING", spacing)  # so that there are keyframes
        made = as_changes(Timeline.of_rows(rows))
        for over_time in (Timeline.of_rows(rows), made):
            assert len(over_time) == over_time.num_steps == len(rows)
            assert torch.equal(over_time.dense(), rows)
            order = data.draw(st.permutations(range(-len(rows), len(rows))))
            for step in order:  # forth and back
                assert torch.equal(over_time[step], rows[step])
            for outside in (len(rows), -len(rows) - 1):
                with pytest.raises(IndexError, match="is not there"):
                    over_time[outside]
            if len(rows):
                assert torch.equal(over_time[-1], rows[-1])


@given(drawn_rows())
def test_changes_are_where_a_row_differs_from_the_one_before(rows):
    for over_time in (Timeline.of_rows(rows), as_changes(Timeline.of_rows(rows))):
        counted = 0
        for step in range(1, len(rows)):
            here = over_time.steps == step
            elements, values = over_time.elements[here], over_time.values[here]
            differs = rows[step] != rows[step - 1]
            assert elements.tolist() == differs.nonzero().flatten().tolist()
            assert values.tolist() == rows[step][differs].tolist()
            assert torch.equal(over_time.is_new(step), differs)
            counted += len(elements)
        assert counted == len(over_time.steps) == len(over_time.elements) == len(over_time.values)
        assert not (over_time.steps == 0).any()
        if len(rows):
            assert torch.equal(over_time.is_new(0), rows[0] != 0)
            assert not over_time.is_new(0, rows[0]).any()


@given(drawn_rows(least=1))
def test_an_elements_history_tells_its_column(rows):
    for over_time in (Timeline.of_rows(rows), as_changes(Timeline.of_rows(rows))):
        for element, column in enumerate(rows.T.tolist()):
            steps, values = (part.tolist() for part in over_time.history(element))
            told = [values[np.searchsorted(steps, step, "right") - 1] for step in range(len(rows))]
            assert told == column
            assert all(one != other for one, other in pairwise(values))
        at, elements = torch.meshgrid(*map(torch.arange, rows.shape), indexing="ij")
        found = over_time.values_at(at.flatten(), elements.flatten())
        assert torch.equal(found.view_as(rows), rows)


@given(drawn_rows(), st.data())
def test_parts_of_it_are_parts_of_its_frames(rows, data):
    count = rows.shape[1]
    chosen = data.draw(st.lists(st.integers(0, count - 1), max_size=8)) if count else []
    steps, elements = data.draw(st.integers(0, len(rows))), torch.tensor(chosen, dtype=torch.int64)
    before = torch.ones(count, dtype=rows.dtype)
    for over_time in (Timeline.of_rows(rows), as_changes(Timeline.of_rows(rows))):
        assert torch.equal(over_time.take(elements, steps).dense(), rows[:steps, elements])
        assert torch.equal(over_time.preceded_by(before).dense(), torch.cat([before[None], rows]))
        assert over_time.to("cpu").equals(over_time)


@given(drawn_rows(), st.data())
def test_two_are_equal_where_all_frames_are(rows, data):
    others = data.draw(drawn_rows(count=rows.shape[1])).to(rows.dtype)
    if data.draw(st.booleans()) and rows.numel():  # or nearly the same
        others = rows.clone()
        others[data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 0))] = 1
    steps = min(len(rows), len(others))
    for one in (Timeline.of_rows(rows), as_changes(Timeline.of_rows(rows))):
        assert one.equals(Timeline.of_rows(rows))
        for other in (Timeline.of_rows(others), as_changes(Timeline.of_rows(others))):
            assert one.equals(other) == torch.equal(rows, others)
            expected = [
                next((step for step in range(steps) if rows[step, i] != others[step, i]), steps)
                for i in range(rows.shape[1])
            ]
            assert one.first_differences(other, steps).tolist() == expected


@given(st.lists(drawn_rows(), min_size=1, max_size=3), st.sampled_from([0, 20, 60, 10**6]))
def test_frames_make_the_same_timelines_in_any_room(fields, room):
    steps = min(map(len, fields))
    frames = Frames(room)
    for step in range(steps):
        # a field that does not change may be handed on as the same tensor
        frames.add(
            {
                str(number): frames.last[str(number)]
                if step and torch.equal(rows[step], rows[step - 1])
                else rows[step]
                for number, rows in enumerate(fields)
            }
        )
    made = frames.timelines()
    assert len(made) == (len(fields) if steps else 0)
    for name, over_time in made.items():
        assert torch.equal(over_time.dense(), fields[int(name)][:steps])


@given(any_algorithm, batches(), streams())
def test_a_run_kept_as_changes_is_the_same_run(chosen, graph, rng):
    inputs = chosen.sample(graph, rng)
    run = run_algorithm(chosen, graph, inputs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Frames.__init__, "__defaults__", (0,))
        kept = run_algorithm(chosen, graph, inputs)
    assert kept.equals(run)
    assert run.equals(kept)
    assert Run.from_tensors(chosen, kept.tensors()).equals(run)
    assert by_changes(run).equals(kept)
    last = [graph.num_graphs - 1]
    assert kept.take(last).equals(run.take(last))
    assert torch.equal(kept.patterns(), run.patterns())
    assert torch.equal(kept.patterns_ahead(), run.patterns_ahead())
    for name in run.start:
        assert kept.state(name).equals(run.state(name))
        assert torch.equal(kept.final(name), run.final(name))


@pytest.mark.parametrize("name", ["bfs", "dijkstra"])
def test_memory_grows_with_the_changes(name, monkeypatch):
    """On a path, a step changes a few nodes whatever their number is."""
    monkeypatch.setattr(Frames.__init__, "__defaults__", (10_000,))
    stored = {}
    for num_nodes in (100, 200):
        ends = np.stack([np.arange(num_nodes - 1), np.arange(1, num_nodes)], 1)
        path, chosen = Graph.pack([num_nodes], ends), algorithm(name)
        inputs = {"source": torch.tensor([0])}
        if "weight" in chosen.declaration.inputs:
            inputs["weight"] = torch.ones(num_nodes - 1, dtype=torch.int64)
        run = run_algorithm(chosen, path, inputs)
        assert run.num_steps >= num_nodes - 1
        over_time = [each for part in OVER_TIME for each in getattr(run, part).values()]
        stored[num_nodes] = sum(len(each.first) + len(each.values) for each in over_time)
        assert stored[num_nodes] <= 12 * num_nodes * len(over_time)
    assert stored[200] < 2.2 * stored[100]
