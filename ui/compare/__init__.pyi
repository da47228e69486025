from .dialog import CompareDialog as CompareDialog
