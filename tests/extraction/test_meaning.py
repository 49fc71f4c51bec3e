"""What an observation means to a network: the statement found says what the stage computes, and is
what is declared.
"""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from algolens.algorithms import algorithm, shipped_names
from algolens.engines import run_algorithm
from algolens.evaluation import free_run
from algolens.experiment.model import load_model
from algolens.extraction import statements
from algolens.extraction.meaning import meaning_of, meanings, smallest_graph
from algolens.extraction.statements import Possible, all_cases, met_in_runs, statement_of
from algolens.graphs import Graph
from algolens.language.finite import Statement, holds
from algolens.language.ir import Expr, Field, Let, Quantified, atoms
from algolens.language.parse import Parser, parse
from algolens.models.exact import Exact, Stage, StageTable
from tests.effort import covering, examples

FIELDS = {
    "marked": Field("node", "mask"),
    "status": Field("node", "category", ("undecided", "chosen", "out")),
    "height": Field("node", "number", bits=4),
}
TEXTS = {
    "marked | some neighbour (marked)": None,
    "every neighbour (status is out)": None,
    "status is undecided & no neighbour (status is undecided & its height > my height)": None,
    "some neighbour (marked) & no neighbour (status is out)": None,
    "status is not out & (marked | some neighbour (marked))": (
        "status is not out & (marked | some neighbour (marked))"
    ),
    "at least 2 neighbours (marked) | some neighbour (status is out)": None,
    "some neighbour (marked & my marked | ~marked & my status is out)": None,
    "some neighbour": None,
    "False": None,
}


def read(text: str) -> Statement:
    said = parse(Parser.statement, text, "node", FIELDS)
    return Statement(Let("seen", "node", said), {("node", name): FIELDS[name] for name in FIELDS})


def true_table(statement: Statement) -> StageTable:
    """The table of a stage that computes what is declared: a case is an own class and how many of
    each kind are in view.
    """
    most, kinds = statement.most, statement.num_neighbours
    counts = [np.array(row) for row in np.ndindex(*([most + 1] * kinds))]
    place = {tuple(row): number for number, row in enumerate(counts)}
    after = np.array(
        [
            [
                place[tuple(np.minimum(row + np.eye(kinds, dtype=int)[k], most))]
                for k in range(kinds)
            ]
            for row in counts
        ],
        np.int64,
    ).reshape(len(counts), kinds)
    whole = np.concatenate([after + own * len(counts) for own in range(statement.num_own)])
    truth = [
        statement.truth(np.full(len(counts), own), np.array(counts).reshape(len(counts), kinds))
        for own in range(statement.num_own)
    ]
    return StageTable(np.arange(statement.num_own) * len(counts), whole, np.concatenate(truth))


def computes(said: Expr, statement: Statement, table: StageTable) -> bool:
    """Whether a statement is true in exactly the cases in which a stage concludes so: by brute
    force.
    """
    inside = list(dict.fromkeys(atom for atom in atoms(said) if isinstance(atom, Quantified)))
    grid = statement.num_own, statement.num_neighbours
    axes = *statement.own, *statement.others
    bodies = [
        statement.table(each.body, axes).reshape(grid) ^ (each.quantity == "every")
        for each in inside
    ]
    cases = all_cases(
        statement,
        table,
        Possible.every(statement),
        np.array(bodies, bool).reshape(len(inside), *grid),
        [each.count for each in inside],
    )

    def of_atom(atom: Expr) -> np.ndarray:
        if isinstance(atom, Quantified):
            met = cases.met[:, inside.index(atom)]
            return met == 0 if atom.quantity == "every" else met >= atom.count
        return statement.table(atom, statement.own).reshape(-1)[cases.own]

    return bool(
        (
            np.broadcast_to(np.asarray(holds(said, of_atom), bool), len(cases)) == cases.concluded
        ).all()
    )


@pytest.mark.parametrize("text", [text for text in TEXTS if "height" not in text])
def test_a_right_stage_is_given_back_as_it_was_declared(text: str):
    statement = read(text)
    if (statement.most + 1) ** statement.num_neighbours > 1_000:
        pytest.skip("too many combinations for a table by brute force")
    found = meaning_of(statement, true_table(statement))
    assert found.equal
    assert found.star_words is None
    assert found.found is not None
    assert computes(found.found, statement, true_table(statement))


