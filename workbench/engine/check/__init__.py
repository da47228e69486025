"""Comparison with what vLLM's own scheduler decided: golden cases and recordings of live servers."""

from workbench.engine.check.files import check_file
from workbench.engine.check.verdict import Difference, Verdict

__all__ = ["Difference", "Verdict", "check_file"]
