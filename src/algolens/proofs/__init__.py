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
from algolens.proofs.comparing import ProgramComparison, compare_programs, declared_otherwise
from algolens.proofs.proof import check_proof, prove
from algolens.proofs.renaming import aligned, renamed

__all__ = [
    "Basis",
    "Certificate",
    "Check",
    "Finding",
    "ProgramComparison",
    "aligned",
    "certificate_subject",
    "certify_network",
    "check_proof",
    "compare_programs",
    "declaration_fingerprint",
    "declaration_json",
    "declared_otherwise",
    "objection_to_proof",
    "proof",
    "provable",
    "prove",
    "renamed",
    "unproven_methods",
]
