"""Comparison with what vLLM's own scheduler decided: golden cases and recordings of live servers."""

from workbench.engine.check.files import check_file
from workbench.engine.check.recording import RecordingPlayer
from workbench.engine.check.rule_search import Judgement, judge
from workbench.engine.check.verdict import Difference, Verdict

__all__ = ["Difference", "Judgement", "RecordingPlayer", "Verdict", "check_file", "judge"]
