"""Empirical risk over rows: public bounds, sums, and certified minima."""
