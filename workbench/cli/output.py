"""Lines for people. Names in them come from files: whatever they hold, a terminal shows it and obeys nothing.

Data (JSON, CSV) is written to standard output as it is.
"""

import sys
from typing import TextIO

from workbench.base import shown_lines


def say(text: str = "", *, file: TextIO | None = None, flush: bool = False) -> None:
    """Print the text; its line ends stay, every other control character is escaped."""
    print(shown_lines(text), file=sys.stdout if file is None else file, flush=flush)
