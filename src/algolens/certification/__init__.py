"""Certificates: what is proven of a network on every graph, what is tested exhaustively, and what
only on samples.
"""

from algolens.certification.certificate import Basis, Certificate, Check, Finding
from algolens.certification.certify import certificate_subject, certify_network, proof
from algolens.certification.declared import declaration_fingerprint, declaration_json
from algolens.certification.proof import check_proof, provable, prove

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
    "proof",
    "provable",
    "prove",
]
