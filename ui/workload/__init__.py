"""The workload's room: which requests, how hard, how long."""

from ui.workload.load_form import LoadForm
from ui.workload.widget import WorkloadForm

__all__ = ["LoadForm", "WorkloadForm"]
