from .load_form import LoadForm as LoadForm
from .widget import WorkloadForm as WorkloadForm
