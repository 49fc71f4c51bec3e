"""Rule learners by one interface: AlgoLens, and its peers where they are installed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from algolens.rules import RuleClassifier

OURS = "AlgoLens"


class TooLong(Exception):
    """The time is over."""


@dataclass(frozen=True)
class Fitted:
    """What a learner learnt; rules: clauses, weighted rules, splits or leaves."""

    predict: Callable[[np.ndarray], np.ndarray]
    rules: int
    proven: bool = False  # that none is smaller


def algolens(
    X: np.ndarray, y: np.ndarray, seconds: float, class_weight: str | None = None
) -> Fitted:
    """Ours; it has as long as the others."""
    fitted = RuleClassifier(seconds=seconds, class_weight=class_weight).fit(X, y)
    proven = fitted.rules_[True].proven
    return Fitted(fitted.predict, len(fitted.rule_rows()) - 1, proven)


def ripper(X: np.ndarray, y: np.ndarray, _: float) -> Fitted:
    """RIPPER of wittgenstein, for two classes."""
    import pandas
    import wittgenstein

    names = [f"x{i}" for i in range(X.shape[1])]
    fitted = wittgenstein.RIPPER(random_state=0)
    fitted.fit(
        pandas.DataFrame(X.astype(int), columns=names),
        pandas.Series(y.astype(int), name="label"),
        pos_class=1,
    )
    return Fitted(
        lambda Z: np.array(fitted.predict(pandas.DataFrame(Z.astype(int), columns=names)), bool),
        len(fitted.ruleset_.rules),
    )


def rule_fit(X: np.ndarray, y: np.ndarray, _: float) -> Fitted:
    """RuleFit of imodels; its rules are those with a weight."""
    from imodels import RuleFitClassifier

    fitted = RuleFitClassifier(random_state=0).fit(X.astype(float), y.astype(int))
    weights = np.abs(fitted.coef)
    return Fitted(
        lambda Z: fitted.predict(Z.astype(float)).astype(bool), int((weights > 1e-9).sum())
    )


def figs(X: np.ndarray, y: np.ndarray, _: float) -> Fitted:
    """FIGS of imodels; its rules are its splits."""
    from imodels import FIGSClassifier

    fitted = FIGSClassifier(random_state=0).fit(X.astype(float), y.astype(int))
    return Fitted(lambda Z: fitted.predict(Z.astype(float)).astype(bool), int(fitted.complexity_))


def gosdt(X: np.ndarray, y: np.ndarray, seconds: float) -> Fitted:
    """Optimal sparse trees of gosdt; a tree that is not proven the best is none."""
    from gosdt import GOSDTClassifier, Status

    fitted = GOSDTClassifier(regularization=0.005, time_limit=int(seconds)).fit(X, y.astype(int))
    if fitted.result_.status is not Status.CONVERGED:
        raise TooLong
    grown = fitted.trees_[0].tree
    # its own predict calls scikit-learn in a way that newer versions refuse
    return Fitted(lambda Z: _walked(grown, Z), str(grown).count("prediction"))


def _walked(node: Any, Z: np.ndarray) -> np.ndarray:
    if not hasattr(node, "feature"):
        return np.full(len(Z), bool(node.prediction))
    return np.where(Z[:, node.feature], _walked(node.left_child, Z), _walked(node.right_child, Z))


def tree(X: np.ndarray, y: np.ndarray, _: float) -> Fitted:
    """scikit-learn's decision tree; its rules are its leaves."""
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier(random_state=0).fit(X, y)
    return Fitted(fitted.predict, int(fitted.get_n_leaves()))


def torch_explain(X: np.ndarray, y: np.ndarray, _: float) -> Fitted:
    """Entropy layers of torch-explain: a network is trained, and its explanation of the class true
    is what counts.
    """
    import torch
    from torch_explain.logic.nn.entropy import explain_class
    from torch_explain.nn import EntropyLinear
    from torch_explain.nn.functional import entropy_logic_loss

    torch.manual_seed(0)
    concepts, labels = (
        torch.from_numpy(X).float(),
        torch.nn.functional.one_hot(torch.from_numpy(y).long()).float(),
    )
    layers = [
        EntropyLinear(X.shape[1], 20, n_classes=2),
        torch.nn.LeakyReLU(),
        torch.nn.Linear(20, 10),
    ]
    network = torch.nn.Sequential(*layers, torch.nn.LeakyReLU(), torch.nn.Linear(10, 1))
    optimiser = torch.optim.AdamW(network.parameters(), lr=0.01)
    for _ in range(300):
        optimiser.zero_grad()
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            network(concepts).squeeze(-1), labels
        )
        (loss + 1e-4 * entropy_logic_loss(network)).backward()
        optimiser.step()
    every = torch.arange(len(X))
    said, _ = explain_class(
        network, concepts, labels, every, every, target_class=1, topk_explanations=1000
    )
    clauses = [clause.strip(" ()").split(" & ") for clause in (said or "").split(" | ") if clause]
    literals = [
        [(int(one.strip("~ ()").removeprefix("feature")), "~" not in one) for one in of]
        for of in clauses
    ]
    return Fitted(
        lambda Z: (
            np.any([np.all([Z[:, i] == sign for i, sign in of], axis=0) for of in literals], axis=0)
            if literals
            else np.zeros(len(Z), bool)
        ),
        len(literals),
    )


Learner = Callable[[np.ndarray, np.ndarray, float], Fitted]
BALANCED = f"{OURS}, class_weight balanced"
LEARNERS: dict[str, Learner] = {
    OURS: algolens,
    BALANCED: partial(algolens, class_weight="balanced"),
    "RIPPER (wittgenstein)": ripper,
    "RuleFit (imodels)": rule_fit,
    "FIGS (imodels)": figs,
    "GOSDT (gosdt)": gosdt,
    "decision tree (scikit-learn)": tree,
    "torch-explain": torch_explain,
}
