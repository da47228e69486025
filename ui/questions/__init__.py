"""Before going live: the guide's five questions, answered from results, and what would answer the rest."""

from ui.questions.dialog import QuestionsDialog

__all__ = ["QuestionsDialog"]
