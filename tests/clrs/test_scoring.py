"""Scores of predictions are those of dm-clrs 2.0.3, and say how many graphs are right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import algolens as al
from algolens.clrs.scoring import ONE_OF
from algolens.clrs.traces import SIZES, Trace, all_probes, probes_of
from algolens.errors import AlgoLensError
from tests.clrs.predicted import draw_predicted

# what clrs.evaluate and clrs.evaluate_hints of dm-clrs 2.0.3 give for `predicted`
BY_CLRS = {
    "bfs": {"pi": 0.53125, "score": 0.53125, "reach_h": 0.645689148, "pi_h": 0.4625},
    "topological_sort": {
        "topo": 0.4609375,
        "topo_head": 0.375,
        "score": 0.41796875,
        "topo_h": 0.528186275,
        "topo_head_h": 0.532679739,
        "color": 0.66625817,
        "s_prev": 0.535130719,
    },
    "bridges": {
        "is_bridge": 0.626373626,
        "score": 0.626373626,
        "is_bridge_h": 0.339302846,
        "d": 0.14351571,
        "time": 0.111032286,
    },
    "quickselect": {"median": 0.5, "score": 0.5, "i_rank": 0.062786789, "pivot": 0.559171598},
    "mst_kruskal": {"in_mst": 0.321475626, "mask_u": 0.396208563, "phase": 0.676056338},
}


@pytest.mark.parametrize("task", BY_CLRS)
def test_scores_are_those_of_clrs(task: str) -> None:
    scored = al.clrs.score_predictions(task, predicted(task))
    scores = {**scored.outputs, **scored.hints, "score": scored.micro_f1}
    assert {name: scores[name] for name in BY_CLRS[task]} == pytest.approx(BY_CLRS[task], abs=1e-8)


@pytest.mark.parametrize("nodes", SIZES)
@pytest.mark.parametrize("task", ["dijkstra", "bridges", "heapsort"])
def test_the_truth_is_right_and_a_wrong_field_makes_a_graph_wrong(task: str, nodes: int) -> None:
    truths = [known(trace) for trace in al.clrs.traces(task, nodes)]
    scored = al.clrs.score_predictions(task, truths, nodes)
    assert (scored.micro_f1, scored.graphs_right) == (1, 1)
    for name, true in truths[0].items():
        one_of = all_probes()[task][name].type in ONE_OF
        other = np.roll(true, 1, -1) if one_of else np.where(true > 0.5, 0, 1)
        wrong = [{**truths[0], name: other}, *truths[1:]]
        scored = al.clrs.score_predictions(task, wrong, nodes)
        assert scored.graphs_right == 1 - 1 / len(truths)


def test_predictions_that_do_not_fit_are_refused_in_a_line() -> None:
    lazy = [{"pi": np.arange(16)} for _ in al.clrs.traces("bfs")]
    refused: tuple[tuple[list[Any], str], ...] = (
        (lazy[1:], "7 predictions came for 8 traces of bfs: give one for each"),
        ([{}, *lazy[1:]], "prediction 0 of bfs lacks pi: give every output"),
        ([{"pi": np.arange(15)}, *lazy[1:]], r"pi of prediction 0 of bfs has the shape \(15,\)"),
        ([{**lazy[0], "pie": 1}, *lazy[1:]], "no output or hint of bfs is called 'pie'"),
    )
    for wrong, told in refused:
        with pytest.raises(AlgoLensError, match=told):
            al.clrs.score_predictions("bfs", wrong)
    with pytest.raises(AlgoLensError, match="no traces of bfs on 17 nodes"):
        al.clrs.score_predictions("bfs", lazy, nodes=17)
    with pytest.raises(AlgoLensError, match="no task of CLRS-30 is called 'bsf'"):
        al.clrs.traces("bsf")


def predicted(task: str) -> list[dict[str, np.ndarray]]:
    rng, stages = np.random.default_rng(0), ("output", "hint")
    wanted = [item for stage in stages for item in probes_of(task, stage).items()]
    return [
        {
            name: draw_predicted(probe, known(trace)[name], rng)
            for name, probe in wanted
            if name in known(trace)
        }
        for trace in al.clrs.traces(task)
    ]


def known(trace: Trace) -> dict[str, np.ndarray]:
    return {**trace.outputs, **trace.hints}
