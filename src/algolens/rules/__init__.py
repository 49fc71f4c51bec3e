"""The rule learner for tables of true/false columns: a scikit-learn classifier, without PyTorch."""

from algolens.rules.classifier import RuleClassifier

__all__ = ["RuleClassifier"]
