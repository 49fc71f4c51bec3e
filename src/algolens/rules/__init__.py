"""The rule learner for tables of true/false columns: a scikit-learn classifier, without PyTorch."""

from typing import TYPE_CHECKING

from algolens.lazy import exports

__all__ = ["RuleClassifier"]

if TYPE_CHECKING:
    from algolens.rules.classifier import RuleClassifier
else:  # scikit-learn takes most of a second to load, and extraction needs none of it
    __getattr__ = exports(__name__, "classifier")
