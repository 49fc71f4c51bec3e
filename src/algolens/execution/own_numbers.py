"""The numbers of a run as the user wrote them: the graph keeps those that were given, the run those
that it counted with.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from torch import Tensor

from algolens.algorithms import Algorithm
from algolens.algorithms._inputs import attributes_at
from algolens.fields import Number, as_written, in_whole_numbers
from algolens.fields.scale import as_fraction
from algolens.graphs import Graph
from algolens.graphs.attributes import ExactNumber, exact_number


def given_numbers(
    algorithm: Algorithm, graph: Graph, inputs: Mapping[str, Tensor], name: str
) -> list[ExactNumber]:
    """An input's numbers as the graph carries them; as they were used where it carries none."""
    there = attributes_at(graph, algorithm.declaration.inputs[name].location)
    used: list[ExactNumber] = inputs[name].tolist()
    if name not in there:
        return used
    given = map(exact_number, as_written(there[name]))
    return [own if number is None else number for number, own in zip(given, used, strict=True)]


def scale_of(algorithm: Algorithm, graph: Graph, inputs: Mapping[str, Tensor], name: str) -> int:
    """What the numbers of a field were multiplied by to be whole; 1 where they are as they were
    given, or were ranked.

    It is found from what was given and what was used, and holds for every one of them.
    """
    declaration = algorithm.declaration
    unit = declaration.units.get(name)
    if unit is None or unit.is_whole or unit.only_order_counts:
        return 1
    for source in declaration.inputs:
        if source in unit.members and isinstance(declaration.inputs[source].kind, Number):
            given, used = given_numbers(algorithm, graph, inputs, source), inputs[source].tolist()
            for number, own in zip(given, used, strict=True):
                if number and own:
                    fraction = as_fraction(number)
                    scale = Fraction(own) if fraction is None else own / fraction
                    whole = scale.numerator if scale.denominator == 1 else 1
                    fits = all(
                        in_whole_numbers(each, whole) == mine
                        for each, mine in zip(given, used, strict=True)
                    )
                    return whole if fits else 1
    return 1
