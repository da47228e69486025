from .dialog import QuestionsDialog as QuestionsDialog
