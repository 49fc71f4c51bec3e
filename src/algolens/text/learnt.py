"""What a model learnt and scored, for a terminal: meanings, rules and percentages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.table import Column, Table
from rich.text import Text

from algolens.data.small_graphs import TRIED
from algolens.engines.exports import not_learnt
from algolens.evaluation import TITLES
from algolens.extraction.explained import Explained
from algolens.extraction.extract import never_seen_formula
from algolens.extraction.extraction import OutputRules, Rule
from algolens.extraction.meaning import Meaning, SampledMeaning, ShownOn
from algolens.extraction.termination import TerminationRule
from algolens.logic import factored
from algolens.logic.remarks import percent, warnings

_table = partial(Table, box=box.SIMPLE_HEAD, pad_edge=False)
_right = partial(Column, justify="right", no_wrap=True)
_wide = partial(Column, overflow="fold", ratio=1)


def rules_report(explained: Explained) -> Iterator[RenderableType]:
    """What is seen, the rules of one seed with their measures, the verdict and the audit."""
    entry, several = explained.extractions[explained.shown], len(explained.seeds) > 1
    if explained.read_off:
        yield from _meanings(explained.read_off, explained.cases)
        yield Text()
    if explained.sampled:
        yield from _sampled(explained.sampled)
        yield Text()
    if not isinstance(explained.whole, str):
        yield Text("Fixed by the declaration, not learnt:", "bold")
        yield Text(f"{not_learnt(explained.whole)}\n")
    elif explained.found_in is not None:
        yield Text(f"There is no program that stands alone: {explained.whole}.", "dim")
    drawn = "as rule_sets.json has them, from" if entry.in_file else "from"
    if entry.is_exact:
        drawn = "read off the network, and measured at"
    if not entry.has_concepts:
        yield Text(
            "The network has no concepts. The rules go by the algorithm's own, in the states that "
            "the network brought about.\n"
        )
    yield Text(
        f"{explained.algorithm}: rules of seed {explained.seeds[explained.shown]}, {drawn} "
        f"{entry.num_elements:,} decisions on {entry.num_graphs:,} graphs.",
        "bold",
    )
    for output, described in entry.outputs.items():
        yield _output_table(explained, output, described.classes)
    if entry.termination is not None:
        yield _going_on(explained, entry.termination)
    yield Text()
    if several:
        count = len(explained.seeds)
        on_seen = sum(verdict.equal_on_seen for verdict in explained.verdicts)
        on_all = sum(verdict.equal_on_all for verdict in explained.verdicts)
        equal = "Equal to the true rules on every pattern"
        yield Text(f"{equal} that occurs: {on_seen} of {count} seeds.")
        yield Text(f"{equal} at all: {on_all} of {count} seeds.")
        for seed, verdict in zip(explained.seeds, explained.verdicts, strict=True):
            if not verdict.equal_on_all:
                yield Text(f"  seed {seed}: {verdict}.", "dim")
    else:
        yield Text(f"They are {explained.verdicts[explained.shown]}.")
    for line in warnings(entry.rule_set.remarks):
        yield Text(line, "bold red")
    for output, described in entry.outputs.items():
        yield from _never_seen(output, described)
    yield Text(str(explained.audit), "dim")


def _output_table(explained: Explained, output: str, classes: Mapping[str, Rule]) -> Table:
    several = len(explained.seeds) > 1
    decider = "decoder" if explained.extractions[explained.shown].has_concepts else "network"
    headings = (*(["seeds"] * several), "held", f"as {decider}", "true")
    table = _table(
        output,
        _wide("rule"),
        *map(_right, headings),
    )
    for label, rule in classes.items():
        formula = explained.rule_set.rules[output][label]
        cells = [str(factored(formula))]
        if several:
            cells.append(_seeds(explained, f"{output} = {label}", str(formula)))
        cells += [f"{rule.support:,}", percent(rule.fidelity), percent(rule.accuracy)]
        table.add_row(label, *cells)
    return table


def _seeds(explained: Explained, what: str, rule: str) -> str:
    return f"{dict(explained.counts[what])[rule]} of {len(explained.seeds)}"


def _going_on(explained: Explained, termination: TerminationRule) -> Text:
    rule = str(explained.rule_set.continues)
    steps, wrong = f"{termination.num_steps:,} steps", f"{termination.num_wrong:,}"
    seeds = ""
    if len(explained.seeds) > 1:
        seeds = f"  ({_seeds(explained, 'continue', rule)} seeds)"
    if termination.of_algorithm:
        fit = "It is the algorithm's own, on the network's concepts: the network does not tell."
    elif termination.fits:
        fit = f"It fits all {steps}."
    elif termination.read:
        fit = f"It fails at {wrong} of {steps}."
    else:
        fit = f"No short formula fits all {steps}; this one fails at {wrong}."
    return Text(f"continue: {rule}{seeds}\n  {fit}")


def _never_seen(output: str, described: OutputRules) -> Iterator[Text]:
    never, names = described.never_seen, described.relevant
    if never is None:
        seen = f"{described.num_seen} patterns of {len(names)} concepts were seen."
        yield Text(f"{output}: {seen}", "dim")
    elif never:
        which = never_seen_formula(names, never)
        also = " The rules were read there too." if described.read else ""
        yield Text(
            f"{output}: {len(never)} of {2 ** len(names)} patterns were never seen: {which}.{also}",
            "dim",
        )


def _meanings(
    meanings: Sequence[tuple[Meaning, ShownOn | None]], scope: str
) -> Iterator[RenderableType]:
    """A row for each observation; scope: in a sentence, which cases count."""
    yield Text(f"What each feature computes, read off the weights alone. {scope}", "bold")
    table = _table(
        "feature",
        Column("at", no_wrap=True),
        _wide("found"),
        _right("cases"),
        Column("as declared", no_wrap=True),
    )
    for meaning, _ in meanings:
        agrees = "in all" if meaning.equal else "not always"
        if meaning.wrong:
            agrees = f"not in {meaning.wrong:,}"
        table.add_row(
            meaning.name, meaning.at, Text(meaning.in_words), f"{meaning.cases:,}", agrees
        )
    yield table
    unproven = [meaning.name for meaning, _ in meanings if not meaning.proven]
    proof = "Each is proven to be the shortest statement of its form."
    if unproven:
        proof = f"A smaller statement may say the same of: {', '.join(unproven)}."
    yield Text(proof, "dim")
    for meaning, _ in meanings:
        if meaning.equal and meaning.declared != meaning.in_words:
            yield _declared(meaning)
    for meaning, shown in meanings:
        if not meaning.equal:
            yield from _difference(meaning, shown)


def _declared(meaning: Meaning | SampledMeaning) -> Text:
    return Text(f"{meaning.name} is declared as: {meaning.declared}", "dim")


def _difference(meaning: Meaning, shown: ShownOn | None) -> Iterator[Text]:
    yield Text(
        f"{meaning.name} is not what is declared: {meaning.declared}",
        "bold red",
    )
    for bits in meaning.misorders:
        yield Text(
            f"  Numbers of {bits} bits that it compares are not always compared rightly: lower and "
            "higher is what it takes for it."
        )
    if meaning.star_words is not None:
        yield Text(f"  A case: {meaning.star_words}.")
    if shown is None:
        yield Text(f"  No graph that was tried shows it: {TRIED}.")
    else:
        yield Text(f"  The smallest graph that was found to show it: {shown}.")


def _sampled(meanings: Sequence[SampledMeaning]) -> Iterator[RenderableType]:
    """A row for each concept, and where what was found fails."""
    yield Text(
        f"What each concept was found to be, on {meanings[0].samples:,} samples of the network's "
        "own runs. On others it may be something else.",
        "bold",
    )
    table = _table(
        "concept",
        _wide("found"),
        _right("as perceived"),
        Column("as declared", no_wrap=True),
    )
    for meaning in meanings:
        found, is_equal = Text(meaning.in_words), "yes" if meaning.equal else "no"
        table.add_row(meaning.name, found, percent(meaning.fidelity), is_equal)
    yield table
    for meaning in meanings:
        if not meaning.equal:
            yield _declared(meaning)
        for misfit in meaning.misfits:
            times = "once" if misfit.times == 1 else f"{misfit.times:,} times"
            yield Text(
                f"{meaning.name} was perceived {misfit.perceived} {times}, against it: "
                f"{misfit.situation}.",
                "dim",
            )


def scores_table(scores: Mapping[str, Any]) -> Table:
    """Percent right: a row for each metric, a column for each size of graphs."""
    sizes, num_seeds = scores["sizes"], len(scores["seeds"])
    given = "".join(f", {concept} given by the algorithm" for concept in scores.get("given", ()))
    several = f", {num_seeds} seeds" if num_seeds > 1 else ""
    title = f"{scores['algorithm']}, {scores['preset']}{given}: percent right{several}"
    columns = [
        Column(
            f"{size} {'nodes' if size.isdecimal() else 'graphs'}\n({scored['graphs']} graphs)",
            justify="right",
        )
        for size, scored in sizes.items()
    ]
    table = Table("", *columns, title=title, title_justify="left")
    for metric, name in TITLES.items():
        if metric in next(iter(sizes.values())):
            table.add_row(name, *(shown(scored[metric]) for scored in sizes.values()))
    return table


def proof_in_words(seeds: Sequence[int], unproven: Sequence[int]) -> str:
    """What a proof found. unproven: of each seed, the cases that are wrong."""
    counts = zip(seeds, unproven, strict=True)
    wrong = ", ".join(f"seed {seed} in {count} cases" for seed, count in counts if count)
    if wrong:
        return (
            f"Not proven right: {wrong}. Train for more epochs; `algolens certify` shows what is "
            "wrong."
        )
    return (
        "Proven right on every graph: `algolens certify` writes the certificate, and says what it "
        "assumes."
    )


def graphs_note(graphs: Mapping[str, Any], own_seed: int) -> str:
    """On which graphs scores were taken, in words; own_seed: of the model's own sets."""
    if "drawn" in graphs:
        seed, drawn = graphs["data_seed"], _drawn_inputs(graphs["drawn"], graphs["data_seed"])
        if "family" in graphs:
            count = graphs["of_each_size"][graphs["family"]]
            said = f"Graphs of {graphs['family']}, drawn with data seed {seed}, {count} at a size."
        else:
            said = f"Graphs as given, {graphs['given']} of {_span(graphs['nodes'])} nodes."
        return " ".join(filter(None, (said, drawn, _learnt(graphs["learnt"]))))
    families: dict[int, list[str]] = {}
    for family, count in graphs["of_each_size"].items():
        families.setdefault(count, []).append(family)
    counted = "; ".join(
        f"{count} of {'each of ' * (len(names) > 1)}{', '.join(names)}"
        for count, names in families.items()
    )
    drawn = f"Graphs drawn with data seed {graphs['data_seed']}, at each size {counted}."
    apart_from = (
        f"the model's own sets, of data seed {own_seed}"
        if graphs["fresh"]
        else "its sets to train and to select on"
    )
    return f"{drawn} None is in {apart_from}."


