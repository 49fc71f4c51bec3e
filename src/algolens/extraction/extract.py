"""From a trained network to a program of rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.execution import Run
from algolens.extraction.measures import remarks
from algolens.extraction.observations import observe, steps_ahead
from algolens.extraction.rules import OutputRules, Unseen, output_rules
from algolens.extraction.termination import TerminationRule, smallest_going_on
from algolens.logic import Program
from algolens.models import Network


@dataclass(frozen=True)
class Extraction:
    """The rules of one network, and what is known of them."""

    program: Program  # with remarks on what was measured of it, which it carries into every export
    outputs: Mapping[str, OutputRules]
    termination: TerminationRule | None  # None where the algorithm takes a fixed number of steps
    unseen: Unseen
    num_graphs: int  # that the rules were drawn from
    num_elements: int  # nodes or edges, at all steps

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; the program is under 'program', formulas as trees."""
        termination = self.termination
        return {
            "program": self.program.to_json(),
            "unseen": self.unseen.value,
            "graphs": self.num_graphs,
            "elements": self.num_elements,
            "outputs": {name: rules.to_json() for name, rules in self.outputs.items()},
            "termination": termination
            and {
                "rule": str(termination.rule),
                "fits": termination.fits,
                "steps": termination.num_steps,
                "contradicting_steps": len(termination.contradictions),
                "fidelity": termination.fidelity,
            },
        }


def extract(network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE) -> Extraction:
    """The rules that a network of one seed goes by, drawn from its own run on a trace's graphs (training data, as a rule).

    Per output class: the relevant concepts are those that the concept decoder was not pruned of; each distinct pattern that
    the network predicted has the class that the decoder gave it, most often if not always; the table is minimised. Going on:
    the smallest combination of concepts of which an element exists wherever the network went on, and nowhere else, or an "or"
    of such: see ``smallest_going_on``.
    """
    if not network.architecture.bottleneck:
        raise AlgoLensError(
            f"a network without a bottleneck has no rules: it decides {network.algorithm.name} from latent states, not from "
            "concepts. Train the preset 'paper'."
        )
    declaration = network.algorithm.declaration
    run = free_run(network, truth)
    seen = observe(run, truth)
    relevant = {
        name: tuple(concept for concept, kept in zip(declaration.concepts, decoder.kept[0, :, 0].tolist(), strict=True) if kept)
        for name, decoder in network.decoders.items()
    }
    outputs = output_rules(declaration, seen, relevant, unseen)
    termination = smallest_going_on(declaration.concepts, *steps_ahead(run)) if declaration.terminates else None
    program = Program(
        declaration.concepts,
        {
            name: {label: outputs[name].classes[label].formula for label in kind.labels}
            for name, kind in declaration.decided.items()
        },
        None if termination is None else termination.rule,
    )
    found = Extraction(program, outputs, termination, unseen, truth.graph.num_graphs, len(seen.which))
    return replace(found, program=program.with_remarks(remarks(found.to_json())))
