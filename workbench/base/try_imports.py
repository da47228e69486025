"""`python -m workbench.base.try_imports MODULE…`: import each, and end with 0 if all are there.

`MODULE:*` also loads every name that the module offers.
"""

import importlib
import sys

if __name__ == "__main__":
    for name in sys.argv[1:]:
        module, _, names = name.partition(":")
        found = importlib.import_module(module)
        for each in found.__all__ if names else ():
            getattr(found, each)