@examples(40)
@given(
    text=st.sampled_from(list(TEXTS)),
    seed=st.integers(0, 10_000),
    width=st.integers(2, 6),
    bits=st.integers(1, 3),
)
def test_the_statement_found_says_what_any_stage_computes(
    text: str, seed: int, width: int, bits: int
):
    statement = read(text)
    torch.manual_seed(seed)
    stage = Stage(1, statement, width=width, bits=bits)
    with torch.no_grad():
        for parameter in stage.parameters():
            parameter.normal_()
    table = StageTable.of(stage)
    found = statement_of(statement, table, Possible.every(statement)).value
    assert computes(found, statement, table)
    # and it is a statement of the language, at its place
    read(statement.say(found))


@pytest.mark.parametrize("name", sorted({*covering(shipped_names()), "coloring"}))
def test_of_a_proven_network_every_observation_is_found_to_be_what_is_declared(name: str):
    network = load_model(name).network.only(0)
    found = {each.name: each for each in meanings(network)}
    assert set(found) >= set(network.algorithm.declaration.statements)
    assert all(each.equal and each.proven for each in found.values())
    if name == "coloring":
        assert (
            found["has_priority"].in_words
            == "color is 0 & no neighbour (color is 0 & its priority > my priority)"
        )


def damaged(name, stage):
    network = copy.deepcopy(load_model(name).network.only(0))
    assert isinstance(network.perceiver, Exact)
    with torch.no_grad():
        bias = network.perceiver.stages[stage].head_last.bias
        assert bias is not None
        bias.fill_(100.0)  # it always says yes
    found = next(each for each in meanings(network) if each.name == stage)
    return network, found


def test_what_was_learnt_wrong_is_told_with_a_graph_that_shows_it():
    network, found = damaged("bfs", "has_visited_neighbours")
    assert found.in_words == "True"
    assert (found.wrong, found.star_words) == (
        1,
        "it is found True, and is declared False, for a node (not visited) with nobody in view",
    )
    shown = smallest_graph(network, "has_visited_neighbours")
    assert shown is not None
    assert shown.step is not None
    there = shown.situation
    assert (there.nodes, there.edges, shown.step, shown.found) == (2, (), 1, True)
    bfs, graph = algorithm("bfs"), Graph.pack([there.nodes], there.edges)
    inputs = {"source": torch.tensor([int(there.values["source"][0])])}
    truth = run_algorithm(bfs, graph, inputs)
    run = free_run(network, truth)
    differs = (
        run["has_visited_neighbours"][shown.step - 1]
        != truth["has_visited_neighbours"][shown.step - 1]
    )
    assert differs.nonzero().flatten().tolist()[0] == shown.element


def test_cases_that_no_run_meets_can_be_left_out():
    network = load_model("coloring").network.only(0)
    coloring = network.algorithm
    graph = Graph.pack([3], [(0, 1), (1, 2)])
    truth = run_algorithm(coloring, graph, {"priority": torch.tensor([1, 2, 3])})
    assert isinstance(network.perceiver, Exact)
    possible = met_in_runs(network.perceiver, truth)
    found = {each.name: each for each in meanings(network, possible)}
    assert found["color_5_seen"].equal
    assert found["color_5_seen"].in_words == "False"  # none of these nodes had a fifth color
    assert found["color_5_seen"].cases < 2


def test_where_numbers_are_not_told_apart_nothing_is_said_to_be_as_declared():
    network = copy.deepcopy(load_model("coloring").network.only(0))
    assert isinstance(network.perceiver, Exact)
    with torch.no_grad():
        for comparator in network.perceiver.comparisons.values():
            comparator.change.zero_()
    found = {each.name: each for each in meanings(network)}
    assert not found["has_priority"].equal
    assert found["has_priority"].misorders
    assert found["color_1_seen"].equal


def test_what_is_too_intricate_is_not_put_into_words(monkeypatch):
    statement = read(
        "status is undecided & no neighbour (status is undecided & its height > my height)"
    )
    monkeypatch.setattr(statements, "MOST_CASES", 0)
    torch.manual_seed(0)
    found = meaning_of(statement, StageTable.of(Stage(1, statement, width=4, bits=2)))
    assert found.found is None
    assert not found.proven
