"""Private selection: choose among candidates by their score on held-out rows, and say what the choice costs."""