def training_note(graphs: Mapping[str, Any], data_seed: int) -> str:
    """On which graphs of a user it was trained, selected and tested, in words."""
    sets = dict(graphs["sets"])
    train, validation = sets.pop("train"), sets.pop("validation")
    begin = f"Trained on {train} graphs of {graphs['from']}, selected"
    if not graphs["taught"]:
        # an exact network learns from all cases, and its proof counts them
        begin = f"Taught by cases, by no graph; of graphs of {graphs['from']}, selected"
    split = "split as given" if graphs.get("split") == "given" else f"data seed {data_seed}"
    tested = " + ".join(map(str, sets.values()))
    said = [
        f"{begin} on {validation}, tested on {tested}: {_span(graphs['nodes'])} nodes, {split}.",
        _drawn_inputs(graphs["drawn"], data_seed),
    ]
    if graphs["repeated"]:
        said.append(f"Left out, for an equal one is there: {graphs['repeated']}.")
    return " ".join(filter(None, said))


def _drawn_inputs(drawn: Mapping[str, int], data_seed: int) -> str:
    names = ", ".join(f"{name} ({count} graphs)" for name, count in drawn.items())
    return f"Drawn with data seed {data_seed}: {names}." if names else ""


def _span(nodes: Sequence[int]) -> str:
    least, most = nodes
    return f"{least}" if least == most else f"{least} to {most}"


