from .load_form import LoadForm as LoadForm
from .workload_form import WorkloadForm as WorkloadForm
