from .find import find as find
from .find import first_experiment as first_experiment
