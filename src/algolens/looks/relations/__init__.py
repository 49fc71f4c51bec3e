"""Relations: whom an element has in view. A new relation is one class in this folder, found by
looking into it.
"""

from algolens.looks.relations._relation import Adjacency, Join, Relation, relations

RELATIONS = relations()

__all__ = ["RELATIONS", "Adjacency", "Join", "Relation"]
