"""What an experiment of each kind finds out, in sentences, from the bench file alone."""

from workbench.experiments.findings.find import find

__all__ = ["find"]
