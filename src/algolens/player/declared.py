"""What a page knows of an algorithm: its fields, its program, its words, and how to run it anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algolens.algorithms import Algorithm, python_methods
from algolens.engines.needs import most_bits
from algolens.graphs import Graph, Location
from algolens.language.fields import Field, Mask, Number, Pointer
from algolens.player.program import line_data, look_data, rules_data, words_data
from algolens.terminal.declared import algorithm_facts, code_lines


def algorithm_data(algorithm: Algorithm, graph: Graph) -> dict[str, Any]:
    """An algorithm as JSON. graph: on which it runs."""
    declaration, predicted = algorithm.declaration, algorithm.declaration.predicted
    return {
        "name": algorithm.name,
        "title": algorithm.title,
        "about": " ".join(algorithm_facts(algorithm).split()),
        "options": dict(algorithm.options),
        "location": declaration.location.value,
        "concepts": list(declaration.concepts),
        "inputs": {name: field.to_json() for name, field in declaration.inputs.items()},
        "outputs": {name: predicted[name].to_json() for name in declaration.outputs},
        "hints": {name: field.to_json() for name, field in declaration.hints.items()},
        "state": list(declaration.state),
        "only_where": dict(declaration.only_where),
        "endless": dict(declaration.endless),
        "outcomes": list(declaration.outcomes),
        "layout": algorithm.layout.to_json({**declaration.inputs, **predicted}),
        "most_steps": int(algorithm.max_steps(graph)[0]),
        "python": python_methods(algorithm),
        "checks": algorithm.known_checks,
        "on_other_graphs": _on_other_graphs(algorithm),
        **look_data(algorithm),
        "decides": rules_data(algorithm, declaration.rule_set),
        "words": words_data(declaration.words, declaration.speech),
        "pseudocode": [line_data(line) for line in code_lines(algorithm)],
    }


def _on_other_graphs(algorithm: Algorithm) -> dict[str, Any] | None:
    """What a page has to know to run it on another graph; None where only Python can do that."""
    declaration = algorithm.declaration
    fields = declaration.inputs.values()
    is_given = all(isinstance(field.kind, Mask | Number | Pointer) for field in fields) and all(
        field.location is Location.GRAPH for field in fields if isinstance(field.kind, Pointer)
    )
    if declaration.speech is None or python_methods(algorithm) or not is_given or algorithm.table:
        return None
    limit = declaration.most_steps
    bits = most_bits(algorithm) if "bits" in algorithm.options else None
    widest = declaration if bits is None else algorithm.but(bits=bits).declaration
    return {
        "limit": [limit.times, limit.per],
        # numbers that are counted together; of a product, one number of each unit it is made of
        "units": {
            name: {
                "members": sorted(unit.members),
                "factors": list(unit.factors),
                "is_whole": unit.is_whole,
                "only_order": unit.only_order_counts,
            }
            for name, unit in declaration.units.items()
        },
        # of a number of the graph there are the bits that others need, and these at least
        "bits": type(algorithm)().options.get("bits"),
        "most_bits": bits,
        "bounds": _bounds({**widest.inputs, **widest.predicted}),
        "loops_matter": algorithm.loops_matter,
        "parallel_edges_matter": algorithm.parallel_edges_matter,
    }


def _bounds(fields: Mapping[str, Field]) -> dict[str, list[str]]:
    """The least and the greatest that each number can be, as text, for they may be large."""
    return {
        name: [str(field.kind.least), str(field.kind.most)]
        for name, field in fields.items()
        if isinstance(field.kind, Number)
    }
