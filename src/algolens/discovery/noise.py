"""Runs that contradict one another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from torch import Tensor

from algolens.discovery.schema import Episodes, Schema
from algolens.discovery.situations import Block, unrolled
from algolens.language.fields import Field, Location


def contradictions(schema: Schema, episodes: Sequence[Episodes]) -> int:
    """States of one graph that came up before, and were followed by another one then."""
    followed: dict[bytes, bytes] = {}
    count = 0
    for some in episodes:
        block = unrolled(schema, some)
        befores = _by_graph(block, block.values, schema.before)
        afters = _by_graph(block, block.after, schema.decided)
        for graph in np.flatnonzero(block.has_step.numpy()):
            before, after = befores[graph], afters[graph]
            count += followed.setdefault(before, after) != after
    return count


def _by_graph(
    block: Block, values: Mapping[str, Tensor], fields: Mapping[str, Field]
) -> list[bytes]:
    """Of each graph, its edges and the values of fields on it."""
    graph = block.graph
    ends = graph.edges - graph.first(Location.NODE)[graph.owner(Location.EDGE)]
    columns = [(Location.EDGE, ends.T)]
    columns += [(fields[name].location, value) for name, value in values.items()]
    parts: list[list[bytes]] = [[bytes([graph.directed])] for _ in range(graph.num_graphs)]
    for location, value in columns:
        owner = graph.owner(location).numpy()
        order = np.argsort(owner, kind="stable")
        cuts = np.searchsorted(owner[order], np.arange(1, graph.num_graphs))
        for number, part in enumerate(np.split(value.numpy()[order], cuts)):
            parts[number].append(b"%d:" % len(part) + part.tobytes())
    return [b"|".join(part) for part in parts]
