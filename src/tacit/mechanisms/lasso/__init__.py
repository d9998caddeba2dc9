"""Frank–Wolfe over polytopes and other convex sets: private LASSO for many sparse columns."""
