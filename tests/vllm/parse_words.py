"""Has vLLM's own parser judge command lines, with its Python: JSON lists of words in, verdicts out.

parse_words.py LINES.json VERDICTS.json
"""

import contextlib
import io
import json
import sys
from pathlib import Path

from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser


def verdict(words: list[str]) -> str:
    """Empty: taken."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            make_arg_parser(FlexibleArgumentParser()).parse_args(["m", *words])
        except SystemExit:
            return said.getvalue().strip().splitlines()[-1]
        except Exception as error:
            return repr(error)
    return ""


if __name__ == "__main__":
    lines = json.loads(Path(sys.argv[1]).read_text())
    Path(sys.argv[2]).write_text(json.dumps([verdict(words) for words in lines]))
