"""The one loop. What is measured, and what is run, is a choice of parts for its three sockets."""

from __future__ import annotations

from collections.abc import Sequence

from algolens.algorithms import Algorithm, Values, check_inputs
from algolens.arrays import NUMPY, Array
from algolens.engines.incremental import incremental_run
from algolens.engines.numbers import Bounds
from algolens.engines.parts import (
    Continues,
    Decide,
    Intervention,
    InterventionsOnBatch,
    Perceive,
    PlannedPart,
    check_given,
    decides_by,
    goes_on_by,
    perceive_truly,
)
from algolens.engines.record import Record, Work, frame_of
from algolens.engines.run import Run
from algolens.engines.threads import Threads
from algolens.errors import DefinitionError
from algolens.graphs import Graph
from algolens.language.inputs import alike
from algolens.memory import check_growth


def run_algorithm(
    algorithm: Algorithm,
    graph: Graph,
    inputs: Values,
    *,
    perceive: Perceive | None = None,
    decide: Decide | None = None,
    continues: Continues | None = None,
    interventions: Sequence[Intervention] = (),
    trace: bool = True,
    check: bool = True,
    kernel: str | None = None,
    shrinks: bool = True,
) -> Run:
    """Run an algorithm on every graph of a batch.

    A socket that is left open holds the true algorithm.

    Parameters
    ----------
    algorithm : Algorithm
        What is run.
    graph : Graph
        One graph, or a disjoint union of several.
    inputs : mapping of str to array
        An array for each declared input; one tensor of PyTorch makes all of the run tensors.
    perceive : callable, optional
        Graph, inputs, state -> concepts and hints.
    decide : callable, optional
        Concepts -> outputs.
    continues : callable, optional
        The next step's percept -> go on? This is the paper's look-ahead (eqs. 5-6). In free running
        it *is* the next step's look, so it costs nothing extra.
    interventions : sequence of Intervention
        Concepts set by hand, whatever was perceived.
    trace : bool
        Whether every step is kept. Without a trace only the last is: memory then grows with the
        graph alone.
    check : bool
        Whether inputs that are not of their kind are refused. Inputs that were drawn, or checked
        before, need no second check.
    kernel : str, optional
        ``tensor``: every step goes over the whole graph. ``incremental``: every step but the first
        goes over what changed in the last. By default, a run on one graph is incremental from the
        first step on or, where the graph is large, from when little changes in a step.
    shrinks : bool
        Whether finished graphs are put away once they are half of the work, so that little is
        computed for them. Parts that know the graphs by their places need them all.

    Returns
    -------
    Run
        Every field over time.

    Examples
    --------
    >>> import numpy as np
    >>> from algolens.algorithms import algorithm
    >>> path = Graph.pack([4], [(0, 1), (1, 2), (2, 3)])
    >>> run = run_algorithm(algorithm("bfs"), path, {"source": np.array([0])})
    >>> run.state("visited").dense().astype(int).tolist()
    [[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]
    """
    for part in (perceive, decide, continues):
        if isinstance(part, PlannedPart) and part.device is not None and graph.device == NUMPY:
            graph = graph.to(part.device)
    graph, inputs = alike(graph, inputs)
    if check:
        check_inputs(algorithm, graph, inputs)
    declaration = algorithm.declaration
    perceive = perceive or perceive_truly(algorithm)
    decide = decide or decides_by(declaration.rule_set)
    if declaration.terminates:
        continues = continues or goes_on_by(declaration.rule_set, declaration.location)
    with Threads(graph.device) as threads:
        threads.suit(graph.num_nodes + graph.num_edges)
        start, bounds = _start(algorithm, graph, inputs), Bounds(algorithm, graph)
        bounds.check(start, 0, None)
        set_by_hand = InterventionsOnBatch(algorithm, graph, interventions)
        first = set_by_hand(perceive(graph, inputs, start, None), 0, None)
        record = Record(algorithm, graph, inputs, start, first, has_trace=trace)
        work = Work(declaration, graph, inputs, start, algorithm.max_steps(graph), first)

        parts = {"perceive": perceive, "decide": decide}
        parts |= {} if continues is None else {"continues": continues}
        incremental = None
        if not interventions:
            incremental = incremental_run(
                algorithm, graph, inputs, parts, kernel=kernel, keeps=trace
            )

        while work.num_alive:
            check_growth()
            if shrinks and record.num_steps and work.share_alive() <= 0.5:
                work.put_finished_away()
            threads.suit(work.num_values())
            percept, advanced = work.percept, None
            if incremental is not None and incremental.is_due(work.frame, record.num_steps):
                advanced = incremental.advance(work.frame, record.num_steps)
            if advanced is not None:
                frame = advanced[0]
                record.extend(*advanced)
            else:
                given = frame_of(percept, decide(percept.concepts), declaration)
                frame = work.held_finished(given)
                record.add(frame, work)
            step = record.num_steps
            state = {name: frame[name] for name in declaration.state}
            bounds.check(state, step, work.where)
            upcoming = perceive(work.graph, work.inputs, state, percept.memory)
            upcoming = set_by_hand(upcoming, step, work.where)
            asks = None if continues is None else work.alive & continues(work.graph, upcoming)
            alive = work.alive_after(step, asks)
            record.settle(work, alive, asks, state, upcoming)
            work.advance(frame, upcoming, alive)
        return record.run()


def _start(algorithm: Algorithm, graph: Graph, inputs: Values) -> dict[str, Array]:
    start = algorithm.start(graph, inputs)
    if set(start) != set(algorithm.declaration.state):
        raise DefinitionError(
            f"algorithm '{algorithm.name}': start() gave {', '.join(start) or 'nothing'}; the "
            f"declared state is {', '.join(algorithm.declaration.state)}. Give an array for each."
        )
    return {
        name: check_given(algorithm, "start", name, value, graph) for name, value in start.items()
    }
