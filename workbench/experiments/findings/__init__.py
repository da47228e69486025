"""What an experiment of each kind finds out, in sentences, from the bench file alone."""

from workbench.experiments.findings.find import find, first_experiment

__all__ = ["find", "first_experiment"]
