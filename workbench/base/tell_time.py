"""`python -m workbench.base.tell_time`: print the monotonic clock for each line of standard input."""

import sys
import time

if __name__ == "__main__":
    for _ in sys.stdin:
        print(repr(time.monotonic()), flush=True)  # noqa: T201 - it is asked for
