"""What each algorithm that ships is for, in a sentence, and what a page asks when one predicts."""

PROBLEMS: dict[str, tuple[str, str]] = {
    "activity_selection": (
        "Choose as many activities as possible, of which no two overlap.",
        "Which activity is looked at next?",
    ),
    "articulation_points": (
        "Find the nodes whose removal would break the graph into more parts.",
        "Where does the search go next?",
    ),
    "bellman_ford": (
        "Find the shortest path from one node to every other, even with negative weights.",
        "Which node finds a shorter path next?",
    ),
    "bfs": (
        "Find every node that can be reached from one node.",
        "Which node is reached next?",
    ),
    "bfs_tree": (
        "Find a path with the fewest edges from one node to every other.",
        "Which node is reached next?",
    ),
    "binary_search": (
        "Find a number in an ordered row without looking at all of them.",
        "Which number is compared next?",
    ),
    "bipartite": (
        "Put the nodes on two sides so that every edge leads across, if that is possible.",
        "Which node changes sides or follows another next?",
    ),
    "boruvka": (
        "Connect all nodes with edges of the least total weight.",
        "Which edge joins the tree next?",
    ),
    "bridges": (
        "Find the edges whose removal would break the graph into more parts.",
        "Where does the search go next?",
    ),
    "bubble_sort": ("Put the numbers in ascending order.", "Which number moves next?"),
    "coloring": (
        "Color the nodes so that no two neighbours share a color, many nodes at once.",
        "Which node takes its color next?",
    ),
    "components": (
        "Find the parts of a graph: which nodes are connected to one another.",
        "Which node changes its component next?",
    ),
    "dag_shortest_paths": (
        "Find the shortest path from one node to every other in a graph without cycles.",
        "Which node is dealt with next?",
    ),
    "dfs": (
        "Visit every node, always going on from the node reached last.",
        "Where does the search go next?",
    ),
    "dfs_topological_sort": (
        "Put the nodes in an order in which every edge leads forward.",
        "Where does the search go next?",
    ),
    "dijkstra": (
        "Find the shortest path from one node to every other.",
        "Which node is settled next?",
    ),
    "floyd_warshall": (
        "Find the length of the shortest path between every two nodes.",
        "Through which node do paths lead next?",
    ),
    "graham_scan": (
        "Find the convex hull: the smallest fence around all points.",
        "Which point is decided next?",
    ),
    "heapsort": ("Put the numbers in ascending order, by a heap.", "Which number moves next?"),
    "independent_set": (
        "Choose nodes of which no two are neighbours, until no more fit.",
        "Which node is decided next?",
    ),
    "insertion_sort": ("Put the numbers in ascending order.", "Which number moves next?"),
    "jarvis_march": (
        "Find the convex hull: the smallest fence around all points.",
        "Which point is looked at next?",
    ),
    "k_core": (
        "Find the largest part of a graph in which every node keeps enough neighbours.",
        "Which node is removed next?",
    ),
    "kmp_matcher": (
        "Find where a pattern stands in a text, never going back in the text.",
        "Which letter is compared next?",
    ),
    "kruskal": (
        "Connect all nodes with edges of the least total weight.",
        "Which edge does Kruskal's algorithm look at next?",
    ),
    "lcs_length": (
        "Find the longest row of letters that two words share, in order, with gaps allowed.",
        "Which cell is filled next?",
    ),
    "matching": (
        "Choose edges of which no two share an end, until no more fit.",
        "Which edge is decided next?",
    ),
    "matrix_chain_order": (
        "Set the brackets of a product of matrices so that it takes the fewest multiplications.",
        "Which part of the chain finds a cheaper split next?",
    ),
    "maximum_subarray": (
        "Find the neighbouring numbers with the largest sum.",
        "Which number is read next?",
    ),
    "minimum": ("Find the least of the numbers.", "Which number is looked at next?"),
    "naive_string_matcher": (
        "Find where a pattern stands in a text.",
        "Which letter is compared next?",
    ),
    "optimal_bst": (
        "Build the search tree in which a search takes the fewest steps on average.",
        "Which tree is built next?",
    ),
    "order_statistic": (
        "Find the number that would stand at a given place if all were in order.",
        "Which number is found?",
    ),
    "prim": (
        "Connect all nodes with edges of the least total weight.",
        "Which node joins the tree next?",
    ),
    "quickselect": (
        "Find the number that would stand at a given place if all were in order.",
        "Which number moves or is settled next?",
    ),
    "quicksort": (
        "Put the numbers in ascending order.",
        "Which number moves or is settled next?",
    ),
    "segments_intersect": (
        "Find out whether two line segments cross.",
        "Which point is tested next?",
    ),
    "selection_sort": ("Put the numbers in ascending order.", "Which number moves next?"),
    "strong_components": (
        "Find which nodes of a directed graph can reach one another, there and back.",
        "Which node is entered, left or assigned next?",
    ),
    "task_scheduling": (
        "Order tasks with deadlines and penalties so that the penalties are least.",
        "Which task is scheduled next?",
    ),
    "topological_sort": (
        "Put the nodes in an order in which every edge leads forward.",
        "Which node comes next in the order?",
    ),
    "widest_path": (
        "Find the path from one node to every other whose narrowest edge is widest.",
        "Which node is settled next?",
    ),
}
