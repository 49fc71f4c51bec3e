"""One file per algorithm, found by looking into this folder. Files with an underscore are what they
are made with.
"""

from algolens.algorithms._discovery import (
    SHIPPED,
    add_file,
    algorithm,
    algorithm_in_file,
    algorithms,
    broken_algorithms,
    import_file,
    shipped_folder,
    shipped_names,
    unknown_algorithm,
    variants,
)
from algolens.algorithms._own_files import OWN, check_own_file, find_own_file, sha256_of
from algolens.arrays import Values
from algolens.language.algorithm import Algorithm, PlainValues, python_methods, refuse_python
from algolens.language.declaration import Declaration
from algolens.language.declare import (
    Bits,
    Each,
    Edge,
    Graph,
    Limit,
    Link,
    Node,
    Option,
    category,
    mask,
    number,
    per,
    pointer,
    pointer_or_none,
)
from algolens.language.given import refuse_checks
from algolens.language.inputs import check_inputs
from algolens.language.words import Words

__all__ = [
    "OWN",
    "SHIPPED",
    "Algorithm",
    "Bits",
    "Declaration",
    "Each",
    "Edge",
    "Graph",
    "Limit",
    "Link",
    "Node",
    "Option",
    "PlainValues",
    "Values",
    "Words",
    "add_file",
    "algorithm",
    "algorithm_in_file",
    "algorithms",
    "broken_algorithms",
    "category",
    "check_inputs",
    "check_own_file",
    "find_own_file",
    "import_file",
    "mask",
    "number",
    "per",
    "pointer",
    "pointer_or_none",
    "python_methods",
    "refuse_checks",
    "refuse_python",
    "sha256_of",
    "shipped_folder",
    "shipped_names",
    "unknown_algorithm",
    "variants",
]
