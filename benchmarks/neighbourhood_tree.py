"""A decision tree on features of neighbourhoods made by hand, as a baseline for discovery."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from algolens.discovery import Episodes, Schema
from algolens.discovery.literals import relations
from algolens.discovery.situations import Situations
from algolens.fields import Category, Field, Location, Mask, Number


def features(schema: Schema, episodes: Sequence[Episodes]) -> np.ndarray:
    """[N, F]: own fields and index, and over those in view, counts of classes and extremes.

    For every relation without a pointer: how many are in view, how many of each class, and the
    least and greatest difference to the element's own number, where both have one.
    """
    situations = Situations(schema, episodes)
    location = schema.location
    own = dict(_columns(situations, location))
    columns = list(own.values())
    directed = any(block.graph.directed for block in situations.blocks)
    for relation, _ in relations(situations.scope, location, directed=directed):
        if relation.pointer is not None:
            continue
        looks, others = situations.pairs(relation)
        count = situations.count(location)
        columns.append(np.bincount(looks, minlength=count))
        for name, values in _columns(situations, relation.others):
            if name.startswith("is "):
                columns.append(np.bincount(looks, values[others], minlength=count))
            elif name in own:
                apart = values[others] - own[name][looks]
                for take, empty in ((np.minimum, 2.0**30), (np.maximum, -(2.0**30))):
                    extreme = np.full(count, empty)
                    take.at(extreme, looks, apart)
                    columns.append(extreme)
    return np.stack([column.astype(np.float64) for column in columns], 1)


def _columns(situations: Situations, location: Location) -> Iterator[tuple[str, np.ndarray]]:
    """Masks, classes and numbers of elements, and their index in the graph."""
    places = [block.graph.place(location).numpy() for block in situations.blocks]
    yield "index", np.concatenate(places).astype(np.float64)
    for name, field in situations.fields.items():
        if field.location is not location:
            continue
        values = np.concatenate([block.values[name].numpy() for block in situations.blocks])
        if isinstance(field.kind, Mask):
            yield f"is {name}", values.astype(np.float64)
        elif isinstance(field.kind, Category):
            for number, label in enumerate(field.kind.labels):
                yield f"is {name} {label}", (values == number).astype(np.float64)
        elif isinstance(field.kind, Number):
            yield name, values.astype(np.float64)


def decided(
    schema: Schema, episodes: Sequence[Episodes]
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """The rows from which a step was taken, and what rules decided there, by output."""
    situations = Situations(schema, episodes)
    rows = np.flatnonzero(situations.of_graphs("has_step", schema.location))
    return rows, {
        name: situations.after(name)[rows].astype(np.int64)
        for name, field in schema.outputs.items()
        if is_class(field)
    }


def is_class(field: Field) -> bool:
    """Whether a tree can decide it."""
    return isinstance(field.kind, Mask | Category)


def share_right(
    schema: Schema, taught: Sequence[Episodes], fresh: Sequence[Episodes]
) -> float | None:
    """The share of decisions on fresh runs that trees make as they were; None: there are none.

    One tree for each output that is a mask or a class, grown on the runs taught; leaves hold at
    least as many decisions as cross-validation on those runs finds best.
    """
    from sklearn.model_selection import GridSearchCV
    from sklearn.tree import DecisionTreeClassifier

    rows, labels = decided(schema, taught)
    new, truths = decided(schema, fresh)
    if not labels or not len(rows):
        return None
    known, asked = features(schema, taught)[rows], features(schema, fresh)[new]
    right = 0
    for name, wanted in labels.items():
        grid = {"min_samples_leaf": [1, 3, 10]}
        tree = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=3)
        right += int((tree.fit(known, wanted).predict(asked) == truths[name]).sum())
    return right / (len(new) * len(labels))
