"""Colors, line styles and marks of all figures: told apart by color-blind eyes, and in print
without color.
"""

INK, FAINT, QUESTION, PALE = "#222222", "#5b6570", "#eef2f7", "#9aa5b1"
# Okabe and Ito's colors; the first, gray, is for class 0: not visited, not colored, not in the tree
ANSWERS = ("#d9d9d9", "#e69f00", "#56b4e9", "#009e73", "#f0e442", "#cc79a7", "#d55e00", "#0072b2")
LINES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#222222")
STYLES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
