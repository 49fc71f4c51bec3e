"""What the recurrent network can learn: classes at nodes, from what a node and its neighbours
are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from algolens.algorithms import Algorithm
from algolens.fields import Category, Location, Mask, Number
from algolens.looks import Look, Statement
from algolens.looks.language import Whose, terms
from algolens.looks.scope import NUMBER
from algolens.models.architecture import LITERAL, PAPERS, Architecture
from algolens.models.contract import Contract, Slot, elsewhere, misplaced, network_inputs, reserved

CLASSES = Slot(Location.NODE, (Mask, Category))
READ = Slot(Location.NODE, (Mask, Category, Number))


@final
@dataclass(frozen=True)
class OnNodes(Contract):
    """An algorithm all of whose fields sit at nodes; and what it sees there, as far as that is
    declared, must reach them.
    """

    location: Location = Location.NODE

    def objection(self, algorithm: Algorithm, architecture: Architecture) -> str | None:
        declaration = algorithm.declaration
        inputs, hints = network_inputs(declaration), declaration.hints
        outputs = {name: declaration.predicted[name] for name in declaration.outputs}
        state = {name: declaration.predicted[name] for name in declaration.state}
        found = (
            elsewhere(declaration, Location.NODE)
            or misplaced(inputs, [READ], "reads", "input")
            or misplaced(state, [CLASSES], "carries over", "state")
            or misplaced(outputs, [CLASSES], "decides", "output")
            or misplaced(hints, [CLASSES], "gives", "hint")
            or reserved((*inputs, *state, *outputs))
        )
        if found is None and algorithm.recipe.directed:
            found = (
                "learns on graphs without directions, and this algorithm is taught by directed ones"
            )
        if found is None and declaration.seen is not None:
            found = _unseen(
                declaration.seen, counts=architecture.processor not in (PAPERS, LITERAL)
            )
        return found


def _unseen(look: Look, *, counts: bool) -> str | None:
    """The first observation that one round of messages along edges cannot tell, as an objection."""
    rounds: dict[str, int] = {}
    for statement in look.statements:
        name = statement.name
        if statement.relation is not None and not statement.relation.along_edges:
            return (
                f"sends messages along edges, and '{name}' looks at every "
                f"{statement.relation.phrase(1)}"
            )
        if statement.most > 1 and not counts:
            return (
                f"takes the largest message and counts none, and '{name}' counts up to "
                f"{statement.most}: a processor that sums, as --processor GINConv, may learn it"
            )
        if any(NUMBER in term.path for term in terms(statement.formula)):
            return (
                f"is not shown the numbers of nodes, which '{name}' compares: declare an input "
                "Number to compare instead"
            )
        rounds[name] = _rounds(statement, rounds)
        if rounds[name] > 1:
            return (
                f"sends messages once in a step, and '{name}' looks at what neighbours see among "
                "theirs"
            )
    return None


def _rounds(statement: Statement, before: Mapping[str, int]) -> int:
    """How many rounds of messages an observation needs. before: those of the observations that it
    may name.
    """
    found = 0 if statement.relation is None else 1
    for term in terms(statement.formula):
        of_another = term.whose is Whose.ITS
        found = max([found, *(before[word] + of_another for word in term.path if word in before)])
    return found
