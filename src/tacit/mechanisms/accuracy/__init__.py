"""Accuracy first: gradual releases, a private test of each, and the plan that makes the total smallest."""
