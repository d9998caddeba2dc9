"""What all private estimators share: one way through a fit, one file, one answer to a parameter that is not there."""

from abc import abstractmethod
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from tacit.certificate import Certificate
from tacit.errors import ParameterError
from tacit.estimators.declarations import Declaration, declaration_from_dict, declaration_to_dict
from tacit.estimators.guard import refuse_unpaid_refits
from tacit.estimators.model_file import ModelFile
from tacit.estimators.parameters import plain_parameters
from tacit.estimators.pipeline import Order, release
from tacit.ledger import Account

BUDGET_WORDS = {
    "epsilon": "privacy=1.0 for ε = 1",
    "delta": "privacy=Approx(1.0, 1e-6) for ε = 1 and δ = 1e-6",
    "rho": "privacy=ZCDP(0.1) for ρ = 0.1",
}


class PrivateEstimator(BaseEstimator):  # type: ignore[misc]
    """Base of the private estimators."""

    n_features_in_: int
    certificate_: Certificate

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = _explaining(cls.__init__)  # type: ignore[method-assign]

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit privately. X: array, sparse matrix or table; y: targets, or None to take the schema's target column."""
        payer = self._payer()
        account = checked_account(payer.ledger)
        refuse_unpaid_refits(account)
        self.restore(release(self._order(X, y), account, payer.random_state))
        return self

    def save(self, path: str | Path) -> None:
        """Write the fitted model as JSON: released values, declaration and certificate, no data and no code."""
        Path(path).write_bytes(self.model_file().to_bytes())

    def model_file(self) -> ModelFile:
        """The fitted model as plain values: what `save` writes and what a ledger stored."""
        check_is_fitted(self)
        return ModelFile(
            estimator=type(self).__name__,
            parameters=plain_parameters(self),
            declaration=declaration_to_dict(self._declared),
            columns=self.n_features_in_,
            names=tuple(map(str, getattr(self, "feature_names_in_", ()))),
            released=self._released(),
            certificate=self.certificate_,
        )

    def restore(self, kept: ModelFile) -> None:
        """Set everything that a fitted model holds, from its file: after a fit as after `tacit.load`."""
        self._declared: Declaration = declaration_from_dict(kept.declaration)
        self.n_features_in_ = kept.columns
        self.__dict__.pop("feature_names_in_", None)  # of an earlier fit
        if kept.names:
            self.feature_names_in_ = np.array(kept.names, dtype=object)
        self.certificate_ = kept.certificate
        self._keep(kept)

    def _payer(self) -> Any:
        """Whose ledger and random_state a fit uses."""
        return self

    @abstractmethod
    def _order(self, X: Any, y: Any) -> Order:
        """Check the parameters and the public shape of the table, and plan; no cell is looked at."""

    @abstractmethod
    def _keep(self, kept: ModelFile) -> None:
        """Set what this estimator holds beyond declaration and certificate."""

    @abstractmethod
    def _released(self) -> dict[str, Any]:
        """The released values of the fitted model, as in its file."""


def checked_account(account: object) -> Account | None:
    """The account to charge, or a refusal of what is none."""
    if account is None or isinstance(account, Account):
        return account
    raise ParameterError(f"ledger must be an account, as from Ledger(url).open(...), got {account!r:.80}")


def _explaining(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that tells who passes epsilon= what to write; scikit-learn sees the signature of the original."""

    @wraps(init)
    def explaining(self: Any, *arguments: Any, **parameters: Any) -> None:
        for word, example in BUDGET_WORDS.items():
            if word in parameters:
                raise ParameterError(f"{type(self).__name__} has no parameter {word}: write {example}")
        init(self, *arguments, **parameters)

    return explaining
