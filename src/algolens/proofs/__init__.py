"""What is proven: a network equals its declaration, engines compute what is declared, two programs
are equal; and certificates, which say what is proven of a network and what is only tested.
"""

from typing import TYPE_CHECKING

from algolens.lazy import exports

if TYPE_CHECKING:
    from algolens.proofs.certificate import (
        Basis,
        Certificate,
        Check,
        Finding,
        certificate_subject,
        declaration_fingerprint,
        declaration_json,
        objection_to_proof,
        provable,
        unproven_methods,
    )
    from algolens.proofs.certify import certify_network, proof
    from algolens.proofs.network import check_proof, prove

__all__ = [
    "Basis",
    "Certificate",
    "Check",
    "Finding",
    "certificate_subject",
    "certify_network",
    "check_proof",
    "declaration_fingerprint",
    "declaration_json",
    "objection_to_proof",
    "proof",
    "provable",
    "prove",
    "unproven_methods",
]

if not TYPE_CHECKING:
    __getattr__ = exports(__name__, "certificate", "network", "certify")
