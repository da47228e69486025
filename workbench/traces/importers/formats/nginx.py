"""nginx access logs with `$request_time`: real arrivals, estimated lengths.

`$time_local` is the END of a request, so arrival = end - request time. Bodies are counted in bytes: an answer
of n bytes is taken as n / 4 tokens. Prompts aren't logged and are taken as a stated number of tokens.
"""

import re

from workbench.base import message
from workbench.traces.importers.importer import TEXT_LOG, Draft, FileHead, Importer, ImportJob
from workbench.traces.importers.instants import to_ns
from workbench.traces.importers.log_rows import FAILED, NO_START, OTHER_CALL, LogRows, log_lines
from workbench.traces.trace_limits import MAX_TOKENS

ASSUMED_PROMPT_TOKENS = 512
BYTES_PER_TOKEN = 4

_LINE = re.compile(
    r"\S+ \S+ \S+ \[(?P<day>\d\d)/(?P<month>[A-Z][a-z]{2})/(?P<year>\d{4}):(?P<clock>\d\d:\d\d:\d\d) "
    r'(?P<zone>[+-]\d{4})\] "(?P<method>[A-Z]+) (?P<path>\S+)[^"]*" (?P<status>\d{3}) (?P<bytes>\d+) '
    r'"[^"]*" "[^"]*" (?P<seconds>\d+(?:\.\d+)?)\b'
)
_GENERATES = re.compile(r"/(?:completions|responses|messages|generate)(?:\?|$)")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def matches(head: FileHead) -> bool:
    """Check for a line of the usual log format with the request time after the user agent."""
    return any(_LINE.match(line) for line in head.lines)


def load(job: ImportJob) -> Draft:
    """Read every successful POST to a path that generates."""
    rows = LogRows(job, "nginx access log")
    for number, line in log_lines(job):
        text = line.text
        match = _LINE.match(text)
        if match is None:
            if not text.startswith("#"):
                rows.drop(message("traces.other_line"))
        elif match["method"] != "POST" or not _GENERATES.search(match["path"]):
            rows.drop(OTHER_CALL)
        elif not match["status"].startswith("2"):
            rows.drop(FAILED)
        else:
            _add(rows, number, match)
    job.report.note(message("traces.nginx_arrivals"))
    job.report.warn(
        message("traces.nginx_lengths", tokens=ASSUMED_PROMPT_TOKENS, bytes_per_token=BYTES_PER_TOKEN)
    )
    return rows.draft()


def _add(rows: LogRows, number: int, match: re.Match[str]) -> None:
    if match["month"] not in _MONTHS:
        rows.drop(NO_START)
        return
    month = _MONTHS.index(match["month"]) + 1
    end = to_ns(f"{match['year']}-{month:02}-{match['day']}T{match['clock']}{match['zone']}")
    seconds = float(match["seconds"])
    rows.add(
        line=number,
        start=None if end is None else end - round(seconds * 1e9),
        input_tokens=ASSUMED_PROMPT_TOKENS,
        output_tokens=min(MAX_TOKENS, max(1, int(match["bytes"][:15]) // BYTES_PER_TOKEN)),
        end=seconds * 1000,
    )


IMPORTERS = (Importer(name="nginx", matches=matches, load=load, is_log=True, rank=TEXT_LOG),)
