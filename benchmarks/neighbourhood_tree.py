"""Decision trees on features of neighbourhoods made by hand, as peers of discovery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from algolens.discovery import Episodes, Schema
from algolens.discovery.examples import Examples
from algolens.discovery.literals import relations
from algolens.graphs import At
from algolens.language.fields import Field

LEAVES = 8  # of a tree whose leaves the next one counts in view


class Neighbourhoods:
    """Features of every element in every state, and what was decided there.

    Parameters
    ----------
    schema : Schema
        The fields.
    episodes : sequence of Episodes
        The runs.
    """

    def __init__(self, schema: Schema, episodes: Sequence[Episodes]) -> None:
        self.situations, self.location = Examples(schema, episodes), schema.location
        self.count = self.situations.count(self.location)
        self.rows = np.flatnonzero(self.situations.has_step(self.location))
        self.labels = {
            name: self.situations.after(name)[self.rows].astype(np.int64)
            for name, field in schema.outputs.items()
            if is_class(field)
        }

    @cached_property
    def _pairs(self) -> list[tuple[At, np.ndarray, np.ndarray]]:
        """For every relation without a pointer: where those in view sit, who looks, and at whom."""
        found = relations(self.situations.fields, self.location, directed=self.situations.directed)
        return [
            (relation.others, *self.situations.pairs(relation))
            for relation, _ in found
            if relation.pointer is None
        ]

    @cached_property
    def features(self) -> np.ndarray:
        """[N, F]: own fields and index, and over those in view, counts of classes and extremes.

        For every relation: how many are in view, how many of each class, and the least and greatest
        difference to the element's own number, where both have one.
        """
        own = dict(self._columns(self.location))
        columns = list(own.values())
        for others_at, looks, others in self._pairs:
            columns.append(np.bincount(looks, minlength=self.count))
            for name, values in self._columns(others_at):
                if name.startswith("is "):
                    columns.append(np.bincount(looks, values[others], minlength=self.count))
                elif name in own:
                    apart = values[others] - own[name][looks]
                    for take, empty in ((np.minimum, 2.0**30), (np.maximum, -(2.0**30))):
                        extreme = np.full(self.count, empty)
                        take.at(extreme, looks, apart)
                        columns.append(extreme)
        return np.stack([column.astype(np.float64) for column in columns], 1)

    def counted(self, leaves: np.ndarray, size: int) -> np.ndarray:
        """[N, K]: the own leaf, and over every relation, how many in view are in each leaf."""
        columns = [(leaves == leaf).astype(np.float64) for leaf in range(size)]
        for others_at, looks, others in self._pairs:
            if others_at == self.location:
                keys = looks * size + leaves[others]
                counts = np.bincount(keys, minlength=self.count * size)
                columns += list(counts.reshape(self.count, size).T.astype(np.float64))
        return np.stack(columns, 1)

    def _columns(self, location: At) -> Iterator[tuple[str, np.ndarray]]:
        """Masks, classes and numbers of elements, and their index in the graph."""
        blocks = self.situations.blocks
        places = [block.graph.place(location).numpy() for block in blocks]
        yield "index", np.concatenate(places).astype(np.float64)
        for name, field in self.situations.fields.items():
            if field.at != location:
                continue
            values = np.concatenate([block.values[name].numpy() for block in blocks])
            if field.kind == "mask":
                yield f"is {name}", values.astype(np.float64)
            elif field.kind == "category":
                for number, label in enumerate(field.labels):
                    yield f"is {name} {label}", (values == number).astype(np.float64)
            elif field.kind == "number":
                yield name, values.astype(np.float64)


def is_class(field: Field) -> bool:
    """Whether a tree can decide it."""
    return field.kind in ("mask", "category")


def share_right(taught: Neighbourhoods, fresh: Neighbourhoods, *, layers: int = 1) -> float | None:
    """The share of decisions on fresh runs that trees make as they were; None: there are none.

    Parameters
    ----------
    taught : Neighbourhoods
        Of the runs that trees are grown on: the last of a tree for each output that is a mask or a
        class, its leaves as large as cross-validation on these runs finds best.
    fresh : Neighbourhoods
        Of other runs.
    layers : int
        Before the last tree stand so many less one of 8 leaves; each next one counts in view the
        leaves of the one before, as iterated decision trees do.
    """
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    if not taught.labels or not len(taught.rows):
        return None
    right = 0
    for name, wanted in taught.labels.items():
        known, asked = taught.features, fresh.features
        for _ in range(layers - 1):
            small = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0)
            small.fit(known[taught.rows], wanted)
            known, asked = (
                np.hstack([table, some.counted(*_leaves(small, table))])
                for some, table in ((taught, known), (fresh, asked))
            )
        grid = {"min_samples_leaf": [1, 3, 10]}
        tree = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3)
        tree.fit(known[taught.rows], wanted)
        right += int((tree.predict(asked[fresh.rows]) == fresh.labels[name]).sum())
    return right / (len(fresh.rows) * len(taught.labels))


def _leaves(tree: Any, table: np.ndarray) -> tuple[np.ndarray, int]:
    """[N] the leaf that each row falls into, from 0 on, and how many there are."""
    ends = np.flatnonzero(tree.tree_.children_left == -1)
    return np.searchsorted(ends, tree.apply(table)), len(ends)
