"""`python -m workbench.base.tell_version`: print the program's version and the number of usable cores."""

import os

from workbench import __version__

if __name__ == "__main__":
    affinity = getattr(os, "sched_getaffinity", None)
    print(__version__, len(affinity(0)) if affinity else os.cpu_count())  # noqa: T201 - it is asked for
