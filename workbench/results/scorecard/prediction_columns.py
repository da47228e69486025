"""The scorecard's columns on what the server's step model foretold before the run."""

from workbench.results.scorecard.column import Column, fact, mean, shared_text

_SOURCE = "computed from the step times of earlier runs on the server"


def _predicted(stem: str, unit: str, end: str) -> list[Column]:
    """Return the columns of one figure: predicted, and both ends of its band."""
    whole = f"{stem}{end}"
    parts = (
        (f"predicted_{whole}", f"{whole} as predicted before the run; empty if the server was new"),
        (f"predicted_{stem}_lo{end}", "lower end of its band"),
        (f"predicted_{stem}_hi{end}", "upper end of its band"),
    )
    return [Column(name, unit, definition, _SOURCE, fact(name), mean) for name, definition in parts]


PREDICTION_COLUMNS = [
    *_predicted("ttft_p50", "ms", "_ms"),
    *_predicted("ttft_p95", "ms", "_ms"),
    *_predicted("itl_p95", "ms", "_ms"),
    *_predicted("e2e_p95", "ms", "_ms"),
    *_predicted("output_tok_s", "tokens/s", ""),
    Column(
        "predicted_beyond",
        "",
        "where the run leaves the steps that the prediction rests on",
        _SOURCE,
        fact("predicted_beyond"),
        shared_text,
    ),
]
