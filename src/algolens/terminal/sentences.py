"""What a run did and why, in sentences: declared phrases, or made ones, with names and numbers.

The player's ``sentences.js`` says the same, to every word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from algolens.execution import Run, Stopped
from algolens.fields import Category, Mask, Number, Pointer
from algolens.graphs import Location
from algolens.logic.rule_set import RuleSet
from algolens.looks.english import name_in_english
from algolens.looks.language import statement_text
from algolens.looks.phrases import ENDLESS, Case, New, Template, Those
from algolens.looks.speech import UNTIL
from algolens.terminal.names import element_name, written
from algolens.terminal.seen import StepSeen, deciding, is_endless

MOST_IN_LIST = 6  # names in a sentence; of more, a count


@dataclass(frozen=True)
class Told:
    """One sentence on one field of one element."""

    name: str
    at: Location
    element: int
    sentence: str
    details: tuple[str, ...] = ()  # the reasons one by one, with their numbers
    formula: str = ""  # the logic behind the sentence
    is_against: bool = False  # whether it goes against its own rule
    is_silent: bool = False  # whether a step says nothing of it, for another sentence does
    place: int = 0  # of its phrase among those of the field: causes come first

    def to_json(self) -> dict[str, Any]:
        """Itself as the page has it."""
        return {
            "name": self.name,
            "at": self.at.value,
            "element": self.element,
            "sentence": self.sentence,
            "details": list(self.details),
            "formula": self.formula,
            "isAgainst": self.is_against,
            "isSilent": self.is_silent,
            "place": self.place,
        }


class Sentences:
    """What is said of a run of one graph.

    Parameters
    ----------
    run : Run
        With every step.
    rule_set : RuleSet
        Whose rules decided; unless given, the algorithm's own.
    """

    def __init__(self, run: Run, rule_set: RuleSet | None = None) -> None:
        self.run = run.with_trace()
        self.declaration = run.algorithm.declaration
        self.rule_set = rule_set or self.declaration.rule_set
        self.speech = self.declaration.speech
        concepts = run.concepts if run.has_concepts else {}
        self._fields = {**concepts, **run.outputs, **run.hints}
        self._seen: tuple[int, StepSeen | None] = (-1, None)

    def seen(self, step: int) -> StepSeen | None:
        """What a step saw; None where the algorithm declares no look."""
        if self.speech is not None and self._seen[0] != step:
            self._seen = (step, StepSeen(self.run, step))
        return self._seen[1]

    def about(self, step: int, name: str, element: int) -> Told:
        """One sentence on one field of one element. step: from 0 on."""
        if name in self.rule_set.rules and self.run.has_concepts:
            return self._decided(step, name, element)
        seen = self.seen(step)
        if seen is not None and name in seen.statements:
            return self._observed(seen, name, element)
        return self._moved(step, name, element)

    def reason(self, step: int, concept: str, element: int) -> str:
        """What makes a concept so, as the end of a sentence."""
        return self._said(self.seen(step), concept, element, bool(self.run[concept][step][element]))

    def examined(self, step: int) -> list[int]:
        """The elements of which a step decides, be it that they stay as they are."""
        seen = self.seen(step)
        if seen is None or self.speech is None or self.speech.examined is None:
            return []
        return [i for i, is_so in enumerate(seen.of_all(self.speech.examined)) if is_so]

    def told(self, step: int, most: int | None = None) -> Iterator[Told]:
        """What a step did, causes first: what was examined and stays, and what changes.

        most: of each field, so many elements; None: all.
        """
        changing = [list(self._changing(step, name, most)) for name in self.names]
        at = self.declaration.location
        spoken = {told.element for of_field in changing for told in of_field if told.at is at}
        for element in [each for each in self.examined(step) if each not in spoken][:most]:
            about = (self.about(step, name, element) for name in self.names if self._rules(name))
            yield from islice((told for told in about if not told.is_silent), 1)
        for of_field in changing:
            yield from of_field

    def _changing(self, step: int, name: str, most: int | None) -> Iterator[Told]:
        """What is said of the elements of which a step changes a field."""
        told = [self.about(step, name, element) for element in self.changed(step, name)[:most]]
        yield from sorted((each for each in told if not each.is_silent), key=lambda it: it.place)

    @property
    def names(self) -> list[str]:
        """The fields that a step is told by, in order."""
        declaration, order = self.declaration, self.declaration.words.phrases
        # fields of the state without a phrase are not told where others have one
        told = dict.fromkeys((*order, *declaration.outputs, *(() if order else declaration.state)))
        state = [name for name in declaration.state if name not in declaration.concepts]
        return [name for name in told if name in declaration.outputs or name in state]

    def _rules(self, name: str) -> bool:
        return name in self.rule_set.rules and self.run.has_concepts

    def changed(self, step: int, name: str) -> list[int]:
        """The elements of which a step changes a field."""
        if name not in self._fields:
            return []
        before = self.run.start.get(name)
        return self.run[name].is_new(step, before).nonzero().flatten().tolist()

    def outcome(self, name: str) -> str:
        """What is said of an outcome of the graph, as it is when all is done."""
        value = bool(self.run.outcomes[name][0])
        answer = f"{name.replace('_', ' ')}: {'yes' if value else 'no'}"
        seen = None if self.speech is None else StepSeen(self.run, self.run.num_steps)
        if seen is None or seen.declared(name, 0) is not value:
            return answer
        return f"{answer} ({self._said(seen, name, 0, value)})"

    def ending(self) -> str:
        """How many steps it took, and what ended it."""
        steps = f"{self.run.num_steps:,} step{'' if self.run.num_steps == 1 else 's'}"
        if Stopped(int(self.run.stopped[0])) is Stopped.BY_LIMIT:
            return f"Cut short after {steps}: these are the most it may take, and it asks for more."
        until = self.declaration.words.lines.get("until", UNTIL)
        return f"Finished after {steps}: {until}."

    # ---- one sentence

    def _value(self, name: str, step: int, element: int) -> str:
        """A field after a step, as a person reads it."""
        known, value = self.declaration.predicted[name], int(self.run[name][step][element])
        match known.kind:
            case Mask():
                return "yes" if value else "no"
            case Category() as kind:
                return kind.labels[value]
            case Pointer() as kind:
                is_none = kind.itself_is_none and value == element
                return "none" if is_none else element_name(self.run.graph, kind.to, value)
            case Number() if is_endless(self.run, name, element):
                return ENDLESS
            case Number():
                return written(self.run.in_own_units(name, [value])[0])
        raise TypeError(f"{type(known.kind).__name__} is no kind that is told")

    def _effect(self, step: int, name: str, element: int) -> str:
        """``Mill: distance becomes 4``."""
        at = self.declaration.predicted[name].location
        whose = "" if at is Location.GRAPH else f"{element_name(self.run.graph, at, element)}: "
        where = self.declaration.only_where.get(name)
        is_changed = element in self.changed(step, name)
        if where is not None and not is_changed and not self.run[where][step][element]:
            return f"{whose}no {name.replace('_', ' ')} yet"
        verb = "becomes" if is_changed else "stays"
        return f"{whose}{name.replace('_', ' ')} {verb} {self._value(name, step, element)}"

    def _decided(self, step: int, name: str, element: int) -> Told:
        declaration, at = self.declaration, self.declaration.location
        labels = declaration.outputs[name].labels
        label = labels[int(self.run[name][step][element])]
        concepts = {
            concept: bool(self.run[concept][step][element]) for concept in self.run.concepts
        }
        rule = self.rule_set.rules[name][label]
        parts = deciding(rule, lambda part: bool(part.evaluate(concepts)))
        seen = self.seen(step)
        reasons, details = [], []
        for concept, truth in parts:
            said = self._said(seen, str(concept), element, truth)
            reasons.append(said)
            answer = "yes" if truth else "no"
            details.append(f"{str(concept).replace('_', ' ')}: {answer} ({said})")
        formula = " & ".join(f"{'' if truth else '~'}{part}" for part, truth in parts)
        told = Told(name, at, element, "", tuple(details), formula or str(rule))
        if not rule.evaluate(concepts):
            against = f"{self._effect(step, name, element)}, against its rule"
            return replace(told, sentence=against, is_against=True)
        declared = declaration.rule_set.rules.get(name, {}).get(label, rule)
        # a phrase speaks of what is declared: it fits where all was seen so
        if (
            seen is not None
            and self.speech is not None
            and declared.evaluate(concepts)
            and all(seen.declared(concept, element) is truth for concept, truth in concepts.items())
        ):
            place, case = self._case(seen, name, element)
            told = replace(told, place=place, is_silent=case is not None and not case.said)
            if case is not None and case.said:
                said = self._filled(case.said, seen, at, element, step, name)
                return replace(told, sentence=said)
        because = f", because {' and '.join(reasons)}" if reasons else ""
        return replace(told, sentence=f"{self._effect(step, name, element)}{because}")

    def _case(self, seen: StepSeen, name: str, element: int) -> tuple[int, Case | None]:
        """The first case of a phrase that holds, and its place among them."""
        assert self.speech is not None
        for place, case in enumerate(self.speech.cases.get(name, ())):
            if seen.of_all(case.when)[element]:
                return place, case
        return 0, None

    def _said(self, seen: StepSeen | None, name: str, element: int, truth: bool) -> str:
        """What is said of an observation that was seen so."""
        if seen is None:
            return name_in_english(name, truth)
        if seen.declared(name, element) is not truth:
            says, saw = ("no", "yes") if truth else ("yes", "no")
            return f"the definition says {says}; {saw} was seen"
        _, case = self._case(seen, name, element)
        if case is not None and case.said:
            return self._filled(case.said, seen, seen.statements[name].location, element)
        return " and ".join(self._atoms(seen, name, element)) or name_in_english(name, truth)

    def _atoms(self, seen: StepSeen, name: str, element: int) -> list[str]:
        """The parts of a statement that decide it."""
        assert self.speech is not None
        statement, made = seen.statements[name], self.speech.made[name]
        says = seen.says(statement, element)
        return [
            self._filled(made[atom][0 if truth else 1], seen, statement.location, element)
            for atom, truth in deciding(statement.formula, says)
        ]

    def _observed(self, seen: StepSeen, name: str, element: int) -> Told:
        statement = seen.statements[name]
        at, truth = statement.location, bool(seen.batch.values[name][element])
        is_against = seen.declared(name, element) is not truth
        place, case = (0, None) if is_against else self._case(seen, name, element)
        whose = "" if at is Location.GRAPH else f"{element_name(self.run.graph, at, element)}: "
        sentence = (
            f"{whose}{self._said(seen, name, element, truth)}"
            if case is None or not case.said
            else self._filled(case.said, seen, at, element)
        )
        is_silent = case is not None and not case.said
        details = tuple(self._atoms(seen, name, element))
        formula = statement_text(statement.formula)
        return Told(name, at, element, sentence, details, formula, is_against, is_silent, place)

    def _moved(self, step: int, name: str, element: int) -> Told:
        at = self.declaration.predicted[name].location
        told = Told(name, at, element, self._effect(step, name, element))
        seen = self.seen(step)
        movers = [] if seen is None else [each for each in seen.look.movers if each.name == name]
        if seen is None or self.speech is None or not movers:
            return told
        found = seen.moved(movers, element)
        value = int(self.run[name][step][element])
        before = int(self.run.state(name)[step][element]) if found is None else found.value
        if before != value:
            return replace(told, sentence=f"{told.sentence}, against its move", is_against=True)
        if found is None:
            return told
        move = movers[found.place].move
        told = replace(told, formula=str(move), place=found.place)
        other = None if found.other is None or move.relation is None else move.relation.others
        said = self.speech.moves.get(name, (None,) * len(movers))[found.place]
        if said:
            by = None if other is None or found.other is None else (other, found.other)
            return replace(told, sentence=self._filled(said, seen, at, element, step, name, by))
        told = replace(told, is_silent=said is not None)
        if other is None or found.other is None:
            return told
        origin = element_name(self.run.graph, other, found.other)
        return replace(told, sentence=f"{told.sentence}, from {origin}")

    def _filled(
        self,
        said: Template,
        seen: StepSeen,
        at: Location,
        element: int,
        step: int = 0,
        name: str = "",
        other: tuple[Location, int] | None = None,
    ) -> str:
        """A phrase with its slots filled. name: the field whose new value is said."""
        texts = []
        for part in said:
            match part:
                case str():
                    texts.append(part)
                case New():
                    texts.append(self._value(name, step, element))
                case Those(relation, _, counts):
                    found = seen.counted(part.statement, relation, element)
                    names = (element_name(self.run.graph, relation.others, it) for it in found)
                    texts.append(str(len(found)) if counts else in_list(list(names)))
                case term:
                    whose = other if term.whose.value == "its" and other is not None else None
                    begin, place = (at, element) if whose is None else whose
                    resolved = seen.look.scope.resolve(
                        term, at, None if other is None else other[0]
                    )
                    assert resolved.own is begin
                    texts.append(seen.value(resolved, place))
        return "".join(texts)


def in_list(names: Sequence[str]) -> str:
    """Names one after the other.

    >>> in_list(["Mill"]), in_list(["Mill", "Well", "Inn"]), in_list("abcdefgh")
    ('Mill', 'Mill, Well and Inn', 'a, b, c, d, e, f and 2 more')
    """
    if len(names) < 2:
        return names[0] if names else "none"
    if len(names) > MOST_IN_LIST:
        return f"{', '.join(names[:MOST_IN_LIST])} and {len(names) - MOST_IN_LIST} more"
    return f"{', '.join(names[:-1])} and {names[-1]}"
