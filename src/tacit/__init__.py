"""tacit: differentially private empirical risk minimisation."""
