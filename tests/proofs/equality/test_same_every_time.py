"""A proof asks Z3 the same questions in every process, however strings are hashed."""

import os
import subprocess
import sys

ASKED = """
import hashlib
from algolens.algorithms import algorithm
from algolens.proofs import theory
from algolens.proofs.equality.proof import prove_equal

asked, refutes = hashlib.sha256(), theory.Prover.refutes

def record(self, statement, *rest):
    for one in (*self.axioms, statement):
        asked.update(one.sexpr().encode())
    return refutes(self, statement, *rest)

theory.Prover.refutes = record
ours = algorithm("coloring")
assert prove_equal(ours.declaration.program, ours).proven
print(asked.hexdigest())
"""


def test_questions_do_not_depend_on_how_strings_are_hashed():
    asked = {
        subprocess.run(
            [sys.executable, "-c", ASKED],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(asked) == 1
