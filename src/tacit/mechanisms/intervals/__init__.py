"""What confidence intervals need: private curvature and score moments at a released θ."""
