"""From a trained network to a rule set, and to a program that stands alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy import ndarray

from algolens.algorithms import Algorithm, Declaration
from algolens.engines import Run
from algolens.engines.program import Program
from algolens.errors import AlgoLensError
from algolens.extraction.extraction import Clause, Extraction, Mostly, OutputRules, Rule, Unseen
from algolens.extraction.meaning import meaning_of
from algolens.extraction.observations import Observations, observe, run_to_explain, steps_ahead
from algolens.extraction.termination import TerminationRule, measured, smallest_going_on
from algolens.language.ir import Expr
from algolens.language.rules import as_go_on
from algolens.logic import Formula, GoOn, Minimised, disjunction, minimal_rules, pack, parse
from algolens.logic.minimal import opposite
from algolens.logic.patterns import all_patterns, pattern_in_words
from algolens.logic.rule_set import RuleSet
from algolens.models import Network
from algolens.models.architecture import GOES_ON
from algolens.models.exact import Exact, StageTable
from algolens.rules.trade_off import Labelled, Target, trade_offs

FEW_CLAUSES = 3  # of which a rule can be read as it stands
MOSTLY = 0.97  # of the decisions, that a shorter rule must say
MOST_OF_CLASS = 0.2  # of the decisions for its class, on which it may err
MOSTLY_SECONDS = 2.0
MAX_LISTED = 12  # of more concepts, the patterns never seen are counted and not listed


def output_rules(
    declaration: Declaration,
    seen: Observations,
    relevant: Mapping[str, tuple[str, ...]],
    unseen: Unseen,
    decoded: Mapping[str, ndarray],
) -> dict[str, OutputRules]:
    """The rules of every output.

    relevant: what its decoder looks at; decoded: where it was read, [2**R] what it decides.
    """
    if not len(seen.patterns):
        raise AlgoLensError(
            "no step was taken on the graphs that rules are to be drawn from: give graphs that "
            "need one."
        )
    return {
        output: _rules(output, kind.classes, seen, relevant[output], unseen, decoded.get(output))
        for output, kind in declaration.decided.items()
    }


def _rules(
    output: str,
    labels: tuple[str, ...],
    seen: Observations,
    relevant: tuple[str, ...],
    unseen: Unseen,
    decoded: ndarray | None,
) -> OutputRules:
    columns = seen.patterns[:, [seen.names.index(name) for name in relevant]]
    # the same distinct patterns, counted by what was decided and by what is true
    decided, true = (
        Labelled.of(columns, classes[output], len(labels)) for classes in (seen.decided, seen.true)
    )
    shown = pack(decided.patterns)
    known, of_known = shown, decided.labels
    if decoded is not None:
        known, of_known = np.arange(len(decoded)), decoded
    is_negative = unseen is Unseen.NEGATIVE and decoded is None
    minimised = {}
    for number, label in enumerate(labels):
        holds = of_known == number
        minimised[label] = minimal_rules(
            relevant, known[holds], None if is_negative else known[~holds]
        )
    is_listed = len(relevant) <= MAX_LISTED
    if set(labels) == {"false", "true"} and not is_negative and decoded is None and is_listed:
        minimised["false"] = opposite(minimised["true"])
    rules = {
        label: _measured(minimised[label], relevant, decided, true, number)
        for number, label in enumerate(labels)
    }
    never_seen = None
    if is_listed:
        never_seen = np.setdiff1d(np.arange(2 ** len(relevant)), shown).tolist()
    return OutputRules(list(relevant), decoded is not None, rules, len(shown), never_seen)


def _measured(
    minimised: Minimised,
    relevant: tuple[str, ...],
    decided: Labelled,
    true: Labelled,
    number: int,
) -> Rule:
    """The rule of a class, by its number, with its measures."""
    counts = decided.counts.sum(1)

    def holds(formula: Formula) -> ndarray:
        return formula.on(relevant, decided.patterns)

    def agreement(of_class: ndarray) -> float:
        return float(np.where(says, of_class, counts - of_class).sum() / counts.sum())

    says = holds(minimised.formula)
    return Rule(
        formula=str(minimised.formula),
        clauses=[
            Clause(str(clause), int(counts[holds(clause)].sum())) for clause in minimised.clauses
        ],
        literals=sum(len(clause.names) for clause in minimised.clauses),
        proven=minimised.proven,
        how=minimised.how,
        support=int(counts[says].sum()),
        fidelity=agreement(decided.counts[:, number]),
        accuracy=agreement(true.counts[:, number]),
        mostly=_mostly(len(minimised.clauses), relevant, decided, number),
    )


def _mostly(
    num_clauses: int, relevant: tuple[str, ...], decided: Labelled, number: int
) -> Mostly | None:
    """The fewest clauses, at most half as many, that say almost the same of a class."""
    if num_clauses <= FEW_CLAUSES:
        return None
    patterns, true = decided.patterns, decided.counts[:, number]
    false = decided.counts.sum(1) - true
    total = int(decided.counts.sum())
    target = Target(patterns, true, false)
    (curve,) = trade_offs([target], deadline=time.monotonic() + MOSTLY_SECONDS)
    # a rule that never holds is often right, and says nothing
    most = min((1 - MOSTLY) * total, MOST_OF_CLASS * true.sum())
    for point in curve.points:
        if point.errors <= most and 0 < len(point.clauses) <= num_clauses / 2:
            break
    else:
        return None
    fails = np.where(point.clauses.hold(patterns).any(0), false, true)
    if not fails.any():
        return None
    worst = int(fails.argmax())
    return Mostly(
        formula=str(disjunction(*point.clauses.in_order().formulas(relevant))),
        fidelity=1 - float(fails.sum()) / total,
        exception=pattern_in_words(int(pack(patterns[[worst]])[0]), relevant),
        exceptions=int(fails[worst]),
    )


def never_seen_formula(names: Sequence[str], never_seen: Sequence[int]) -> Formula:
    """The patterns that were never seen, in as few words as tell them from those that were."""
    seen = np.setdiff1d(np.arange(2 ** len(names)), never_seen)
    return minimal_rules(names, np.array(never_seen), seen).formula


MOST_READ = 16  # concepts that a decoder looks at, up to which it is read on all their patterns


def extract(network: Network, truth: Run, unseen: Unseen = Unseen.DONT_CARE) -> Extraction:
    """Extract the rules of a single-seed network, measured in its own run on a trace's graphs.

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
        True traces, usually of training data.
    unseen
        What a rule may say about patterns that were never seen.

    Returns
    -------
    Extraction

    Raises
    ------
    AlgoLensError
        If the network took no step.
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
    rule_set, decoded = drawn.rule_set, _decoded(network, relevant)
    if list(rule_set.rules) != list(declaration.decided):
        return "outputs"
    for output, kind in declaration.decided.items():
        claimed, rules, names = drawn.outputs[output], rule_set.rules[output], relevant[output]
        texts = {label: rule.formula for label, rule in claimed.classes.items()}
        facts = list(names), output in decoded, {label: str(rule) for label, rule in rules.items()}
        if (claimed.relevant, claimed.read, texts) != facts or set(texts) != set(kind.classes):
            return f"'{output}'"
        for number, label in enumerate(kind.classes if output in decoded else ()):
            rule = rules[label]
            if (
                not set(rule.names) <= set(names)
                or ((decoded[output] == number) != rule.table(names)).any()
            ):
                return f"'{output} = {label}'"
    going_on, claims = rule_set.continues, drawn.termination
    read = _read_going_on(network) if declaration.terminates else None
    is_read = (read is not None) if declaration.terminates else None
    if (
        (going_on is not None) != declaration.terminates
        or (claims and claims.read) is not is_read
        or (read is not None and going_on is not None and not read.equivalent(going_on))
    ):
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
