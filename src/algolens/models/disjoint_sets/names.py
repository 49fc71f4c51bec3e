"""The declared fields that the perceiver works with, by name."""

WEIGHT, PRIORITY = "weight", "priority"  # inputs of edges, of nodes
VISITED, IN_TREE = "lighter_edges_visited", "in_mst"  # state of edges: a concept and an output
NEXT, SAME_SET = "next_edge", "ends_in_same_set"  # hints of a graph
KEEPS, PARENT = "keeps_parent", "parent"  # hints of nodes
