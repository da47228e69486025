"""What the numbers allow one to conclude: differences with intervals, verdicts in words."""
