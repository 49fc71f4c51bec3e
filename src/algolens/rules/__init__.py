"""The rule learner for tables of true/false columns: a scikit-learn classifier, without PyTorch."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algolens.rules.classifier import RuleClassifier

__all__ = ["RuleClassifier"]


if not TYPE_CHECKING:  # a name that is not there is then found by type checkers

    def __getattr__(name: str) -> Any:
        # scikit-learn takes most of a second to load, and extraction needs none of it
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from algolens.rules.classifier import RuleClassifier

        return RuleClassifier
