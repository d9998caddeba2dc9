"""`tacit audit` and `tacit attack` on the command line."""

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

from tacit.cli import app
from tacit.domain import Schema
from tacit.estimators import PrivateRidge

runner = CliRunner()


def test_audit_prints_a_line_per_mechanism_and_finds_nothing():
    result = runner.invoke(app, ["audit", "--effort", "0.001", "--confidence", "0.999999999"])
    assert result.exit_code == 0, result.output
    assert "objective perturbation" in result.output
    assert "Same random bits" in result.output
    assert "VIOLATED" not in result.output


@pytest.mark.parametrize(
    ("arguments", "message"), [(["--peer", "nobody"], "nobody"), (["--confidence", "2"], "confidence")]
)
def test_audit_explains_what_it_cannot_do(arguments, message):
    result = runner.invoke(app, ["audit", "--effort", "0.001", *arguments])
    assert result.exit_code == 2
    assert message in result.output


def test_attack_guesses_a_hidden_column(tmp_path):
    generator = np.random.default_rng()
    gene = generator.choice(["A", "B"], 4000)
    dose = np.where(gene == "A", 0.8, -0.8) + generator.normal(0, 0.1, 4000)
    people = pd.DataFrame({"gene": gene, "age": generator.uniform(20, 80, 4000), "dose": dose})
    schema = Schema.from_dict(
        {
            "name": "doses",
            "features": {
                "gene": {"type": "category", "values": ["A", "B"]},
                "age": {"type": "number", "min": 20, "max": 80},
            },
            "target": {"name": "dose", "type": "real", "min": -1, "max": 1},
        }
    )
    PrivateRidge(privacy=5.0, domain=schema).fit(people).save(tmp_path / "model.json")
    people.head(500).to_csv(tmp_path / "people.csv", index=False)
    arguments = [str(tmp_path / "model.json"), str(tmp_path / "people.csv"), "--hidden", "gene", "--outcome", "dose"]
    result = runner.invoke(app, ["attack", *arguments])
    assert result.exit_code == 0, result.output
    assert "100.0%" in result.output
    missing = runner.invoke(app, ["attack", *arguments[:2], "--hidden", "height", "--outcome", "dose"])
    assert missing.exit_code == 2
    assert "height" in missing.output
