"""Relations: which others an element has in view. A new relation is one entry of ``RELATIONS``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from algolens.graphs import LOCATIONS
from algolens.language.ir import IT, ME, STEPS, At, Expr, Get, View
from algolens.language.text import several

POINTER = "POINTER"  # stands for the name of a pointer from nodes to nodes


@dataclass(frozen=True)
class Relation:
    """Which others an element has in view.

    Parameters
    ----------
    words : str
        What a statement calls one of them.
    own, others : At
        Where the element sits that looks, and where those sit that it sees.
    joins : tuple of (str, str)
        Paths, as "receiver's root", empty for the element itself. Another is in view, once, where a
        path of mine and the path of its beside it lead to one element.
    others_only : bool
        Whether an element does not see itself.
    through : str, optional
        "link" or "side": one of these stands between the two, its first path leads to me, its
        second to the other. So messages along edges tell of the other.
    pointer : str, optional
        The pointer that it goes by; in ``RELATIONS``, ``POINTER`` stands for any.

    Examples
    --------
    >>> back = Relation("reverse link", "link", "link", (("reverse", ""),))
    >>> back.phrase(2)
    'reverse links'
    """

    words: str
    own: At
    others: At
    joins: tuple[tuple[str, str], ...]
    others_only: bool = False
    through: Literal["link", "side"] | None = None
    pointer: str | None = None

    @property
    def exactly(self) -> int | None:
        """How many there always are; None: any number."""
        return None if any(its for _, its in self.joins) else len(self.joins)

    def phrase(self, count: int) -> str:
        """Its words, for one or for several."""
        return several(self.words) if count > 1 else self.words

    @property
    def view(self) -> View:
        """The same as HIR."""
        if self.through is not None:  # those at the other end
            rows: At = self.through
            mine, its = (_along(path, IT, rows) for path in self.joins[0])
            return View(self.words, rows, ((ME, mine),), its)
        joins = tuple(
            (_along(mine, ME, self.own), _along(its, IT, self.others)) for mine, its in self.joins
        )
        return View(self.words, self.others, joins, apart=self.others_only)

    def by(self, pointer: str) -> Relation:
        """The same by a pointer of this name; itself, where it goes by none."""
        if self.pointer is None:
            return self
        joins = tuple(
            (mine.replace(POINTER, pointer), its.replace(POINTER, pointer))
            for mine, its in self.joins
        )
        words = self.words.replace(POINTER, pointer)
        return replace(self, words=words, joins=joins, pointer=pointer)

    def read(self, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        """The relation that tokens begin with, and how many of them it takes, where they do."""
        for count in (1, 2):
            wanted = self.phrase(count).split()
            begin = list(tokens[: len(wanted)])
            fits = [
                token == word or (word == POINTER and token.isidentifier())
                for word, token in zip(wanted, begin, strict=False)
            ]
            if all(fits) and len(begin) == len(wanted):
                names = dict(zip(wanted, begin, strict=True))
                yield self.by(names.get(POINTER, "")), len(wanted)


def _along(path: str, of: Expr, at: At) -> Expr:
    for word in path.split("'s ") if path else ():
        of, at = Get(word, at, of), STEPS.get((at, word), "node")  # pointers lead to nodes
    return of


NODE, EDGE, LINK, GRAPH = LOCATIONS
ENDS = ("one_end", "other_end")
TO_ME, FROM_ME = (("receiver", "sender"),), (("sender", "receiver"),)
SAME_GRAPH, IN_GRAPH = (("graph", "graph"),), (("", "graph"),)

RELATIONS = (
    # nodes that an edge joins to a node; in a directed graph, whichever way it leads
    Relation("neighbour", NODE, NODE, TO_ME, through="side"),
    # nodes from which a link leads to a node, and nodes to which one leads
    Relation("predecessor", NODE, NODE, TO_ME, through="link"),
    Relation("successor", NODE, NODE, FROM_ME, through="link"),
    # nodes whose pointer leads to a node, itself too where it points to itself
    Relation("node whose POINTER is me", NODE, NODE, (("", POINTER),), pointer=POINTER),
    # edges and links at a node
    Relation("incoming link", NODE, LINK, (("", "receiver"),)),
    Relation("outgoing link", NODE, LINK, (("", "sender"),)),
    Relation("incident edge", NODE, EDGE, tuple(("", end) for end in ENDS)),
    # links that lead to a node of one's own set
    Relation(
        "link into my set by POINTER",
        NODE,
        LINK,
        ((POINTER, f"receiver's {POINTER}"),),
        pointer=POINTER,
    ),
    # the two nodes that an edge joins, the edges that share one with it, and its links
    Relation("end", EDGE, NODE, tuple((end, "") for end in ENDS)),
    Relation(
        "adjacent edge",
        EDGE,
        EDGE,
        tuple((mine, its) for mine in ENDS for its in ENDS),
        others_only=True,
    ),
    Relation("direction", EDGE, LINK, (("", "edge"),)),
    # links that lead to the same node, from the same node, or into the same set
    Relation("rival", LINK, LINK, (("receiver", "receiver"),), others_only=True),
    Relation("sibling", LINK, LINK, (("sender", "sender"),), others_only=True),
    Relation(
        "rival by POINTER",
        LINK,
        LINK,
        ((f"receiver's {POINTER}", f"receiver's {POINTER}"),),
        others_only=True,
        pointer=POINTER,
    ),
    # all others of the graph, and all that is in a graph
    Relation("other node", NODE, NODE, SAME_GRAPH, others_only=True),
    Relation("other edge", EDGE, EDGE, SAME_GRAPH, others_only=True),
    Relation("other link", LINK, LINK, SAME_GRAPH, others_only=True),
    Relation("node", GRAPH, NODE, IN_GRAPH),
    Relation("edge", GRAPH, EDGE, IN_GRAPH),
    Relation("link", GRAPH, LINK, IN_GRAPH),
)
