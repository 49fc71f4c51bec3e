"""From a trained network to a rule set, and to a program that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch

from algolens.algorithms import Algorithm
from algolens.engines import Run
from algolens.engines.program import Program
from algolens.extraction.extraction import Extraction
from algolens.extraction.meaning import meaning_of
from algolens.extraction.observations import observe, run_to_explain, steps_ahead
from algolens.extraction.rules import Unseen, output_rules
from algolens.extraction.termination import TerminationRule, measured, smallest_going_on
from algolens.language.ir import Expr
from algolens.language.rules import as_go_on
from algolens.logic import GoOn, parse
from algolens.logic.patterns import all_patterns
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.models.architecture import GOES_ON
from algolens.models.exact import Exact, StageTable

MOST_READ = 16  # concepts that a decoder looks at, up to which it is read on all their patterns


def extract(network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE) -> Extraction:
    """The rules that a network of one seed goes by, measured in its own run on a trace's graphs.

    Per output class: the relevant concepts are those that the concept decoder was not pruned of. An
    exact network's decoder is read on all patterns of these, and its stage for going on in all
    cases. Of any other network, and of a decoder that looks at more than ``MOST_READ`` concepts,
    each distinct pattern that the run predicted has the class that the decoder gave it, most often
    if not always; and it goes on by the smallest combination of concepts of which an element exists
    wherever the network went on, and nowhere else, or an "or" of such: see ``smallest_going_on``.
    The table is minimised.

    A network without a bottleneck has no concepts: its rules go by the algorithm's own, in the
    states that it brought about, and how far they say what it decides is measured.

    Parameters
    ----------
    network
        A network of one seed.
    truth
        True traces, of training data as a rule.
    unseen
        What a rule may say of patterns that were never seen.

    Returns
    -------
    Extraction

    Raises
    ------
    AlgoLensError
        Where the network took no step.
    """
    declaration = network.algorithm.declaration
    run = run_to_explain(network, truth)
    seen, relevant = observe(run, truth), _relevant(network)
    is_exact = isinstance(network.perceiver, Exact)
    outputs = output_rules(
        declaration, seen, relevant, unseen, _decoded(network, relevant) if is_exact else {}
    )
    termination = _going_on(network, run) if declaration.terminates else None
    rule_set = RuleSet(
        declaration.concepts,
        {
            output: {label: parse(rule.formula) for label, rule in rules.classes.items()}
            for output, rules in outputs.items()
        },
        termination.rule if termination is not None else None,
    )
    extraction = Extraction(
        rule_set,
        outputs,
        termination,
        unseen,
        truth.graph.num_graphs,
        len(seen.patterns),
        is_exact,
        network.architecture.bottleneck,
    )
    return extraction.with_remarks()


def misread(network: Network, drawn: Extraction) -> str | None:
    """The first rule of an exact network's program that the network, read now, contradicts.

    What is measured in runs is not looked at, nor are rules that cannot be read.

    Parameters
    ----------
    network
        An exact network of one seed.
    drawn
        Its rules, as a file has them.

    Returns
    -------
    str or None
        What the rule is of; None where the network agrees.
    """
    declaration, relevant = network.algorithm.declaration, _relevant(network)
    rule_set, going_on = drawn.rule_set, drawn.termination
    decoded = _decoded(network, relevant)
    if (
        list(rule_set.rules) != list(declaration.decided)
        or (rule_set.continues is not None) != declaration.terminates
    ):
        return "outputs or going on"
    for output, kind in declaration.decided.items():
        claimed, rules, names = drawn.outputs[output], rule_set.rules[output], relevant[output]
        facts = list(names), output in decoded, set(kind.labels), set(kind.labels)
        if (claimed.relevant, claimed.read, set(rules), set(claimed.classes)) != facts:
            return f"'{output}'"
        for number, label in enumerate(kind.labels):
            rule = rules[label]
            is_right = claimed.classes[label].formula == str(rule)
            is_right &= set(rule.names) <= set(names)
            if is_right and output in decoded:
                is_right = np.array_equal(decoded[output] == number, rule.table(names))
            if not is_right:
                return f"'{output} = {label}'"
    if rule_set.continues is not None:
        read = _read_going_on(network)
        is_right = going_on is not None and going_on.read is (read is not None)
        if not is_right or (read is not None and not read.equivalent(rule_set.continues)):
            return "going on"
    return None


def _relevant(network: Network) -> dict[str, tuple[str, ...]]:
    """For each output, the concepts that its decoder was not pruned of; without one, all."""
    declaration = network.algorithm.declaration
    concepts = np.array(declaration.concepts)
    kept = {
        name: tuple(concepts[decoder.kept[0, :, 0].bool().cpu().numpy()].tolist())
        for name, decoder in network.decoders.items()
    }
    return {name: kept.get(name, declaration.concepts) for name in declaration.decided}


@torch.no_grad()
def _decoded(network: Network, relevant: Mapping[str, tuple[str, ...]]) -> dict[str, np.ndarray]:
    """For each output whose decoder can be read, [2**R] the class of every pattern."""
    concepts, decoded = network.algorithm.declaration.concepts, {}
    for name, looked_at in relevant.items():
        if len(looked_at) > MOST_READ:
            continue
        patterns = torch.zeros(2 ** len(looked_at), len(concepts), device=network.device)
        places = [concepts.index(concept) for concept in looked_at]
        patterns[:, places] = torch.from_numpy(all_patterns(len(looked_at))).to(patterns)
        scores = network.decide_concepts(patterns[None])[name][0]
        decoded[name] = network.outputs[name].predict(scores).cpu().numpy().astype(np.int64)
    return decoded


def _going_on(network: Network, run: Run) -> TerminationRule:
    """The rule for going on: read off an exact network where one rule can say it, or searched."""
    concepts, steps = network.algorithm.declaration.concepts, steps_ahead(run)
    if not network.perceiver.tells_going_on:
        declared = network.algorithm.declaration.rule_set.continues
        assert declared is not None
        return replace(measured(declared, concepts, *steps), of_algorithm=True)
    rule = _read_going_on(network)
    return smallest_going_on(concepts, *steps) if rule is None else measured(rule, concepts, *steps)


def _read_going_on(network: Network) -> GoOn | None:
    perceiver = network.on_cpu().perceiver
    if not isinstance(perceiver, Exact):
        return None
    table = StageTable.of(perceiver.stages[GOES_ON])
    statement = meaning_of(perceiver.statements[GOES_ON], table).found
    return None if statement is None else as_go_on(statement)


def standalone_program(
    algorithm: Algorithm, statements: Mapping[str, Expr], rules: RuleSet
) -> Program:
    """The program of a network, to be run without it.

    How it begins, what is added and how things move is not learnt: that is as declared.

    Parameters
    ----------
    algorithm
        What the network was trained for.
    statements
        What its observations mean, by name; going on among them where that was found too.
    rules
        How outputs follow from concepts.

    Returns
    -------
    Program
    """
    going_on = as_go_on(statements[GOES_ON]) if GOES_ON in statements else None
    if going_on is not None:
        rules = RuleSet(rules.concepts, rules.rules, going_on).with_remarks(rules.remarks)
    return Program.of(algorithm).with_statements(statements).with_rules(rules)
