"""How large the library is: statements (docstrings aside), functions, classes and long files.

python -m benchmarks.size
"""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import algolens

LONGEST = 350  # lines of a file


def main() -> None:
    """Prints the counts, of the whole and of each folder."""
    root = Path(algolens.__file__).parent
    statements: Counter[str] = Counter()
    functions = classes = 0
    long_files = []
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(root)
        nodes = list(ast.walk(ast.parse(text)))
        statements[name.parts[0]] += sum(map(_counts, nodes))
        functions += sum(isinstance(node, ast.FunctionDef) for node in nodes)
        classes += sum(isinstance(node, ast.ClassDef) for node in nodes)
        if text.count("\n") > LONGEST:
            long_files.append(f"{name} ({text.count(chr(10))})")
    print(f"{statements.total():,} statements, {functions:,} functions, {classes} classes")
    for folder, count in statements.most_common():
        print(f"{count:6,} {folder}")
    print(f"over {LONGEST} lines: {', '.join(long_files) or 'none'}")


def _counts(node: ast.AST) -> bool:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return isinstance(node, ast.stmt) and not is_text


if __name__ == "__main__":
    main()
