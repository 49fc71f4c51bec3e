"""Relations: whom an element has in view. A new relation is one class in this folder, found by
looking into it.
"""

from algolens.looks.relations._relation import Join, Relation, View, relations

RELATIONS = relations()

__all__ = ["RELATIONS", "Join", "Relation", "View"]
