"""What a run did and why, in sentences: declared phrases, or made ones, with names and numbers.

The player's ``telling.js`` says the same, to every word.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import islice
from typing import Any

from algolens.arrays import NUMPY, flatnonzero
from algolens.engines import Run, Stopped
from algolens.engines.numbers import given_numbers
from algolens.language.ir import (
    STEPS,
    TRUE,
    At,
    Case,
    Const,
    Expr,
    Get,
    It,
    Let,
    Me,
    The,
    View,
    parts_of,
)
from algolens.language.text import plain, table_of
from algolens.language.words import (
    ENDLESS,
    UNTIL,
    New,
    Template,
    Those,
    others_of,
)
from algolens.logic import reason
from algolens.logic.rule_set import RuleSet
from algolens.text.names import element_name, written
from algolens.text.seen import Scene, is_endless

MOST_IN_LIST = 6  # names in a sentence; of more, a count


@dataclass(frozen=True)
class Told:
    """One sentence on one field of one element."""

    name: str
    at: At
    element: int
    sentence: str
    formula: str = ""  # the logic behind the sentence
    is_against: bool = False  # whether it goes against its own rule
    is_silent: bool = False  # whether a step says nothing of it, for another sentence does
    place: int = 0  # of its phrase among those of the field: causes come first


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
        self.run = run.with_trace().to(NUMPY)
        self.declaration = run.algorithm.declaration
        self.rule_set = rule_set or self.declaration.rule_set
        self.speech = self.declaration.speech
        run = self.run
        concepts = run.concepts if run.has_concepts else {}
        self._fields = {**concepts, **run.outputs, **run.hints}
        self._numbers: dict[str, list[Any]] = {}

    @cached_property
    def _scene(self) -> Scene | None:
        return None if self.speech is None else Scene(self.run, self.speech.program)

    def seen(self, step: int) -> Scene | None:
        """What a step saw; None where the algorithm sees in Python."""
        return None if self._scene is None else self._scene.at(step)

    def about(self, step: int, name: str, element: int) -> Told:
        """One sentence on one field of one element. step: from 0 on."""
        if name in self.rule_set.rules and self.run.has_concepts:
            return self._decided(step, name, element)
        seen = self.seen(step)
        if seen is not None and self.speech is not None and name in self.speech.lets:
            return self._observed(seen, self.speech.lets[name], element)
        return self._moved(step, name, element)

    def reason(self, step: int, concept: str, element: int) -> str:
        """What makes a concept so, as the end of a sentence."""
        return self._said(self.seen(step), concept, element, bool(self.run[concept][step][element]))

    def examined(self, step: int) -> list[int]:
        """The elements of which a step decides, be it that they stay as they are."""
        seen = self.seen(step)
        if seen is None or self.speech is None or self.speech.examined is None:
            return []
        found: list[int] = (
            seen.all(self.speech.examined, self.speech.location).nonzero()[0].tolist()
        )
        return found

    def told(self, step: int, most: int | None = None) -> Iterator[Told]:
        """What a step did, causes first: what was examined and stays, and what changes.

        most: of each field, so many elements; None: all.
        """
        changing = [list(self._changing(step, name, most)) for name in self.names]
        at = self.declaration.location
        spoken = {told.element for of_field in changing for told in of_field if told.at == at}
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
        return flatnonzero(self.run[name].is_new(step, before)).tolist()

    def outcome(self, name: str) -> str:
        """What is said of an outcome of the graph, as it is when all is done."""
        value = bool(self.run.outcomes[name][0])
        answer, seen = f"{plain(name)}: {yes_or_no(value)}", self.seen(self.run.num_steps)
        if seen is None or self._declared(seen, name, 0) is not value:
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

    def _shown(self, name: str, value: int, element: int) -> str:
        """What a field is at an element, as a person reads it."""
        declaration = self.declaration
        if name in declaration.inputs and (given := self._given(name)):
            return written(given[element])
        known = declaration.fields.get(name)
        if known is not None and known.kind == "mask":
            return yes_or_no(bool(value))
        if known is not None and known.labels:
            return known.labels[value]
        if known is not None and known.to is not None:
            is_none = known.itself_is_none and value == element
            return "none" if is_none else element_name(self.run.graph, known.to, value)
        if is_endless(self.run, name, element):
            return ENDLESS
        return written(self.run.in_own_units(name, [value])[0])

    def _given(self, name: str) -> list[Any]:
        """The numbers of an input as the user wrote them."""
        run = self.run
        if name not in self._numbers:
            is_number = self.declaration.inputs[name].kind == "number"
            given = given_numbers(run.algorithm, run.graph, run.inputs, name) if is_number else []
            self._numbers[name] = given
        return self._numbers[name]

    def _effect(self, step: int, name: str, element: int) -> str:
        """``Mill: distance becomes 4``."""
        whose = self._whose(self.declaration.predicted[name].at, element)
        where = self.declaration.only_where.get(name)
        is_changed = element in self.changed(step, name)
        if where is not None and not is_changed and not self.run[where][step][element]:
            return f"{whose}no {plain(name)} yet"
        verb = "becomes" if is_changed else "stays"
        return f"{whose}{plain(name)} {verb} {self._after(step, name, element)}"

    def _after(self, step: int, name: str, element: int) -> str:
        return self._shown(name, int(self.run[name][step][element]), element)

    def _whose(self, at: At, element: int) -> str:
        return "" if at == "graph" else f"{self._name(at, element)}: "

    def _name(self, at: At, element: int) -> str:
        return "the graph" if at == "graph" else element_name(self.run.graph, at, element)

    def _decided(self, step: int, name: str, element: int) -> Told:
        declaration, at = self.declaration, self.declaration.location
        label = declaration.outputs[name].classes[int(self.run[name][step][element])]
        concepts = {
            concept: bool(self.run[concept][step][element]) for concept in self.run.concepts
        }
        rule = self.rule_set.rules[name][label]
        because, seen = reason(rule, concepts), self.seen(step)
        reasons = [
            self._said(seen, concept, element, concepts[concept]) for concept in because.names
        ]
        told = Told(name, at, element, "", str(because))
        if not rule.evaluate(concepts):
            against = f"{self._effect(step, name, element)}, against its rule"
            return replace(told, sentence=against, is_against=True)
        declared = declaration.rule_set.rules.get(name, {}).get(label, rule)
        # a phrase speaks of what is declared: it fits where all was seen so
        if (
            seen is not None
            and declared.evaluate(concepts)
            and all(
                self._declared(seen, concept, element) is truth
                for concept, truth in concepts.items()
            )
        ):
            place, said_of_it = self._case(seen, name, element)
            told = replace(told, place=place, is_silent=said_of_it == ())
            if said_of_it:
                filled = self._filled(said_of_it, seen, at, element, step, name)
                return replace(told, sentence=filled)
        why = f", because {' and '.join(reasons)}" if reasons else ""
        return replace(told, sentence=f"{self._effect(step, name, element)}{why}")

    def _declared(self, seen: Scene, name: str, element: int) -> bool:
        """What the statement of a feature gives, where a network may have seen otherwise."""
        assert self.speech is not None
        let = self.speech.told[name]
        return seen.holds(let.value, let.at, element)

    def _case(self, seen: Scene, name: str, element: int) -> tuple[int, Template | None]:
        """The first case of a phrase that holds: its place among them, and what is said."""
        assert self.speech is not None
        for place, (when, said) in enumerate(self.speech.cases.get(name, ())):
            if seen.holds(when, self.speech.told[name].at, element):
                return place, said
        return 0, None

    def _said(self, seen: Scene | None, name: str, element: int, truth: bool) -> str:
        """What is said of a feature that was seen so: its sentence, or its name."""
        answer = f"{plain(name)}: {yes_or_no(truth)}"
        if seen is None or self.speech is None:
            return answer
        if self._declared(seen, name, element) is not truth:
            return f"the definition says {yes_or_no(not truth)}; {yes_or_no(truth)} was seen"
        let, (_, said) = self.speech.told[name], self._case(seen, name, element)
        return self._filled(said, seen, let.at, element) if said else answer

    def _those(self, seen: Scene, view: View, body: Expr, at: At, element: int) -> list[str]:
        return [self._name(table_of(view), it) for it in seen.in_view(view, at, element, body)]

    def _observed(self, seen: Scene, let: Let, element: int) -> Told:
        assert self.speech is not None
        name, truth = let.name, bool(seen.column(let.name)[element])
        is_against = self._declared(seen, name, element) is not truth
        place, said = (0, None) if is_against else self._case(seen, name, element)
        sentence = (
            self._filled(said, seen, let.at, element)
            if said
            else f"{self._whose(let.at, element)}{self._said(seen, name, element, truth)}"
        )
        formula, is_silent = self.speech.say(let.value), said == ()
        return Told(name, let.at, element, sentence, formula, is_against, is_silent, place)

    def _moved(self, step: int, name: str, element: int) -> Told:
        at = self.declaration.predicted[name].at
        told = Told(name, at, element, self._effect(step, name, element))
        seen = self.seen(step)
        if seen is None or self.speech is None or name not in self.speech.becoming:
            return told
        let = self.speech.becoming[name]
        value = let.value
        cases = value.cases if isinstance(value, Case) else ((TRUE, value),)
        found = seen.moved(cases, let.at, element)
        stays = int(self.run.state(name)[step][element]) if found is None else found[2]
        if int(self.run[name][step][element]) != stays:
            return replace(told, sentence=f"{told.sentence}, against its move", is_against=True)
        if found is None:
            return told
        place, it, _ = found
        told = replace(told, formula=self.speech.say.case(let, *cases[place]), place=place)
        others = others_of(cases[place][1])
        by = None if others is None or it is None else (others, it)
        said: Template | None
        if name in self.speech.moves:
            said = self.speech.moves[name][place]
        else:
            place, said = self._case(seen, name, element)
        if said:
            filled = self._filled(said, seen, at, element, step, name, by)
            return replace(told, sentence=filled)
        told = replace(told, is_silent=said is not None)
        return (
            told
            if by is None
            else replace(told, sentence=f"{told.sentence}, from {self._name(*by)}")
        )

    def _filled(
        self,
        said: Template,
        seen: Scene,
        at: At,
        element: int,
        step: int = 0,
        name: str = "",
        other: tuple[At, int] | None = None,
    ) -> str:
        """A phrase with its slots filled. name: the field whose new value is said."""
        texts = []
        for part in said:
            match part:
                case str():
                    texts.append(part)
                case New():
                    texts.append(self._after(step, name, element))
                case Those(view, body, counts):
                    found = self._those(seen, view, body, at, element)
                    texts.append(str(len(found)) if counts else in_list(found))
                case _:
                    texts.append(self._named(seen, part, (at, element), other))
        return "".join(texts)

    def _named(
        self, seen: Scene, node: Expr, me: tuple[At, int], it: tuple[At, int] | None = None
    ) -> str:
        """What an expression is of an element, in the user's words."""
        value = seen.value(node, *me, it)
        match node:
            case Me():
                return self._name(*me)
            case It() if it is not None:
                return self._name(*it)
            case Get(column, at) if (at, column) in STEPS:
                return self._name(STEPS[at, column], value)
            case Get("number"):
                return str(value)
            case Get(column, _, of):
                known = self.declaration.predicted.get(column)
                if known is not None and known.to is not None:
                    return self._name(known.to, value)
                row = seen.value(of, *me, it)
                return self._shown(column, value, row)
            case The(view, _, Get() as of) if (found := seen.first(node, *me)) is not None:
                return self._named(seen, of, me, (table_of(view), found))
            case Const():
                return str(value)
        column = next((each.column for each in parts_of(node, Get)), "")
        return written(self.run.in_own_units(column, [value])[0])


def reasons_at(run: Run, step: int, output: str, rule_set: RuleSet) -> list[str]:
    """The part of a rule that gave an output at every element in a step; where the rule fails, what
    stood against it.
    """
    labels, rules = run.algorithm.declaration.outputs[output].classes, rule_set.rules[output]

    @cache
    def because(label: int, *pattern: bool) -> str:
        rule, seen = rules[labels[label]], dict(zip(run.concepts, pattern, strict=True))
        return f"{'' if rule.evaluate(seen) else 'although '}{reason(rule, seen)}"

    decided = run.outputs[output][step].tolist()
    patterns = run.patterns_at(step).tolist()
    return [because(label, *seen) for label, seen in zip(decided, patterns, strict=True)]


def yes_or_no(truth: bool) -> str:
    """A truth value as a person reads it."""
    return "yes" if truth else "no"


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
