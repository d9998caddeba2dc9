"""Which ε do I need for an R² within 0.02 of the best? On 494,021 network connections.

Run with:  TACIT_DATA=directory python examples/which_epsilon.py [picture.png]
(without TACIT_DATA the table is fetched by scikit-learn; the picture needs matplotlib)

The target is 1 for an attack and 0 for a normal connection; the regression is a linear probability model. Scaled to
[−1, 1] the target has a variance of about 0.64: the documentation of the table says that four connections in five are
attacks, so this number is public. An R² that is 0.02 worse is a mean of ½(y − s)² that is ½ · 0.02 · 0.64 larger.
"""

import sys
from pathlib import Path

import numpy as np
from sklearn.metrics import r2_score

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks import data
from tacit import AccuracyFirst, PrivateRidge, Schema

R2_LOST, PUBLIC_VARIANCE = 0.02, 0.64


def main() -> None:
    try:
        frame = data.connections().copy()
    except data.Missing as reason:
        print(f"left out: {reason}")
        return
    for column in ("duration", "src_bytes", "dst_bytes"):
        frame[column] = np.log1p(frame[column].astype(float))
    frame["attack"] = (frame.pop("label").astype(str) != "normal").astype(float)
    declared = Schema.load(data.SCHEMAS / "kdd99.yaml").to_dict()
    schema = Schema.from_dict({**declared, "target": {"name": "attack", "type": "real", "min": 0, "max": 1}})

    search = AccuracyFirst(
        PrivateRidge(domain=schema, l2=1e-4, radius=2.0),
        excess_risk=0.5 * R2_LOST * PUBLIC_VARIANCE,
        failure=0.1,
        max_privacy=5.0,
    ).fit(frame)
    print(f"met: {search.met_}    paid: {search.loss_}    before the search it could have been up to 5")
    print(search.trace_.tail(3).to_string())
    print(search.certificate_)
    if not search.met_:
        return
    print(f"R² of the private model: {r2_score(frame['attack'], search.predict(frame)):.4f}")
    # For comparison only, not private: as good as no noise.
    best = PrivateRidge(domain=schema, l2=1e-4, radius=2.0, privacy=1e6, mechanism="output").fit(frame)
    print(f"R² of the best model of this kind: {r2_score(frame['attack'], best.predict(frame)):.4f}")
    if len(sys.argv) > 1:
        search.plot().figure.savefig(sys.argv[1], dpi=90)


if __name__ == "__main__":
    main()
