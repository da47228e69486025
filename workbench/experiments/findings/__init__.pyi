from .by_kind import find as find
from .by_kind import first_experiment as first_experiment