def _learnt(count: int | None) -> str:
    """How many graphs of a test a model was trained or selected on; None: not known."""
    if count is None:
        return "Whether it was trained on any of them was not checked."
    are = "is" if count < 2 else "are"
    return f"{count or 'None'} of them {are} among those that it was trained or selected on."


def shown(value: Any) -> str:
    """A percentage, or a mean with its deviation."""
    if isinstance(value, Mapping):
        return f"{value['mean']:.2f} ± {value['std']:.2f}"
    return f"{value:.2f}"


def mistakes_table(sizes: Mapping[str, Sequence[Mapping[str, Any]]]) -> Table:
    """A row for each first mistake; sizes: for each seed its 'graphs_wrong' and some 'mistakes'."""
    wrong = sum(entry["graphs_wrong"] for seeds in sizes.values() for entry in seeds)
    title = "No mistake: all graphs are right in every field of every step."
    if wrong:
        title = f"First mistakes: {wrong} graphs are wrong somewhere."
    headings = ("nodes", "seed", "graph", "step", "field", "where", "found", "true")
    table = Table(*headings, "elements wrong", title=title, title_justify="left")
    for size, seeds in sizes.items():
        for entry in seeds:
            for mistake in entry["mistakes"]:
                at, element = mistake["at"], mistake["element"]
                shown = {**mistake, "where": at if element is None else f"{at} {element}"}
                keys = (*headings[2:], "wrong")
                table.add_row(size, str(entry["seed"]), *(str(shown[key]) for key in keys))
    return table
