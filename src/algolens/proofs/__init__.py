"""Certificates: what is proven of a network on every graph, and what is tested on some."""

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
from algolens.proofs.proof import check_proof, prove

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
