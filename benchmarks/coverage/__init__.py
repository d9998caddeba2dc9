"""Coverage and length of private intervals over bootstrap samples of real tables, for `benchmarks.intervals`."""
