"""vLLM's request log: lines `Received request ...`, written only with request logging on.

Time has no year and a grain of one second. Prompt lengths come from logged token ids, else are estimated
from the prompt's text; output lengths are only the `max_tokens` asked for, an upper bound.
"""

import re
from datetime import UTC, datetime, timedelta

from workbench.traces.importers.formats import Draft, Importer, Job, Sample
from workbench.traces.importers.logrows import NO_START, NO_TOKENS, LogRows, count

_LINE = re.compile(
    r"(?:\(\w+ pid=\d+\)\s*)?INFO (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s.*?Received request (\S+?): "
)
_IDS = re.compile(r"prompt_token_ids: \[([\d, ]*)\]")
_PROMPT = re.compile(r"Received request \S+: prompt: (?P<quote>['\"])(?P<text>.*)(?P=quote), params: ")
_MAX_TOKENS = re.compile(r"[(, ]max_tokens=(\d+)")

_YEAR = 2000
"""Any leap year: only gaps matter."""
_ROLLOVER = timedelta(days=180)


def matches(seen: Sample) -> bool:
    """A log line of vLLM, whether or not it is a request's."""
    return any(
        re.match(r"(?:\(\w+ pid=\d+\)\s*)?INFO \d\d-\d\d \d\d:\d\d:\d\d\s", line) for line in seen.lines
    )


def load(job: Job) -> Draft:
    """Every received request whose prompt's length can be known."""
    rows = LogRows(job, "vLLM request log")
    previous: datetime | None = None
    for number, line in job.source.open().lines():
        text = line.decode()
        match = _LINE.match(text)
        if match is None:
            rows.drop("not a received request")
            continue
        previous = _moment(match, previous)
        if previous is None:
            rows.drop(NO_START)
        else:
            _add(rows, number, text, previous)
    if not job.report.rows_read - job.report.rows_dropped["not a received request"]:
        job.source.fail(
            "a vLLM log without `Received request` lines: it holds no requests (request logging was off)"
        )
    job.report.note("times have no year; their gaps were read within one year")
    job.report.warn("times have a grain of one second", act=False)
    job.report.warn("output lengths are the max_tokens asked for: an upper bound of what was generated")
    if job.texts.estimated:
        job.report.warn("prompts logged without token ids: lengths were estimated from their text")
    return rows.draft()


def _moment(match: re.Match[str], previous: datetime | None) -> datetime | None:
    """The time of a line; one that lies half a year before the last belongs to the next year."""
    year = _YEAR if previous is None else previous.year
    month, day, hour, minute, second = (int(figure) for figure in match.groups()[:5])
    try:
        moment = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        if previous is not None and previous - moment > _ROLLOVER:
            moment = moment.replace(year=year + 1)
    except ValueError:
        return None
    return moment


def _add(rows: LogRows, number: int, line: str, moment: datetime) -> None:
    texts = rows.job.texts
    ids, prompt, asked = _IDS.search(line), _PROMPT.search(line), _MAX_TOKENS.search(line)
    text = prompt.group("text") if prompt is not None else ""
    tokens = (
        [int(token) % 2**32 for token in ids.group(1).split(",") if token.strip()] if ids is not None else []
    )
    if not tokens and not text:
        rows.drop(NO_TOKENS)
        return
    rows.add(
        line=number,
        start=moment.isoformat(),
        input_tokens=len(tokens) or texts.tokens(text),
        output_tokens=count(asked.group(1)) if asked else None,
        prompt=texts.token_blocks(tokens) if tokens else text,
    )


IMPORTER = Importer(name="vllm-log", title="vLLM request log", matches=matches, load=load, is_log=True)
