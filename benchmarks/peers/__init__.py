"""Published algorithms to compare with, as small baselines.

They draw ordinary floating-point noise, so they show the utility of an algorithm and promise no privacy. All get rows
in the ℓ2 unit ball (a constant column included) with y = ±1 or y in [−1, 1], the very rows that tacit fits.
"""
