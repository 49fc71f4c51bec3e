"""From a trained network to a rule set."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from algolens.errors import AlgoLensError
from algolens.evaluation import free_run
from algolens.execution import Run
from algolens.extraction.found import as_go_on
from algolens.extraction.meaning import meaning_of
from algolens.extraction.observations import observe, steps_ahead
from algolens.extraction.rules import OutputRules, Unseen, output_rules
from algolens.extraction.termination import TerminationRule, measured, smallest_going_on
from algolens.logic import GoOn
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.models.contract import GOES_ON
from algolens.models.exact import Exact
from algolens.rules.measures import remarks

MOST_READ = 16  # concepts that a decoder looks at, up to which it is read on all their patterns


@dataclass(frozen=True)
class Extraction:
    """The rules of one network, and what is known of them."""

    rule_set: RuleSet  # with remarks on what was measured of it, which it carries into every export
    outputs: Mapping[str, OutputRules]
    termination: TerminationRule | None  # None where the algorithm takes a fixed number of steps
    unseen: Unseen
    num_graphs: int  # that the rules were drawn from
    num_elements: int  # nodes or edges, at all steps
    # the network's: its concepts are bits, so that what it decides can be read on every pattern
    is_exact: bool

    def to_json(self) -> dict[str, Any]:
        """Itself as JSON; the rule set is under 'rule_set', formulas as trees."""
        termination = self.termination
        return {
            "rule_set": self.rule_set.to_json(),
            "exact": self.is_exact,
            "unseen": self.unseen.value,
            "graphs": self.num_graphs,
            "elements": self.num_elements,
            "outputs": {name: rules.to_json() for name, rules in self.outputs.items()},
            "termination": termination
            and {
                "rule": str(termination.rule),
                "read": termination.read,
                "fits": termination.fits,
                "steps": termination.num_steps,
                "contradicting_steps": len(termination.contradictions),
                "fidelity": termination.fidelity,
            },
        }


def extract(network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE) -> Extraction:
    """The rules that a network of one seed goes by, measured in its own run on a trace's graphs
    (training data, as a rule).

    Per output class: the relevant concepts are those that the concept decoder was not pruned of. An
    exact network's decoder is read on all patterns of these, and its stage for going on in all
    cases. Of any other network, and of a decoder that looks at more than ``MOST_READ`` concepts,
    each distinct pattern that the run predicted has the class that the decoder gave it, most often
    if not always; and it goes on by the smallest combination of concepts of which an element exists
    wherever the network went on, and nowhere else, or an "or" of such: see ``smallest_going_on``.
    The table is minimised.
    """
    if not network.architecture.bottleneck:
        raise AlgoLensError(
            f"a network without a bottleneck has no rules: it decides {network.algorithm.name} "
            "from latent states, not from concepts. Train the preset 'paper'."
        )
    declaration = network.algorithm.declaration
    run = free_run(network, truth)
    seen = observe(run, truth)
    relevant = _relevant(network)
    is_exact = isinstance(network.perceiver, Exact)
    outputs = output_rules(
        declaration, seen, relevant, unseen, _decoded(network, relevant) if is_exact else {}
    )
    termination = _going_on(network, run) if declaration.terminates else None
    rule_set = RuleSet(
        declaration.concepts,
        {
            name: {label: outputs[name].classes[label].formula for label in kind.labels}
            for name, kind in declaration.decided.items()
        },
        None if termination is None else termination.rule,
    )
    found = Extraction(
        rule_set, outputs, termination, unseen, truth.graph.num_graphs, len(seen.which), is_exact
    )
    return replace(found, rule_set=rule_set.with_remarks(remarks(found.to_json())))


def misread(network: Network, rule_set: RuleSet, described: Mapping[str, Any]) -> str | None:
    """What rules of an exact network of one seed are of which the network, read now, says
    otherwise; None where it agrees.

    described: an extraction as its JSON has it. What is measured in runs is not looked at, nor
    rules that cannot be read.
    """
    declaration, relevant = network.algorithm.declaration, _relevant(network)
    decoded = _decoded(network, relevant)
    if (
        list(rule_set.rules) != list(declaration.decided)
        or (rule_set.continues is not None) != declaration.terminates
    ):
        return "outputs or going on"
    for output, kind in declaration.decided.items():
        told, rules, names = described["outputs"][output], rule_set.rules[output], relevant[output]
        if (told["relevant"], told["read"], set(rules)) != (
            list(names),
            output in decoded,
            set(kind.labels),
        ):
            return f"'{output}'"
        patterns = (
            all_patterns(len(names)) if output in decoded else np.zeros((0, len(names)), bool)
        )
        values = {name: patterns[:, i] for i, name in enumerate(names)}
        decides = decoded.get(output, np.zeros(0, np.int64))
        for number, label in enumerate(kind.labels):
            rule = rules[label]
            is_said = told["classes"][label]["formula"] == str(rule) and set(rule.names) <= set(
                names
            )
            if not is_said or bool(
                ((decides == number) != np.asarray(rule.evaluate(values), dtype=bool)).any()
            ):
                return f"'{output} = {label}'"
    if rule_set.continues is not None:
        told, read = described["termination"], _read_going_on(network)
        is_said = told["rule"] == str(rule_set.continues) and told["read"] is (read is not None)
        if not is_said or (read is not None and not read.equivalent(rule_set.continues)):
            return "going on"
    return None


def _relevant(network: Network) -> dict[str, tuple[str, ...]]:
    """For each output, the concepts that its decoder was not pruned of."""
    concepts = network.algorithm.declaration.concepts
    return {
        name: tuple(
            concept
            for concept, kept in zip(concepts, decoder.kept[0, :, 0].tolist(), strict=True)
            if kept
        )
        for name, decoder in network.decoders.items()
    }


@torch.no_grad()
def _decoded(network: Network, relevant: Mapping[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """For each output, unless its decoder looks at too many, [2**R] the class of every pattern of
    its relevant concepts.
    """
    concepts, found = network.algorithm.declaration.concepts, {}
    for name, looked_at in relevant.items():
        if len(looked_at) > MOST_READ:
            continue
        patterns = torch.zeros(2 ** len(looked_at), len(concepts), device=network.device)
        places = [concepts.index(concept) for concept in looked_at]
        patterns[:, places] = (
            torch.from_numpy(all_patterns(len(looked_at))).float().to(network.device)
        )
        scores = network.decide_concepts(patterns[None])[name][0]
        found[name] = network.outputs[name].predict(scores).cpu().numpy().astype(np.int64)
    return found


def _going_on(network: Network, run: Run) -> TerminationRule:
    """The rule for going on: of an exact network read off its stage, where one rule can say that;
    else drawn from its run.
    """
    concepts, steps = network.algorithm.declaration.concepts, steps_ahead(run)
    rule = _read_going_on(network)
    return smallest_going_on(concepts, *steps) if rule is None else measured(rule, concepts, *steps)


def _read_going_on(network: Network) -> GoOn | None:
    perceiver = copy.deepcopy(network.perceiver).cpu()
    if not isinstance(perceiver, Exact):
        return None
    statement = meaning_of(perceiver.readings[GOES_ON], perceiver.tables()[GOES_ON]).found
    return None if statement is None else as_go_on(statement)
