"""Relations: which others an element has in view. A new relation is one entry of ``RELATIONS``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from algolens.graphs import Location
from algolens.language.ir import IT, ME, STEPS, At, Expr, Get, View

POINTER = "POINTER"  # stands for the name of a pointer from nodes to nodes


@dataclass(frozen=True)
class Join:
    """When another is in view: a path of mine and a path of its lead to one element.

    Through links, a link is between the two: its first path leads to me, its second to the other.
    """

    mine: str  # as "receiver's root"; empty: the element itself
    its: str
    through_links: bool = False

    @property
    def paths(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Both, step by step."""
        mine, its = (tuple(path.split("'s ")) if path else () for path in (self.mine, self.its))
        return mine, its


@dataclass(frozen=True)
class Relation:
    """Which others an element has in view; two are equal when they have the same words.

    Parameters
    ----------
    words : tuple of str
        What a look calls one of them, and several.
    own, others : Location
        Where the element sits that looks, and where those sit that it sees.
    joins : tuple of Join
        Those that one of these joins to the element are in view, each once.
    exactly : int, optional
        How many there always are; None: any number.
    others_only : bool
        Whether an element does not see itself.
    along_edges : bool
        Whether an edge joins the element to each of them, so that messages along edges tell of it.
    pointer : str, optional
        The pointer that it goes by; in ``RELATIONS``, ``POINTER`` stands for any.

    Examples
    --------
    >>> way_back = Relation(
    ...     ("way back", "ways back"), Location.LINK, Location.LINK, (Join("reverse", ""),)
    ... )
    >>> way_back.phrase(2)
    'ways back'
    """

    words: tuple[str, str]
    own: Location = field(compare=False)
    others: Location = field(compare=False)
    joins: tuple[Join, ...] = field(compare=False)
    exactly: int | None = field(default=None, compare=False)
    others_only: bool = field(default=False, compare=False)
    along_edges: bool = field(default=False, compare=False)
    pointer: str | None = field(default=None, compare=False)

    @property
    def pointers(self) -> tuple[str, ...]:
        """The pointer fields of nodes that it goes by."""
        return () if self.pointer is None else (self.pointer,)

    def phrase(self, count: int) -> str:
        """Its words, for one or for several."""
        return self.words[count > 1]

    @property
    def view(self) -> View:
        """The same as HIR."""
        if self.joins[0].through_links:  # those at the other end of links, or of sides
            (mine, *_), (its, *_) = self.joins[0].paths
            rows: At = "side" if len(self.joins) > 1 else "link"
            return View(self.words[0], rows, ((ME, Get(mine, rows, IT)),), Get(its, rows, IT))
        joins = tuple(
            (_along(mine, ME, self.own.value), _along(its, IT, self.others.value))
            for mine, its in (join.paths for join in self.joins)
        )
        return View(self.words[0], self.others.value, joins, apart=self.others_only)

    def by(self, pointer: str) -> Relation:
        """The same by a pointer of this name; itself, where it goes by none."""
        if self.pointer is None:
            return self
        one, several = (words.replace(POINTER, pointer) for words in self.words)
        joins = tuple(
            Join(join.mine.replace(POINTER, pointer), join.its.replace(POINTER, pointer))
            for join in self.joins
        )
        return replace(self, words=(one, several), joins=joins, pointer=pointer)

    def read(self, tokens: Sequence[str]) -> Iterator[tuple[Relation, int]]:
        """The relation that tokens begin with, and how many of them it takes, where they do."""
        for words in self.words:
            wanted = words.split()
            begin = list(tokens[: len(wanted)])
            fits = [
                token == word or (word == POINTER and token.isidentifier())
                for word, token in zip(wanted, begin, strict=False)
            ]
            if all(fits) and len(begin) == len(wanted):
                names = dict(zip(wanted, begin, strict=True))
                yield self.by(names.get(POINTER, "")), len(wanted)


def _along(path: tuple[str, ...], of: Expr, at: At) -> Expr:
    for word in path:
        of, at = Get(word, at, of), STEPS.get((at, word), "node")  # pointers lead to nodes
    return of


NODE, EDGE, LINK, GRAPH = Location
FROM_SENDER = Join("receiver", "sender", through_links=True)
FROM_RECEIVER = Join("sender", "receiver", through_links=True)
ENDS = ("one_end", "other_end")
SAME_GRAPH, IN_GRAPH = (Join("graph", "graph"),), (Join("", "graph"),)

RELATIONS = (
    # nodes that an edge joins to a node; in a directed graph, whichever way it leads
    Relation(
        ("neighbour", "neighbours"), NODE, NODE, (FROM_SENDER, FROM_RECEIVER), along_edges=True
    ),
    # nodes from which a link leads to a node, and nodes to which one leads
    Relation(("predecessor", "predecessors"), NODE, NODE, (FROM_SENDER,), along_edges=True),
    Relation(("successor", "successors"), NODE, NODE, (FROM_RECEIVER,), along_edges=True),
    # nodes whose pointer leads to a node, itself too where it points to itself
    Relation(
        ("node whose POINTER is me", "nodes whose POINTER is me"),
        NODE,
        NODE,
        (Join("", POINTER),),
        pointer=POINTER,
    ),
    # edges and links at a node
    Relation(("incoming link", "incoming links"), NODE, LINK, (Join("", "receiver"),)),
    Relation(("outgoing link", "outgoing links"), NODE, LINK, (Join("", "sender"),)),
    Relation(("incident edge", "incident edges"), NODE, EDGE, tuple(Join("", end) for end in ENDS)),
    # links that lead to a node of one's own set
    Relation(
        ("link into my set by POINTER", "links into my set by POINTER"),
        NODE,
        LINK,
        (Join(POINTER, f"receiver's {POINTER}"),),
        pointer=POINTER,
    ),
    # the two nodes that an edge joins, the edges that share one with it, and its links
    Relation(("end", "ends"), EDGE, NODE, tuple(Join(end, "") for end in ENDS), exactly=2),
    Relation(
        ("adjacent edge", "adjacent edges"),
        EDGE,
        EDGE,
        tuple(Join(mine, its) for mine in ENDS for its in ENDS),
        others_only=True,
    ),
    Relation(("direction", "directions"), EDGE, LINK, (Join("", "edge"),)),
    # links that lead to the same node, from the same node, or into the same set
    Relation(("rival", "rivals"), LINK, LINK, (Join("receiver", "receiver"),), others_only=True),
    Relation(("sibling", "siblings"), LINK, LINK, (Join("sender", "sender"),), others_only=True),
    Relation(
        ("rival by POINTER", "rivals by POINTER"),
        LINK,
        LINK,
        (Join(f"receiver's {POINTER}", f"receiver's {POINTER}"),),
        others_only=True,
        pointer=POINTER,
    ),
    # all others of the graph, and all that is in a graph
    Relation(("other node", "other nodes"), NODE, NODE, SAME_GRAPH, others_only=True),
    Relation(("other edge", "other edges"), EDGE, EDGE, SAME_GRAPH, others_only=True),
    Relation(("other link", "other links"), LINK, LINK, SAME_GRAPH, others_only=True),
    Relation(("node", "nodes"), GRAPH, NODE, IN_GRAPH),
    Relation(("edge", "edges"), GRAPH, EDGE, IN_GRAPH),
    Relation(("link", "links"), GRAPH, LINK, IN_GRAPH),
)
