"""The declared fields that the perceiver works with, by name, and the classes that elements have in its exchanges."""

WEIGHT, PRIORITY = "weight", "priority"  # inputs of edges, of nodes
VISITED, IN_TREE, PARENT = "lighter_edges_visited", "in_mst", "parent"  # state: of edges, of edges, of nodes
SAME_SET = "nodes_in_same_set"  # the concept that pointers decide; all others come from edges looking at edges
JOINS, UNITED = "joins", "united"  # hints: of edges, of nodes

# what a node is to an edge: does its one end point there, does its other
POINTED = ("neither end points to it", "the second end points to it", "the first end points to it", "both ends point to it")
LEAVES, TAKES = 0, 1  # what a root concludes: that its set leaves it, and how much it is the one to go to
